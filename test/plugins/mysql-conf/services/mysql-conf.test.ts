import { isDeepStrictEqual } from 'node:util';
import * as assert from '../../../support/assert.ts';
import mysqlConf from '../../../../plugins/mysql-conf/index.ts';
import { TestServer, type Answer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually } from '../../../support/until.ts';

const [databases, mysql] = await needs('databases', 'mysql');
const test = testSuite('mysql-conf');
const SETTINGS = '/api/database-settings';
const NONE = {
  connections: 0,
  statement_seconds: 0,
  queries_per_hour: 0,
  updates_per_hour: 0,
  connections_per_hour: 0,
};

type Who = Awaited<ReturnType<TestServer['user']>>;
type Limits = typeof NONE;
interface Settings {
  is_managed: boolean;
  databases: { name: string; character_set: string; collation: string }[];
  users: { name: string; host: string; limits: Limits }[];
  connections_limit: number;
  server: { name: string; value: string }[];
}

let mariaDb: MariaDb;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];
let passwords: Record<string, string> = {};

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start("create database zoo; create user keeper@localhost identified by 'x'");
    server = await TestServer.start({
      plugins: [databases, mysql, mysqlConf],
      config: { databases: mariaDb.settings },
    });
    ann = await server.user('ann');
    ben = await server.user('ben');
    for (const [who, name] of [
      [ann, 'app'],
      [ben, 'app'],
    ] as const) {
      const { body } = await send<{ name: string; password: string }>('POST', '/api/database-users', { name }, who);
      passwords = { ...passwords, [body.name]: body.password };
      assert.is((await send('POST', '/api/databases', { name: 'shop' }, who)).status, 201);
    }
    await mariaDb.sql("create user ann_boss@localhost identified by 'x'; grant process on *.* to ann_boss@localhost");
  });

  const send = <T = Record<string, unknown>>(method: string, path: string, body?: unknown, who = ann) =>
    server.ask<T>(path, { method, body, token: who.token });
  const settings = async (who = ann) => (await server.ask<Settings>(SETTINGS, { token: who.token })).body;
  const setLimits = (user: string, limits: object, who = ann): Promise<Answer<Record<string, unknown>>> =>
    send('PUT', `/api/database-users/${user}/limits`, { ...NONE, ...limits }, who);
  const setCollation = (database: string, collation: string, who = ann): Promise<Answer<Record<string, unknown>>> =>
    send('PUT', `/api/databases/${database}/collation`, { collation }, who);
  const limitsOf = async (user: string, who = ann) =>
    (await settings(who)).users.find(({ name }) => name === user)?.limits;
  const refused = async (promise: Promise<Answer<Record<string, unknown>>>, status: number, code: string) => {
    const { status: got, body } = await promise;
    assert.equal([got, body['error']], [status, code], JSON.stringify(body));
  };
  const picture = () =>
    mariaDb.sql(`select schema_name, default_collation_name from information_schema.schemata order by 1;
      select user, host, priv from mysql.global_priv order by 1, 2; select * from mysql.db order by 1, 2, 3`);
  const lines = async (who = ann) => (await server.hostkeep.core.events.page(who.account.id, '', 0, 20)).lines;
  /** Resolves once what is asked for is as expected. */
  const becomes = async (condition: string, ask: () => Promise<unknown>, expected: unknown) => {
    await eventually(condition, ask, (value) => isDeepStrictEqual(value, expected));
  };
  const setPlan = (connections: number) =>
    server.hostkeep.core.plans.update('developer', { limits: { db_user_connections_limit: connections } });

  test('what is no name, no number or no collation is refused, and changes nothing', async () => {
    const before = await picture();
    for (const limits of [
      { connections: -1 },
      { connections: 1.5 },
      { connections: '1; drop database zoo' },
      { statement_seconds: 86_401 },
      { queries_per_hour: 1e12 },
      { more: 1 },
    ])
      assert.is((await setLimits('ann_app', limits)).status, 400, JSON.stringify(limits));
    assert.is((await send('PUT', '/api/database-users/ann_app/limits', { connections: 1 })).status, 400);
    for (const collation of ['', 'utf8mb4_bin`; drop database zoo; #', 'UTF8MB4_BIN', 'a'.repeat(65), 'utf8mb4 bin'])
      assert.is((await setCollation('ann_shop', collation)).status, 400, collation);
    await refused(setCollation('ann_shop', 'klingon_ci'), 400, 'unknown_collation');
    assert.is(await picture(), before);
  });

  test('what is of another account, of the operator or of the server is not there', async () => {
    const before = await picture();
    for (const user of ['ben_app', 'keeper', 'root', 'ann_boss', 'ann_none', "ann_app'@'%"])
      await refused(setLimits(encodeURIComponent(user), { connections: 1 }), 404, 'database_user_not_found');
    await refused(setLimits('ann_app', { host: '%' }), 404, 'database_user_not_found');
    for (const database of ['ben_shop', 'zoo', 'mysql', 'ann_none', 'ann_shop`'])
      await refused(setCollation(encodeURIComponent(database), 'utf8mb4_bin'), 404, 'database_not_found');
    assert.is(await picture(), before);
    const { databases: shown, users } = await settings();
    assert.equal(
      shown.map(({ name }) => name),
      ['ann_shop'],
    );
    assert.equal(
      users.map(({ name }) => name),
      ['ann_app'],
    );
  });

  test('a database gets another character set, which new tables have', async () => {
    const { body: all } = await server.ask<{ collation: string; character_set: string; is_default: boolean }[]>(
      '/api/database-collations',
      { token: ann.token },
    );
    assert.ok(all.some(({ collation, character_set: set }) => collation === 'latin1_german1_ci' && set === 'latin1'));
    const defaults = all.filter((each) => each.is_default).map((each) => each.character_set);
    assert.is(defaults.length, new Set(all.map((each) => each.character_set)).size);
    const { collation: longest = '' } = all.findLast(({ character_set: set }) => set === 'utf8mb4') ?? {};
    for (const collation of [longest, 'latin1_german1_ci'])
      assert.equal((await setCollation('ann_shop', collation)).body, { changed: true });
    assert.equal((await settings()).databases, [
      { name: 'ann_shop', character_set: 'latin1', collation: 'latin1_german1_ci' },
    ]);
    await mariaDb.sql('create table ann_shop.t (a varchar(9))');
    assert.match(await mariaDb.sql('show create table ann_shop.t'), /CHARSET=latin1 COLLATE=latin1_german1_ci/);
    assert.is((await setCollation('ann_shop', 'latin1_german1_ci')).status, 200);
    const told = (await lines()).filter((line) => line.includes('latin1_german1_ci'));
    assert.is(told.length, 1, 'what is so already is no event');
    assert.match(told[0] ?? '', /User 'ann' gave the database ann_shop the collation latin1_german1_ci from IP/);
    assert.equal((await settings(ben)).databases[0]?.character_set, 'utf8mb4');
  });

  test('the server keeps the limits of a user', async () => {
    assert.equal(await limitsOf('ann_app'), NONE);
    const wanted = { connections: 1, statement_seconds: 1, queries_per_hour: 1000, updates_per_hour: 500 };
    assert.equal((await setLimits('ann_app', wanted)).body, { changed: true });
    assert.equal(await limitsOf('ann_app'), { ...NONE, ...wanted });
    assert.equal(await limitsOf('ben_app', ben), NONE);
    const password = passwords['ann_app'] ?? '';
    const ask = (sql: string) => mariaDb.query('ann_app', password, sql);
    assert.is((await ask('select 1')).trim(), '1');
    const slow = await ask('select sleep(20)').catch((error: unknown) => String(error));
    assert.match(slow, /max_statement_time exceeded|^1\n$/);
    assert.is((await setLimits('ann_app', wanted)).status, 200);
    const told = (await lines()).filter((line) => line.includes('set the limits'));
    assert.is(told.length, 1, 'what is so already is no event');
    assert.match(
      told[0] ?? '',
      /ann_app@localhost: 1 connections, 1 seconds for a statement, 1000 statements in an hour/,
    );
    await setLimits('ann_app', NONE);
    assert.equal(await limitsOf('ann_app'), NONE);
  });

  test('the plan bounds users that were there, that are made, and what is chosen', async () => {
    await mariaDb.sql(
      'create user ann_old@localhost; alter user ann_old@localhost with max_user_connections 70 max_statement_time 2.5',
    );
    await setLimits('ben_app', { connections: 50 }, ben);
    await setPlan(10);
    await becomes('those who were there are bounded', () => limitsOf('ben_app', ben), {
      ...NONE,
      connections: 10,
    });
    await becomes('an operator’s are lowered only', () => limitsOf('ann_old'), {
      ...{ ...NONE, connections: 10 },
      statement_seconds: 2.5,
    });
    assert.is((await settings()).connections_limit, 10);
    const { name, password } = (
      await send<{ name: string; password: string }>('POST', '/api/database-users', { name: 'new' })
    ).body;
    await becomes('a new one is bounded', () => limitsOf(name), { ...NONE, connections: 10 });
    assert.is((await mariaDb.query(name, password, 'select 1')).trim(), '1');
    await refused(setLimits(name, { connections: 11 }), 409, 'beyond_plan');
    assert.is((await setLimits(name, { queries_per_hour: 9 })).status, 200);
    assert.equal(await limitsOf(name), { ...NONE, connections: 10, queries_per_hour: 9 }, '0 is what the plan allows');
    assert.is((await setLimits(name, { connections: 3, queries_per_hour: 9 })).status, 200);
    assert.equal(await limitsOf(name), { ...NONE, connections: 3, queries_per_hour: 9 });
    await setPlan(0);
    await becomes('they have their own limits again', () => limitsOf(name), {
      ...NONE,
      queries_per_hour: 9,
      connections: 3,
    });
    await becomes('so has another account', () => limitsOf('ben_app', ben), { ...NONE, connections: 50 });
    await becomes('and what an operator set', () => limitsOf('ann_old'), {
      ...{ ...NONE, connections: 70 },
      statement_seconds: 2.5,
    });
    for (const gone of [name, 'ann_old']) assert.is((await send('DELETE', `/api/database-users/${gone}`)).status, 200);
  });

  test('users of one name at several hosts have limits of their own', async () => {
    assert.is((await send('POST', '/api/database-users', { name: 'app', host: '%' })).status, 201);
    await refused(setLimits('ann_app', { connections: 2 }), 404, 'database_user_not_found');
    assert.is((await setLimits('ann_app', { host: '%', connections: 2 })).status, 200);
    const byHost = (await settings()).users.map(({ host, limits }) => [host, limits.connections]);
    assert.equal(byHost, [
      ['%', 2],
      ['localhost', 0],
    ]);
    assert.is((await send('DELETE', '/api/database-users/ann_app?host=%25')).status, 200);
  });

  test('a change that the server did not answer is ended once it does', async () => {
    await mariaDb.stop('SIGKILL');
    await refused(setLimits('ann_app', { connections: 4 }), 503, 'databases_unavailable');
    await refused(setCollation('ann_shop', 'utf8mb4_bin'), 503, 'databases_unavailable');
    await refused(server.ask(SETTINGS, { token: ann.token }), 503, 'databases_unavailable');
    await mariaDb.up();
    assert.equal((await limitsOf('ann_app'))?.connections, 0, 'nothing was kept of what was refused');
    const { store } = server.hostkeep.core;
    const { id } = ann.account;
    await store.write(async (tx) => {
      // as a process leaves them that is killed before it asks the server
      const row = "insert into mysql_collation_changes (account_id, name, wanted, ip) values (?, ?, 'utf8mb4_bin', '')";
      for (const name of ['ann_shop', 'ann_gone']) await tx.run(row, id, name);
      const own = JSON.stringify({ ...NONE, connections: 4 });
      await tx.run("update mysql_user_limits set own = ? where account_id = ? and name = 'ann_app'", own, id);
    });
    await setPlan(100);
    await becomes('limits are in force', async () => (await limitsOf('ann_app'))?.connections, 4);
    await becomes('no change is left', () => store.all('select 1 from mysql_collation_changes'), []);
    assert.equal((await settings()).databases[0]?.collation, 'utf8mb4_bin');
    const told = (await lines()).filter((line) => line.includes('utf8mb4_bin'));
    assert.is(told.length, 1);
    await setPlan(0);
  });
}
