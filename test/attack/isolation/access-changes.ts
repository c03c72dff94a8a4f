import { codeOf, jsonOf } from '../target/response-reader.ts';
import { ask, openSession, planOf, type TenantFixture } from './tenant-fixture.ts';
import { exampleFor, type CrossTenantRequest } from './cross-tenant-request.ts';
import type { RecordedReply, IsolationHarness } from './isolation-harness.ts';

/** Asks without end, until it is told to stop: the owner must notice nothing, the stranger may be refused but gets nothing of the owner's. */
async function meanwhile(
  harness: IsolationHarness,
  before: readonly RecordedReply[],
  refusals: readonly string[],
  work: () => Promise<number>,
): Promise<number> {
  const over = new AbortController();
  const owner = async () => {
    while (!over.signal.aborted)
      await harness.assertSame(harness.owner, before, 'while an admin changes another account');
  };
  const stranger = async () => {
    for (let i = 0; !over.signal.aborted; i += 1) {
      const request = harness.reads[i % harness.reads.length] as CrossTenantRequest;
      const answer = await harness.ask(request, harness.stranger.token);
      harness.assertNothingOf(harness.owner, request, answer);
      if (answer.status !== 200 && !refusals.includes(codeOf(answer)))
        throw new Error(
          `${request.path} answers ${answer.status} ${codeOf(answer)} while an admin changes the account`,
        );
    }
  };
  const [count] = await Promise.all([work().finally(() => over.abort()), owner(), stranger(), stranger()]);
  return count;
}

/** A switch is in force for every request that begins after its answer. Returns how many were thrown. */
export function assertToggles(
  harness: IsolationHarness,
  rounds: number,
  before: readonly RecordedReply[],
): Promise<number> {
  const features = [
    ...new Set(harness.reads.flatMap(({ operation: { features } }) => (features.length === 1 ? features : []))),
  ];
  return meanwhile(harness, before, ['feature_disabled'], async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const feature of features)
        for (const each of switchesOf(harness, feature)) await toggle(harness, feature, each);
    return rounds * features.length * 3;
  });
}

/** Who throws a switch: an admin for the plan or for the account, or another process that has the store open, as the command line. */
type Switch = { readonly by: string; readonly off: () => Promise<void>; readonly on: () => Promise<void> };

function switchesOf(harness: IsolationHarness, feature: string): Switch[] {
  const { mark } = harness.stranger;
  const { accounts } = harness.target.core;
  const [plan, account] = [
    `/api/plans/${planOf(mark)}/features/${feature}`,
    `/api/accounts/${mark}/features/${feature}`,
  ];
  return [
    { by: 'plan', off: () => order(harness, 'DELETE', plan), on: () => order(harness, 'PUT', plan) },
    {
      by: 'account',
      off: () => order(harness, 'DELETE', account),
      on: () => order(harness, 'DELETE', `${account}?inherit=true`),
    },
    {
      by: 'another process',
      off: () => accounts.setFeature(mark, feature, false),
      on: () => accounts.setFeature(mark, feature, undefined),
    },
  ];
}

async function toggle(harness: IsolationHarness, feature: string, { by, off, on }: Switch): Promise<void> {
  const gated = harness.reads.filter(({ operation: { features } }) => features.length === 1 && features[0] === feature);
  await off();
  for (const request of gated) {
    const answer = await harness.ask(request, harness.stranger.token);
    if (codeOf(answer) !== 'feature_disabled' || (jsonOf(answer) as { feature: string }).feature !== feature)
      throw new Error(`${request.path} answers ${answer.status} after ${feature} was switched off (${by})`);
  }
  await on();
  for (const request of gated) {
    const { status } = await harness.ask(request, harness.stranger.token);
    if (status !== 200)
      throw new Error(`${request.path} answers ${status} after ${feature} was switched on again (${by})`);
  }
}

/** A suspension ends every token at once and for good. Returns how many there were. */
export function assertSuspensions(
  harness: IsolationHarness,
  rounds: number,
  before: readonly RecordedReply[],
): Promise<number> {
  const { target, stranger } = harness;
  const assertAll = async (token: string, status: number, when: string) => {
    for (const request of harness.reads) {
      const answer = await harness.ask(request, token);
      if (answer.status !== status) throw new Error(`${request.path} answers ${answer.status} ${when}`);
    }
  };
  return meanwhile(harness, before, ['authentication_required'], async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { token } = stranger;
      await order(harness, 'POST', `/api/accounts/${stranger.mark}/suspend`);
      await assertAll(token, 401, 'while the account is suspended');
      await order(harness, 'POST', `/api/accounts/${stranger.mark}/unsuspend`);
      await assertAll(token, 401, 'with the token of before the suspension');
      stranger.token = await openSession(target, stranger.account);
      await assertAll(stranger.token, 200, 'with a new token after the suspension');
    }
    return rounds;
  });
}

/** Who is called like an account that was removed has nothing of it, but the files, which stay. */
export async function assertRebirth(harness: IsolationHarness): Promise<void> {
  const { target, stranger } = harness;
  const path = `/api/accounts/${stranger.mark}`;
  await order(harness, 'DELETE', path);
  for (const request of harness.reads) {
    const { status } = await harness.ask(request, stranger.token);
    if (status !== 401)
      throw new Error(`${request.path} answers ${status} with the token of an account that was removed`);
  }
  const { accounts } = target.core;
  const account = await accounts.create({
    username: stranger.mark,
    role: 'user',
    plan: planOf(stranger.mark),
    passwordHash: 'none',
  });
  const token = await openSession(target, account);
  const read = async (where: string) => (await ask(target, 'user', token, 'GET', where)).body.toString();
  const inherited = (
    await Promise.all(
      [
        '/api/favorites',
        '/api/domains',
        '/api/account/2fa',
        '/api/account/login-history',
        '/api/auto-installer',
        '/api/docker_domains',
      ].map(read),
    )
  ).join();
  if (
    inherited.includes(`${stranger.mark}.example`) ||
    inherited.includes(`/${stranger.mark}"`) ||
    inherited.includes('"enabled":true')
  )
    throw new Error(`an account inherits from one that was called like it: ${inherited}`);
  if ((await read('/api/account/activity')).includes('added'))
    throw new Error('an account inherits the activity of one that was called like it');
  for (const secret of stranger.secrets)
    if ((await read('/api/account/sessions')).includes(secret))
      throw new Error('an account inherits the sessions of one that was called like it');
  const { status } = await ask(target, 'user', stranger.token, 'GET', '/api/account/sessions');
  if (status !== 401) throw new Error('the token of an account that was removed opens the one that is called like it');
}

async function order(harness: IsolationHarness, method: string, path: string): Promise<void> {
  const operation = harness.operations.find(({ id }) => id === 'admin control.account');
  if (operation === undefined) throw new Error('the description has no control.account');
  const answer = await harness.ask({ operation, method, path, body: undefined }, harness.admin);
  if (answer.status !== 200) throw new Error(`${method} ${path} answers an admin ${answer.status}`);
}

/** Tokens open nothing on the other address, but the usage that a user's feature opens; and tell nothing there. Returns how many were tried. */
export async function assertAudiences(harness: IsolationHarness): Promise<number> {
  const asks = (tenant: Pick<TenantFixture, 'mark' | 'secrets'>) =>
    harness.operations
      .filter(({ isGuest, isStream }) => !isGuest && !isStream)
      .map((operation) => exampleFor(operation, tenant));
  const [taken, free] = [asks(harness.owner), asks({ mark: 'zqgamma', secrets: [] })];
  for (const [i, request] of taken.entries()) {
    const { address, features } = request.operation;
    const token = address === 'user' ? harness.admin : harness.stranger.token;
    const answer = await harness.ask(request, token);
    const wanted = address === 'user' ? [401] : features.length > 0 ? [200] : [403];
    if (!wanted.includes(answer.status))
      throw new Error(
        `${request.method} ${request.path} on the ${address} address answers ${answer.status} to a token of the other role`,
      );
    const twin = await harness.ask(free[i] as CrossTenantRequest, token);
    harness.assertNothingOf(harness.owner, { ...request, named: [] }, answer);
    if (features.length === 0 && (twin.status !== answer.status || codeOf(twin) !== codeOf(answer)))
      throw new Error(`${request.method} ${request.path} tells a token of the other role what exists`);
  }
  return taken.length;
}
