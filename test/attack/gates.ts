import { codeOf, jsonOf } from './judge.ts';
import { openSession, planOf, type Estate } from './estate.ts';
import { exampleFor, type Inquiry } from './inquiry.ts';
import type { Asked, Scene } from './scene.ts';

/** Asks without end, until it is told to stop: the owner must notice nothing, the stranger may be refused but gets nothing of the owner's. */
async function meanwhile(scene: Scene, before: readonly Asked[], refusals: readonly string[], work: () => Promise<number>): Promise<number> {
  const over = new AbortController();
  const owner = async () => {
    while (!over.signal.aborted) await scene.assertSame(scene.owner, before, 'while an admin changes another account');
  };
  const stranger = async () => {
    for (let i = 0; !over.signal.aborted; i += 1) {
      const inquiry = scene.reads[i % scene.reads.length] as Inquiry;
      const answer = await scene.ask(inquiry, scene.stranger.token);
      scene.assertNothingOf(scene.owner, inquiry, answer);
      if (answer.status !== 200 && !refusals.includes(codeOf(answer))) throw new Error(`${inquiry.path} answers ${answer.status} ${codeOf(answer)} while an admin changes the account`);
    }
  };
  const [count] = await Promise.all([work().finally(() => over.abort()), owner(), stranger(), stranger()]);
  return count;
}

/** A switch is in force for every request that begins after its answer. Returns how many were thrown. */
export function assertToggles(scene: Scene, rounds: number, before: readonly Asked[]): Promise<number> {
  const features = [...new Set(scene.reads.flatMap(({ operation: { features } }) => (features.length === 1 ? features : [])))];
  return meanwhile(scene, before, ['feature_disabled'], async () => {
    for (let i = 0; i < rounds * features.length; i += 1) await toggle(scene, features[i % features.length] ?? '', i % 2 === 0);
    return rounds * features.length;
  });
}

async function toggle(scene: Scene, feature: string, ofPlan: boolean): Promise<void> {
  const path = ofPlan ? `/api/plans/${planOf(scene.stranger.mark)}/features/${feature}` : `/api/accounts/${scene.stranger.mark}/features/${feature}`;
  const gated = scene.reads.filter(({ operation: { features } }) => features.length === 1 && features[0] === feature);
  await order(scene, 'DELETE', path);
  for (const inquiry of gated) {
    const answer = await scene.ask(inquiry, scene.stranger.token);
    if (codeOf(answer) !== 'feature_disabled' || (jsonOf(answer) as { feature: string }).feature !== feature) throw new Error(`${inquiry.path} answers ${answer.status} after ${feature} was switched off for the ${ofPlan ? 'plan' : 'account'}`);
  }
  await order(scene, ofPlan ? 'PUT' : 'DELETE', ofPlan ? path : `${path}?inherit=true`);
  for (const inquiry of gated) {
    const { status } = await scene.ask(inquiry, scene.stranger.token);
    if (status !== 200) throw new Error(`${inquiry.path} answers ${status} after ${feature} was switched on again for the ${ofPlan ? 'plan' : 'account'}`);
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

async function order(scene: Scene, method: string, path: string): Promise<void> {
  const operation = scene.operations.find(({ id }) => id === 'admin control.account');
  if (operation === undefined) throw new Error('the description has no control.account');
  const answer = await scene.ask({ operation, method, path, body: undefined }, scene.admin);
  if (answer.status !== 200) throw new Error(`${method} ${path} answers an admin ${answer.status}`);
}

/** Tokens open nothing on the other address, but the usage that a user's feature opens; and tell nothing there. Returns how many were tried. */
export async function assertAudiences(scene: Scene): Promise<number> {
  const asks = (estate: Pick<Estate, 'mark' | 'secrets'>) => scene.operations.filter(({ isGuest, isStream }) => !isGuest && !isStream).map((operation) => exampleFor(operation, estate));
  const [taken, free] = [asks(scene.owner), asks({ mark: 'zqgamma', secrets: [] })];
  for (const [i, inquiry] of taken.entries()) {
    const { address, features } = inquiry.operation;
    const token = address === 'user' ? scene.admin : scene.stranger.token;
    const answer = await scene.ask(inquiry, token);
    const wanted = address === 'user' ? [401] : features.length > 0 ? [200] : [403];
    if (!wanted.includes(answer.status)) throw new Error(`${inquiry.method} ${inquiry.path} on the ${address} address answers ${answer.status} to a token of the other role`);
    const twin = await scene.ask(free[i] as Inquiry, token);
    scene.assertNothingOf(scene.owner, { ...inquiry, named: [] }, answer);
    if (features.length === 0 && (twin.status !== answer.status || codeOf(twin) !== codeOf(answer))) throw new Error(`${inquiry.method} ${inquiry.path} tells a token of the other role what exists`);
  }
  return taken.length;
}
