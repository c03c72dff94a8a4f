import * as assert from '../support/assert.ts';
import { startLeading } from '../../kernel/host/background.ts';
import { createLog } from '../../kernel/log.ts';
import { Leadership } from '../../kernel/workers/leadership.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('leadership');
const log = createLog('silent');

/** What a plugin has of its host: the releases run last first, as those of a plugin set. */
function scope() {
  const releases: (() => void | Promise<void>)[] = [];
  return {
    log,
    onClose: (release: () => void | Promise<void>) => void releases.push(release),
    close: async () => {
      for (let release = releases.pop(); release !== undefined; release = releases.pop()) await release();
    },
  };
}

test('of several one leads, and the next takes over when it ends', async () => {
  const data = temporaryFolder();
  const [first, second] = [await Leadership.among(data, log), await Leadership.among(data, log)];
  assert.equal([first.isLeader, second.isLeader], [true, false]);
  const cancelled = second.onTakeOver(() => assert.unreachable('cancelled'));
  let calls = 0;
  second.onTakeOver(() => (calls += 1));
  cancelled();
  await first.close();
  await until('the second one leads', () => second.isLeader);
  assert.is(calls, 1);
  const third = await Leadership.among(data, log);
  assert.not.ok(third.isLeader);
  await third.close();
  await second.close();
  assert.not.ok(third.isLeader, 'a process that ends does not take over');
});

test('one that is alone leads at once, and has no lock', async () => {
  const leadership = Leadership.alone();
  assert.ok(leadership.isLeader);
  assert.throws(
    () =>
      startLeading(
        leadership,
        () => {
          throw new Error('at once');
        },
        scope(),
      ),
    /at once/,
  );
  await leadership.close();
});

test('background work starts with the lead only, and what it takes late is released', async () => {
  const data = temporaryFolder();
  const [first, second] = [await Leadership.among(data, log), await Leadership.among(data, log)];
  const background = startLeading.bind(undefined, second);
  const [failing, closed, running] = [scope(), scope(), scope()];
  const steps: string[] = [];
  void background(() => Promise.reject(new Error('logged')), failing);
  void background(() => void steps.push('of a closed plugin'), closed);
  await closed.close();
  let go: () => void = () => {};
  void background(async () => {
    steps.push('begun');
    await new Promise<void>((release) => (go = release));
    running.onClose(() => void steps.push('released'));
  }, running);
  assert.equal(steps, []);
  await first.close();
  await until('the work begins', () => steps.includes('begun'));
  const closing = running.close();
  go();
  await closing;
  assert.equal(steps, ['begun', 'released']);
  await failing.close();
  await second.close();
});
