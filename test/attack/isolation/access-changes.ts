import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, jsonOf } from '../target/response-reader.ts';
import { openSession, planOf, sendJson, type TenantFixture } from './tenant-fixture.ts';
import { exampleRequest, type CrossTenantRequest } from './cross-tenant-request.ts';
import type { RecordedReply, IsolationHarness } from './isolation-harness.ts';

/** How long lists of an engine and of a database server are kept at most, with time to spare. */
const LISTED_MS = 10_000;

/**
 * Runs `work` while owner and stranger keep reading: the owner's replies must not change, and the stranger may be
 * refused but must get nothing of the owner's.
 */
async function whileReading(
  harness: IsolationHarness,
  before: readonly RecordedReply[],
  refusals: readonly string[],
  work: () => Promise<number>,
): Promise<number> {
  const over = new AbortController();
  const owner = async () => {
    while (!over.signal.aborted)
      await harness.assertSame(harness.owner, before, 'while an administrator changes another account');
  };
  const stranger = async () => {
    for (let i = 0; !over.signal.aborted; i += 1) {
      const request = harness.reads[i % harness.reads.length] as CrossTenantRequest;
      const answer = await harness.send(request, harness.stranger.token);
      harness.assertNothingOf(harness.owner, request, answer);
      if (answer.status !== 200 && !refusals.includes(codeOf(answer)))
        throw new Error(
          `${request.path} returned ${answer.status} ${codeOf(answer)} while an administrator changed the account`,
        );
    }
  };
  const [count] = await Promise.all([work().finally(() => over.abort()), owner(), stranger(), stranger()]);
  return count;
}

/** Rejects unless each feature toggle applies to every request sent after its reply. Returns the number of toggles. */
export function assertToggles(
  harness: IsolationHarness,
  rounds: number,
  before: readonly RecordedReply[],
): Promise<number> {
  const features = [
    ...new Set(harness.reads.flatMap(({ operation: { features } }) => (features.length === 1 ? features : []))),
  ];
  return whileReading(harness, before, ['feature_disabled'], async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const feature of features)
        for (const each of togglesOf(harness, feature)) await toggle(harness, feature, each);
    return rounds * features.length * 3;
  });
}

/** Turns a feature off and on: an administrator for a plan or an account, or another process, such as the CLI. */
type Toggle = { readonly by: string; readonly off: () => Promise<void>; readonly on: () => Promise<void> };

function togglesOf(harness: IsolationHarness, feature: string): Toggle[] {
  const { mark } = harness.stranger;
  const { accounts } = harness.target.core;
  const [plan, account] = [
    `/api/plans/${planOf(mark)}/features/${feature}`,
    `/api/accounts/${mark}/features/${feature}`,
  ];
  return [
    { by: 'plan', off: () => sendAsAdmin(harness, 'DELETE', plan), on: () => sendAsAdmin(harness, 'PUT', plan) },
    {
      by: 'account',
      off: () => sendAsAdmin(harness, 'DELETE', account),
      on: () => sendAsAdmin(harness, 'DELETE', `${account}?inherit=true`),
    },
    {
      by: 'another process',
      off: () => accounts.setFeature(mark, feature, false),
      on: () => accounts.setFeature(mark, feature, undefined),
    },
  ];
}

async function toggle(harness: IsolationHarness, feature: string, { by, off, on }: Toggle): Promise<void> {
  const gated = harness.reads.filter(({ operation: { features } }) => features.length === 1 && features[0] === feature);
  await off();
  for (const request of gated) {
    const answer = await harness.send(request, harness.stranger.token);
    if (codeOf(answer) !== 'feature_disabled' || (jsonOf(answer) as { feature: string }).feature !== feature)
      throw new Error(`${request.path} returned ${answer.status} after ${feature} was turned off (${by})`);
  }
  await on();
  for (const request of gated) {
    const { status } = await harness.send(request, harness.stranger.token);
    if (status !== 200)
      throw new Error(`${request.path} returned ${status} after ${feature} was turned on again (${by})`);
  }
}

/** Rejects unless a suspension ends every token at once and for good. Returns the number of suspensions. */
export function assertSuspensions(
  harness: IsolationHarness,
  rounds: number,
  before: readonly RecordedReply[],
): Promise<number> {
  const { target, stranger } = harness;
  const assertAll = async (token: string, status: number, when: string) => {
    for (const request of harness.reads) {
      const answer = await harness.send(request, token);
      if (answer.status !== status) throw new Error(`${request.path} returned ${answer.status} ${when}`);
    }
  };
  return whileReading(harness, before, ['authentication_required'], async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { token } = stranger;
      await sendAsAdmin(harness, 'POST', `/api/accounts/${stranger.mark}/suspend`);
      await assertAll(token, 401, 'while the account is suspended');
      await sendAsAdmin(harness, 'POST', `/api/accounts/${stranger.mark}/unsuspend`);
      await assertAll(token, 401, 'with a token from before the suspension');
      stranger.token = await openSession(target, stranger.account);
      await assertAll(stranger.token, 200, 'with a new token after the suspension');
    }
    return rounds;
  });
}

/** Rejects if a new account inherits anything from a removed and purged account of the same name. */
export async function assertNoInheritance(harness: IsolationHarness): Promise<void> {
  const { target, stranger } = harness;
  const path = `/api/accounts/${stranger.mark}`;
  await sendAsAdmin(harness, 'DELETE', path);
  for (const request of harness.reads) {
    const { status } = await harness.send(request, stranger.token);
    if (status !== 401) throw new Error(`${request.path} returned ${status} with the token of a removed account`);
  }
  await sendAsAdmin(harness, 'DELETE', `${path}?purge=true`);
  const { accounts } = target.core;
  const account = await accounts.create({
    username: stranger.mark,
    role: 'user',
    plan: planOf(stranger.mark),
    passwordHash: 'none',
  });
  const token = await openSession(target, account);
  const read = async (where: string) => (await sendJson(target, 'user', token, 'GET', where)).body.toString();
  const paths = ['favorites', 'domains', 'account/2fa', 'account/login-history', 'auto-installer', 'docker_domains'];
  const found = await inheritedIn(stranger.mark, ['search/files?q=', 'folders', ...paths], read);
  if (found !== undefined)
    throw new Error(`an account inherited data from a removed account of the same name: ${found}`);
  // what an engine and a server hold is listed every few seconds
  for (const end = performance.now() + LISTED_MS; ; await delay(LISTED_MS / 20)) {
    const listed = await inheritedIn(stranger.mark, ['container/df', 'docker_stats', 'mysql-size'], read);
    if (listed === undefined) break;
    if (performance.now() > end) throw new Error(`an account inherited what a removed account left: ${listed}`);
  }
  if ((await read('/api/account/activity')).includes('added'))
    throw new Error('an account inherited the activity of a removed account of the same name');
  for (const secret of stranger.secrets)
    if ((await read('/api/account/sessions')).includes(secret))
      throw new Error('an account inherited the sessions of a removed account of the same name');
  const { status } = await sendJson(target, 'user', stranger.token, 'GET', '/api/account/sessions');
  if (status !== 401) throw new Error('the token of a removed account works for a new account of the same name');
}

/** The first reply that shows something of the account with this mark. */
async function inheritedIn(
  mark: string,
  paths: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<string | undefined> {
  const replies = await Promise.all(paths.map((path) => read(`/api/${path}`)));
  const signs = [`${mark}.example`, `/${mark}"`, `${mark}-`, `"${mark}`, '"enabled":true'];
  return replies.find((reply) => signs.some((sign) => reply.includes(sign)));
}

async function sendAsAdmin(harness: IsolationHarness, method: string, path: string): Promise<void> {
  const operation = harness.operations.find(
    (each) => each.address === 'admin' && each.path === '/api/accounts/{username}' && each.method === 'GET',
  );
  if (operation === undefined) throw new Error('the description has no account of an administrator');
  const answer = await harness.send({ operation, method, path, body: undefined }, harness.admin);
  if (answer.status !== 200) throw new Error(`${method} ${path} returned ${answer.status} to an administrator`);
}

/**
 * Rejects if a token works on the other address, except for usage opened by a user's feature, or if the refusal reveals
 * what exists. Returns the number of requests.
 */
export async function assertAudiences(harness: IsolationHarness): Promise<number> {
  const examples = (tenant: Pick<TenantFixture, 'mark' | 'secrets'>) =>
    harness.operations
      .filter(({ isGuest, isStream }) => !isGuest && !isStream)
      .map((operation) => exampleRequest(operation, tenant));
  const [taken, free] = [examples(harness.owner), examples({ mark: 'zqgamma', secrets: [] })];
  for (const [i, request] of taken.entries()) {
    const { address, features } = request.operation;
    const token = address === 'user' ? harness.admin : harness.stranger.token;
    const answer = await harness.send(request, token);
    const wanted = address === 'user' ? [401] : features.length > 0 ? [200] : [403];
    if (!wanted.includes(answer.status))
      throw new Error(
        `${request.method} ${request.path} on the ${address} address returned ${answer.status} for a token of the other role`,
      );
    const twin = await harness.send(free[i] as CrossTenantRequest, token);
    harness.assertNothingOf(harness.owner, { ...request, named: [] }, answer);
    if (features.length === 0 && (twin.status !== answer.status || codeOf(twin) !== codeOf(answer)))
      throw new Error(`${request.method} ${request.path} reveals to a token of the other role what exists`);
  }
  return taken.length;
}
