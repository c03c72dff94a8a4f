/** An account whose databases are full: its node is killed while it stops them, and the account moves to another one. */
import { spawn } from 'node:child_process';
import * as assert from '../../../support/assert.ts';
import { CustomersServer, LIST } from '../../../support/customers-server.ts';
import { TestFleet } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { onlyPlugins, type NodeProcess } from '../../../support/node-process.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('fleet', 'moves', 'login', 'postgresql', 'postgresql-moves', 'database-limits');
const test = testSuite('database-limits, moves');
const USERS = '/api/postgresql/users';
const STOPPED = '{default_transaction_read_only=on}|t';
const STOPPING = `select count(*) from pg_stat_activity where state = 'active' and query like 'alter database "ann_shop"%'`;
const MIB = "insert into big select repeat('x', 1048576);";

/** What a server says of the state of the database, and whether its user can connect. */
const stateAt = (server: CustomersServer) =>
  server.sql(`select coalesce((select setconfig::text from pg_db_role_setting where setdatabase = d.oid and setrole = 0), ''),
    has_database_privilege('ann_app', d.oid, 'connect') from pg_database d where datname = 'ann_shop'`);
const isAt = (server: CustomersServer, state: string) =>
  until(`it is ${state}`, async () => (await stateAt(server)) === state);

const configAt = (server: CustomersServer) => ({
  ...onlyPlugins('fleet', 'login', 'moves', 'postgresql', 'postgresql-moves', 'database-limits', 'system'),
  postgresql: server.settings,
  'database-limits': { look_seconds: 0.2 },
});

/** Makes a database with 20 MiB. Resolves with its owner. */
async function fill(node: NodeProcess, server: CustomersServer) {
  const token = await node.login('ann');
  const ask = async <T>(method: string, path: string, body: unknown) => {
    const answer = await node.ask<T>(path, { token, method, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  await ask('POST', LIST, { name: 'shop' });
  const app = await ask<Record<'name' | 'password', string>>('POST', USERS, { name: 'app' });
  await ask('PUT', `${USERS}/ann_app/databases/ann_shop`, { level: 'owner' });
  const table = 'create table big (t text); alter table big alter t set storage external;';
  await server.as(app, table + MIB.repeat(12), 'ann_shop');
  return app;
}

/** Holds back who sets something up for the database, as `work` runs. */
async function withHeldSettings(server: CustomersServer, work: () => Promise<void>): Promise<void> {
  const holder = spawn('psql', ['-X', '-q', '-h', server.folder, '-U', 'postgres'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  holder.stdin.write("begin; alter database ann_shop set work_mem = '4MB'; select pg_sleep(60);\n");
  const asked = (what: string) => server.sql(`select count(*) from pg_stat_activity where ${what}`);
  await until('it is held', async () => (await asked("query like 'select pg_sleep(60)%'")) === '1');
  try {
    await work();
  } finally {
    await server.sql("select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(60)%'");
    holder.kill();
  }
}

test('a stop outlives its process, and goes with its account, also a closed one', async () => {
  const [here, there] = await Promise.all([CustomersServer.start(), CustomersServer.start()]);
  const { fleet, one, two } = await TestFleet.pair('database_limits');
  let first = await fleet.start(one, { ann: 'user' }, { config: configAt(here) });
  const second: TestServer = await fleet.serve(two, undefined, configAt(there));
  await fleet.areUp(one);
  const { store, plans } = second.hostkeep.core;
  const stopped = async () => {
    const [row] = await store.all<{ stage: string; end_before: string }>('select * from postgresql_stopped');
    return row && [row.stage, row.end_before !== ''];
  };
  const setLimit = async (mib: number) => {
    const { limits } = await plans.get('developer');
    await plans.update('developer', { limits: { ...limits, postgresql_limit_mib: mib } });
  };
  const app = await fill(first, here);

  await withHeldSettings(here, async () => {
    await setLimit(16);
    await until('it is about to stop', async () => (await here.sql(STOPPING)) === '1');
    await first.end('SIGKILL');
    assert.equal(await stopped(), ['read_only', false]);
  });
  await until('nothing waits', async () => (await here.sql(STOPPING)) === '0');
  await here.sql('alter database ann_shop reset all'); // what waited may have come true by then
  await here.as(app, MIB, 'ann_shop'); // nobody stops it
  first = await fleet.start(one, {}, { config: configAt(here) });
  await isAt(here, STOPPED);
  await until('it is recorded', async () => (await stopped())?.[1] === true);

  const defiance =
    'set role none; begin read write; alter role ann_app set default_transaction_read_only = off; commit;';
  await here.as(app, defiance, 'ann_shop');
  await here.as(app, MIB.repeat(40), 'ann_shop').catch((error: Error) => assert.match(error.message, /terminating/));
  await isAt(here, '{default_transaction_read_only=on}|f');
  const rows = await here.sql('select count(*) from big', 'ann_shop');

  const move = () => fleet.run(one.data, ['--config', first.settings, 'account', 'move', 'ann', '--to', 'two']);
  const { code, stderr } = await move();
  assert.is(code, 0, stderr);
  assert.is(await here.sql("select count(*) from pg_database where datname = 'ann_shop'"), '0');
  await isAt(there, '{default_transaction_read_only=on}|f');
  assert.is(await there.sql('select count(*) from big', 'ann_shop'), rows);
  await setLimit(0);
  await isAt(there, '|t');
  await until('it is forgotten', async () => (await stopped()) === undefined);
  await there.as(app, MIB, 'ann_shop');
});
