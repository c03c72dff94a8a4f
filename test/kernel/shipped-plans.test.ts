import * as assert from '../support/assert.ts';
import { createLog } from '../../kernel/log.ts';
import { openCore } from '../../kernel/run/core.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('shipped plans');

test('processes that open an empty store at the same moment ship each plan once', async () => {
  const config = testConfig(temporaryFolder());
  const cores = await Promise.all([1, 2, 3].map(() => openCore(config, createLog('silent'))));
  const created = await cores[0]?.store.all("select id from events where type = 'plan.created'");
  const names = [...((await cores[0]?.plans.all())?.keys() ?? [])];
  for (const core of cores) await core.close();
  assert.ok(names.includes('basic') && names.includes('standard'));
  assert.is(created?.length, names.length);
});

test('plans are shipped all or not at all, and never beside those of an operator', async () => {
  const core = await openCore(testConfig(temporaryFolder()), createLog('silent'));
  const before = await core.plans.all();
  await core.plans.ship([['other', {}, []]]);
  assert.equal([...(await core.plans.all()).keys()], [...before.keys()]);
  await core.close();
});
