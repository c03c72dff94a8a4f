import * as assert from '../support/assert.ts';
import { fail } from '../../kernel/errors.ts';
import { codeOf } from '../support/code-of.ts';
import { withBeatFirst } from '../../kernel/areas/tasks/with-beat.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('beats of tasks');
const BEFORE = { files: 3, bytes: 0, leftOut: 0 };

test('what waits for its turn goes on, and then tells for itself', async () => {
  const heard: unknown[] = [];
  let onHeard = () => undefined as void;
  const run = {
    id: 'one',
    signal: new AbortController().signal,
    onProgress: (told: unknown) => {
      heard.push(told);
      onHeard();
    },
  };
  const heardAgain = () => new Promise<void>((resolve) => (onHeard = resolve));
  const failed = withBeatFirst(run, BEFORE, () =>
    heardAgain().then(() => Promise.reject(fail.overloaded('its turn is over'))),
  );
  assert.is(await codeOf(failed), 'overloaded');
  assert.equal(heard, [BEFORE]);
  const done = await withBeatFirst(run, BEFORE, async (own) => {
    await heardAgain();
    own.onProgress('own');
    const beat = heardAgain().then(() => 'beat');
    return Promise.race([beat, new Promise((resolve) => setTimeout(() => resolve('quiet'), 1500))]);
  });
  assert.is(done, 'quiet', 'what it tells itself is enough');
  assert.equal(heard, [BEFORE, BEFORE, 'own']);
});
