import * as assert from '../../support/assert.ts';
import { TrafficCounts } from '../../../plugins/logs/traffic.ts';
import { addTraffic } from '../../../plugins/logs/store.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('logs: traffic');
const DAY_MS = 86_400_000;

let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const sent = (accountId: number, day: string, bytes: number) =>
  server.hostkeep.core.local.write((tx) => addTraffic(tx, { accountId, domainId: accountId, day, requests: 2, bytes }));

// threat other-accounts: the traffic of an account is that of its own sites
test('an account sees what its own sites sent in this month', async () => {
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const traffic = async (token: string) => (await server.ask('/api/logs/traffic', { token })).body;
  const since = `${dayOf(Date.now()).slice(0, -2)}01`;
  const nothing = { counted: false, since, requests: 0, bytes: 0, limit_mib: 2 ** 21 }; // of the plan that is shipped
  assert.equal(await traffic(ann.token), nothing);
  await sent(ann.account.id, dayOf(Date.parse(since) - DAY_MS), 5);
  assert.equal(await traffic(ann.token), nothing, 'before this month');
  await sent(ann.account.id, since, 700);
  await sent(ann.account.id, dayOf(Date.now()), 2 ** 31);
  await server.hostkeep.core.plans.update('developer', { limits: { traffic_limit_mib: 2048 } });
  const own = { ...nothing, requests: 4, bytes: 2 ** 31 + 700, limit_mib: 2048 };
  assert.equal(await traffic(ann.token), own);
  assert.equal(await traffic(bob.token), { ...nothing, limit_mib: 2048 });
  const report = await new TrafficCounts(server.hostkeep.core.local).report.accountsUsage?.([
    await server.hostkeep.core.accounts.get('ann'),
  ]);
  const [month] = report?.get(ann.account.id) ?? [];
  assert.equal(month, { resource: 'traffic_mib', used: 2049, limit: 2048, isOver: true });
});
