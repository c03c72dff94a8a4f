import { codeOf, jsonOf } from './judge.ts';
import { ask, openSession, planOf, type Estate } from './estate.ts';
import { exampleFor, type Inquiry } from './inquiry.ts';
import type { Asked, Scene } from './scene.ts';

/** Asks without end, until it is told to stop: the owner must notice nothing, the stranger may be refused but gets nothing of the owner's. */
async function meanwhile(
  scene: Scene,
  before: readonly Asked[],
  refusals: readonly string[],
  work: () => Promise<number>,
): Promise<number> {
  const over = new AbortController();
  const owner = async () => {
    while (!over.signal.aborted) await scene.assertSame(scene.owner, before, 'while an admin changes another account');
  };
  const stranger = async () => {
    for (let i = 0; !over.signal.aborted; i += 1) {
      const inquiry = scene.reads[i % scene.reads.length] as Inquiry;
      const answer = await scene.ask(inquiry, scene.stranger.token);
      scene.assertNothingOf(scene.owner, inquiry, answer);
      if (answer.status !== 200 && !refusals.includes(codeOf(answer)))
        throw new Error(
          `${inquiry.path} answers ${answer.status} ${codeOf(answer)} while an admin changes the account`,
        );
    }
  };
  const [count] = await Promise.all([work().finally(() => over.abort()), owner(), stranger(), stranger()]);
  return count;
}

/** A switch is in force for every request that begins after its answer. Returns how many were thrown. */
export function assertToggles(scene: Scene, rounds: number, before: readonly Asked[]): Promise<number> {
  const features = [
    ...new Set(scene.reads.flatMap(({ operation: { features } }) => (features.length === 1 ? features : []))),
  ];
  return meanwhile(scene, before, ['feature_disabled'], async () => {
    for (let round = 0; round < rounds; round += 1)
      for (const feature of features) for (const each of switchesOf(scene, feature)) await toggle(scene, feature, each);
    return rounds * features.length * 3;
  });
}

/** Who throws a switch: an admin for the plan or for the account, or another process that has the store open, as the command line. */
type Switch = { readonly by: string; readonly off: () => Promise<void>; readonly on: () => Promise<void> };

function switchesOf(scene: Scene, feature: string): Switch[] {
  const { mark } = scene.stranger;
  const { accounts } = scene.target.core;
  const [plan, account] = [
    `/api/plans/${planOf(mark)}/features/${feature}`,
    `/api/accounts/${mark}/features/${feature}`,
  ];
  return [
    { by: 'plan', off: () => order(scene, 'DELETE', plan), on: () => order(scene, 'PUT', plan) },
    {
      by: 'account',
      off: () => order(scene, 'DELETE', account),
      on: () => order(scene, 'DELETE', `${account}?inherit=true`),
    },
    {
      by: 'another process',
      off: () => accounts.setFeature(mark, feature, false),
      on: () => accounts.setFeature(mark, feature, undefined),
    },
  ];
}

async function toggle(scene: Scene, feature: string, { by, off, on }: Switch): Promise<void> {
  const gated = scene.reads.filter(({ operation: { features } }) => features.length === 1 && features[0] === feature);
  await off();
  for (const inquiry of gated) {
    const answer = await scene.ask(inquiry, scene.stranger.token);
    if (codeOf(answer) !== 'feature_disabled' || (jsonOf(answer) as { feature: string }).feature !== feature)
      throw new Error(`${inquiry.path} answers ${answer.status} after ${feature} was switched off (${by})`);
  }
  await on();
  for (const inquiry of gated) {
    const { status } = await scene.ask(inquiry, scene.stranger.token);
    if (status !== 200)
      throw new Error(`${inquiry.path} answers ${status} after ${feature} was switched on again (${by})`);
  }
}

/** A suspension ends every token at once and for good. Returns how many there were. */
export function assertSuspensions(scene: Scene, rounds: number, before: readonly Asked[]): Promise<number> {
  const { target, stranger } = scene;
  const assertAll = async (token: string, status: number, when: string) => {
    for (const inquiry of scene.reads) {
      const answer = await scene.ask(inquiry, token);
      if (answer.status !== status) throw new Error(`${inquiry.path} answers ${answer.status} ${when}`);
    }
  };
  return meanwhile(scene, before, ['authentication_required'], async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { token } = stranger;
      await order(scene, 'POST', `/api/accounts/${stranger.mark}/suspend`);
      await assertAll(token, 401, 'while the account is suspended');
      await order(scene, 'POST', `/api/accounts/${stranger.mark}/unsuspend`);
      await assertAll(token, 401, 'with the token of before the suspension');
      stranger.token = await openSession(target, stranger.account);
      await assertAll(stranger.token, 200, 'with a new token after the suspension');
    }
    return rounds;
  });
}

/** Who is called like an account that was removed has nothing of it, but the files, which stay. */
export async function assertRebirth(scene: Scene): Promise<void> {
  const { target, stranger } = scene;
  const path = `/api/accounts/${stranger.mark}`;
  await order(scene, 'DELETE', path);
  for (const inquiry of scene.reads) {
    const { status } = await scene.ask(inquiry, stranger.token);
    if (status !== 401)
      throw new Error(`${inquiry.path} answers ${status} with the token of an account that was removed`);
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

async function order(scene: Scene, method: string, path: string): Promise<void> {
  const operation = scene.operations.find(({ id }) => id === 'admin control.account');
  if (operation === undefined) throw new Error('the description has no control.account');
  const answer = await scene.ask({ operation, method, path, body: undefined }, scene.admin);
  if (answer.status !== 200) throw new Error(`${method} ${path} answers an admin ${answer.status}`);
}

/** Tokens open nothing on the other address, but the usage that a user's feature opens; and tell nothing there. Returns how many were tried. */
export async function assertAudiences(scene: Scene): Promise<number> {
  const asks = (estate: Pick<Estate, 'mark' | 'secrets'>) =>
    scene.operations
      .filter(({ isGuest, isStream }) => !isGuest && !isStream)
      .map((operation) => exampleFor(operation, estate));
  const [taken, free] = [asks(scene.owner), asks({ mark: 'zqgamma', secrets: [] })];
  for (const [i, inquiry] of taken.entries()) {
    const { address, features } = inquiry.operation;
    const token = address === 'user' ? scene.admin : scene.stranger.token;
    const answer = await scene.ask(inquiry, token);
    const wanted = address === 'user' ? [401] : features.length > 0 ? [200] : [403];
    if (!wanted.includes(answer.status))
      throw new Error(
        `${inquiry.method} ${inquiry.path} on the ${address} address answers ${answer.status} to a token of the other role`,
      );
    const twin = await scene.ask(free[i] as Inquiry, token);
    scene.assertNothingOf(scene.owner, { ...inquiry, named: [] }, answer);
    if (features.length === 0 && (twin.status !== answer.status || codeOf(twin) !== codeOf(answer)))
      throw new Error(`${inquiry.method} ${inquiry.path} tells a token of the other role what exists`);
  }
  return taken.length;
}
