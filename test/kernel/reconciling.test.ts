import * as assert from '../support/assert.ts';
import { startReconciling, type AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { Log } from '../../kernel/log.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('reconciling');

/** Starts work that is woken by `wake` only. */
function start(work: (attempt: AttemptPart) => Promise<void>) {
  const logged: string[] = [];
  const releases: (() => Promise<void>)[] = [];
  let wake: (() => void) | undefined;
  const problem = startReconciling(
    {
      log: { warn: (_: object, message: string) => void logged.push(message) } as unknown as Log,
      onClose: (release) => void releases.push(release),
      wakers: [
        (each) => {
          wake = each;
          return () => (wake = undefined);
        },
      ],
      everyMs: 0,
      subject: 'pools',
    },
    work,
  );
  const close = () => Promise.all(releases.map((release) => release()));
  return { logged, problem, wake: () => wake?.(), isWakeable: () => wake !== undefined, close };
}

test('a part that fails is told and logged once, and the rest goes on', async () => {
  let [runs, isBroken] = [0, true];
  const done: string[] = [];
  const { logged, problem, wake, isWakeable, close } = start(async (attempt) => {
    await attempt('the pool of ann', () => (isBroken ? Promise.reject(new Error('no room')) : Promise.resolve()));
    await attempt('the pool of bea', async () => done.push('bea'));
    runs += 1;
  });
  await until('a problem', () => problem() !== undefined);
  assert.is(problem(), 'the pool of ann: no room');
  wake();
  await until('a second run', () => runs === 2);
  assert.equal([logged, done], [['the pool of ann could not be brought up to date'], ['bea', 'bea']]);
  isBroken = false;
  wake();
  await until('no problem', () => problem() === undefined);
  await close();
  assert.not(isWakeable());
});

test('work that fails as a whole is told as its subject', async () => {
  const { logged, problem, close } = start(async () => {
    throw new Error('no store');
  });
  await until('a problem', () => problem() !== undefined);
  assert.equal([problem(), logged], ['pools: no store', ['pools could not be brought up to date']]);
  await close();
});
