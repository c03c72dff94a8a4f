import * as assert from '../support/assert.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('recurring work');

/** Work that ends when told, and counts its runs. */
function work(everyMs = 0) {
  const runs: { end: () => void; fail: (error: Error) => void }[] = [];
  const failures: unknown[] = [];
  const recurring = new Recurring({
    run: () => new Promise((end, fail) => void runs.push({ end, fail })),
    failed: (error) => failures.push(error),
    everyMs,
  });
  return { recurring, runs, failures };
}

test('one run at a time, and one more for all calls during it', async () => {
  const { recurring, runs } = work();
  recurring.wake();
  recurring.wake();
  recurring.wake();
  assert.is(runs.length, 1);
  runs[0]?.end();
  await until('it runs again', () => runs.length === 2);
  runs[1]?.end();
  await recurring.close();
  assert.is(runs.length, 2);
});

test('a call is never lost, whenever it comes', async () => {
  const { recurring, runs } = work();
  recurring.wake();
  for (let ticks = 0; ticks < 10; ticks += 1) {
    const before = runs.length;
    runs.at(-1)?.end();
    for (let i = 0; i < ticks; i += 1) await Promise.resolve();
    recurring.wake();
    await until('it runs again', () => runs.length > before);
  }
  runs.at(-1)?.end();
  await recurring.close();
});

test('who waits, waits for a run that began later', async () => {
  const { recurring, runs } = work();
  recurring.wake();
  let isSettled = false;
  const settled = recurring.settled().then(() => (isSettled = true));
  runs[0]?.end();
  await until('it runs again', () => runs.length === 2);
  assert.not(isSettled);
  runs[1]?.end();
  await settled;
});

test('a failure is told, and ends nothing', async () => {
  const { recurring, runs, failures } = work();
  recurring.wake();
  recurring.wake();
  runs[0]?.fail(new Error('no'));
  await until('it runs again', () => runs.length === 2);
  assert.equal(failures.map(String), ['Error: no']);
  runs[1]?.end();
  await recurring.close();
});

test('it runs again by the clock, until it is closed', async () => {
  const { recurring, runs } = work(1);
  recurring.wake();
  runs[0]?.end();
  await until('it runs again', () => runs.length === 2);
  let isClosed = false;
  const closed = recurring.close().then(() => (isClosed = true));
  await Promise.resolve();
  assert.not(isClosed, 'it waits for the run');
  runs[1]?.end();
  await closed;
  recurring.wake();
  assert.is(runs.length, 2);
});
