import * as assert from 'uvu/assert';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';
import type { HttpError } from '../../kernel/errors.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('semaphore');

test('no more tasks run than there are slots, a failure frees its slot, and too many are rejected', async () => {
  const semaphore = new Semaphore(2, 2);
  const running: { finish: () => void; fail: () => void }[] = [];
  const task = () =>
    semaphore.run(
      () =>
        new Promise<string>((resolve, reject) =>
          running.push({ finish: () => resolve('done'), fail: () => reject(new Error('broken')) }),
        ),
    );
  const [first, second, third, fourth] = [task(), task(), task(), task()];
  assert.is(await task().catch((error: HttpError) => error.code), 'overloaded');
  assert.is(running.length, 2);
  running[0]?.fail();
  assert.is(await first.catch((error: Error) => error.message), 'broken');
  assert.is(running.length, 3, 'the third took the slot of the first');
  running[1]?.finish();
  await second;
  running[2]?.finish();
  assert.is(await third, 'done');
  running[3]?.finish();
  assert.is(await fourth, 'done');
  const again = [task(), task(), task()];
  assert.is(running.length, 6, 'all slots are free again, and no more than before');
  running[4]?.finish();
  running[5]?.finish();
  await Promise.all(again.slice(0, 2));
  running[6]?.finish();
  assert.is(await again[2], 'done');
});
