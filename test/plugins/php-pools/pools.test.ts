import * as assert from '../../support/assert.ts';
import type { PhpPool } from '../../../kernel/areas/php-pools.ts';
import pools from '../../../plugins/php-pools/index.ts';
import type { NodePools } from '../../../plugins/php-pools/schema.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { asleep, MIB, NAME, pool, standIn } from './stand-in.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php-pools');

async function withPools(read: readonly PhpPool[], restarts: readonly string[] = []) {
  const server = await TestServer.start({ plugins: [standIn(read, restarts), pools] });
  const { token } = await server.admin();
  const list = async (query = '') =>
    (await server.ask<NodePools>(`/api/php-pools?${query}`, { token, address: 'admin' })).body;
  const restart = async (username: string, name = NAME) => {
    const path = `/api/php-pools/${username}/${name}/restart`;
    const { status, body } = await server.ask<{ error?: string }>(path, { method: 'POST', address: 'admin', token });
    return body.error === undefined ? `${status}` : `${status} ${body.error}`;
  };
  const metrics = async () => {
    const [found] = (await server.hostkeep.plugins.gather('metrics')).filter((each) => each.plugin === 'php-pools');
    return new Map((found?.ok === true ? found.value : []).map(({ name, samples }) => [name, samples]));
  };
  return { server, list, restart, metrics };
}

test('without the plugin php, the list says so, and there are no metrics', async () => {
  const server = await TestServer.start({ plugins: [pools] });
  const { token } = await server.admin();
  const { status, body } = await server.ask<{ error: string }>('/api/php-pools', { token, address: 'admin' });
  assert.equal([status, body.error], [503, 'feature_unavailable']);
  const [metrics] = (await server.hostkeep.plugins.gather('metrics')).filter((each) => each.plugin === 'php-pools');
  assert.equal(metrics?.ok === true && metrics.value, []);
});

test('nothing is restarted but what is there and runs', async () => {
  const { server, restart } = await withPools([pool('ann'), pool('bea')], [`ann ${NAME}`]);
  const ann = await server.user('ann');
  await server.user('bea');
  assert.is(await restart('nobody'), '404 account_not_found');
  assert.is(await restart('ann', '8.4-000000000000'), '404 php_pool_not_found');
  for (const wrong of ['8.4', '..%2Fx', '8.4-0F1E2D3C4B5A'])
    assert.is(await restart('ann', wrong), '404 php_pool_not_found');
  assert.is(await restart('bea'), '409 php_pool_not_running');
  assert.equal(await ann.told('restarted'), []);
});

test('a restart is told to the account, with who had it done', async () => {
  const { server, restart } = await withPools([pool('ann')], [`ann ${NAME}`]);
  const ann = await server.user('ann');
  const before = await server.hostkeep.core.events.lastId();
  assert.is(await restart('ann'), '200');
  assert.match(
    (await ann.told('restarted'))[0] ?? '',
    /User 'ann' had PHP 8\.4 restarted by the administrator 'root' /,
  );
  const [event] = await server.hostkeep.core.events.after(before, 10);
  assert.is(event?.type, 'php.restarted');
});

test('pools are found by user name, sorted and paged, with the failed ones first', async () => {
  const { list } = await withPools([
    pool('anna', { memoryBytes: 90 * MIB, requests: 1, runningSeconds: 6 }),
    pool('hanna', { memoryBytes: 30 * MIB, requests: 100, active: null, state: 'busy' }),
    pool('bob', { ...asleep, domains: Array.from({ length: 12 }, (_, i) => `${i}.example`) }),
    pool('eve', { ...asleep, state: 'failed', problem: 'x'.repeat(900) }),
    pool('carl', { domains: [], state: 'ending', mostProcesses: 0 }),
  ]);
  const names = async (query: string) => (await list(query)).pools.map(({ username }) => username);
  assert.equal(await names(''), ['eve', 'anna', 'hanna', 'carl', 'bob']);
  assert.equal(await names('sort=requests'), ['eve', 'hanna', 'carl', 'anna', 'bob']);
  assert.equal(await names('sort=name'), ['eve', 'anna', 'bob', 'carl', 'hanna']);
  assert.equal(await names('q=nna&sort=name'), ['anna', 'hanna']);
  const page = await list('limit=2&cursor=2');
  assert.equal([page.pools.map(({ username }) => username), page.total, page.next_cursor], [['hanna', 'carl'], 5, '4']);
  assert.is((await list('limit=2&cursor=4')).next_cursor, null);
  const all = await list('q=nobody');
  assert.equal([all.pools, all.total], [[], 0]);
  const counted = {
    pools: 5,
    running: 3,
    asleep: 1,
    failed: 1,
    missing: 0,
    processes: 6,
    active: 2,
    memory_bytes: 140 * MIB,
  };
  assert.equal(all.sums, counted, 'of all, whatever is searched for');
  const byName = new Map((await list()).pools.map((each) => [each.username, each]));
  assert.equal([byName.get('bob')?.domains.length, byName.get('bob')?.domain_count], [10, 12]);
  assert.is(byName.get('eve')?.problem?.length, 500);
  const rate = (name: string) => byName.get(name)?.requests_per_minute;
  assert.equal(['anna', 'hanna', 'bob'].map(rate), [1, 50, null]);
  assert.equal([byName.get('hanna')?.idle, byName.get('anna')?.idle], [null, 1]);
});

test('metrics count pools by state, and requests once for the node', async () => {
  const { metrics } = await withPools([pool('ann'), pool('bea'), pool('carl', asleep)]);
  const found = await metrics();
  const states = new Map(found.get('hostkeep_php_pools')?.map(({ labels, value }) => [labels?.['state'], value]));
  assert.equal([states.get('running'), states.get('asleep'), states.get('failed')], [2, 1, 0]);
  const value = (name: string) => found.get(name)?.[0]?.value;
  assert.equal([value('hostkeep_php_memory_bytes'), value('hostkeep_php_processes')], [40 * MIB, 4]);
  assert.is(value('hostkeep_php_requests_total'), 77);
});
