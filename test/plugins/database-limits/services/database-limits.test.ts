/** Databases that reach the size of the plan: what their users lose, keep and get back. */
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import type { DatabaseSessions } from '../../../../kernel/areas/database-servers.ts';
import limits from '../../../../plugins/database-limits/index.ts';
import { TestServer, type RequestOptions } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [databases, mysql] = await needs('databases', 'mysql');
const test = testSuite('database-limits');
const ALL = ['ALTER', 'CREATE', 'DELETE', 'DROP', 'INDEX', 'INSERT', 'SELECT', 'UPDATE'];
const KEPT = ['DELETE', 'DROP', 'SELECT'];
/** Some 5 MiB. */
const FILL = "create table big (t longtext); insert into big select repeat('x', 1048576) from seq_1_to_5;";

type Who = Awaited<ReturnType<TestServer['user']>>;
type Secret = Record<'name' | 'host' | 'password', string>;
type User = Secret & { access: { database: string; privileges: string[] }[] };

let sessions: DatabaseSessions | undefined;
/** A tool that opens the databases of accounts for a while. */
const tool = definePlugin({
  name: 'tool',
  features: [],
  uses: ['mysql'],
  routes: {},
  setup(host) {
    sessions = host.peer<DatabaseSessions>('mysql');
    return { handlers: {} };
  },
});

let mariaDb: MariaDb;
let server: TestServer;
let ann: Who;
let app: Secret;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    server = await TestServer.start({
      plugins: [databases, mysql, limits, tool],
      config: {
        databases: { ...mariaDb.settings, refresh_seconds: 0.1 },
        'database-limits': { look_seconds: 0.2 },
      },
    });
    ann = await server.user('ann');
    await post('/api/databases', { name: 'shop' });
    app = (await post<Secret>('/api/database-users', { name: 'app' })).body;
    await setAccess(app.name, ALL);
    await mariaDb.sql('use ann_shop; create table small (id int); insert into small values (1), (2)');
  });
  test.before.each(async () => {
    await setLimit(0);
    await mariaDb.sql('use ann_shop; drop table if exists big');
    await setAccess(app.name, ALL);
    await isStopped(false);
    await until('what was dropped is not measured any more', async () => {
      const [shop] = (await ask<{ 'Size (MB)': number }[]>('/api/mysql-size')).body;
      return (shop?.['Size (MB)'] ?? 0) < 1;
    });
  });

  const ask = <T = Record<string, unknown>>(path: string, options: RequestOptions = {}) =>
    server.ask<T>(path, { token: ann.token, ...options });
  const post = <T = Record<string, unknown>>(path: string, body: unknown) => ask<T>(path, { method: 'POST', body });
  const setAccess = (user: string, privileges: string[]) =>
    until('no other change is in progress', async () => {
      const path = `/api/database-users/${user}/databases/ann_shop`;
      const { status } = await ask(path, { method: 'PUT', body: { privileges } });
      return status === 200;
    });
  const setLimit = async (mib: number) => {
    const { plans } = server.hostkeep.core;
    const { limits: before } = await plans.get('developer');
    await plans.update('developer', { limits: { ...before, mysql_limit_mib: mib } });
  };
  const list = async () => (await ask<{ is_writing_stopped: boolean; size_limit_mib: number }>('/api/databases')).body;
  const isStopped = (expected: boolean) =>
    until(expected ? 'it is stopped' : 'it goes on', async () => {
      const rows = await stored('select is_done from mysql_stopped');
      return expected ? rows.some(({ is_done: done }) => done === 1) : rows.length === 0;
    });
  const stored = (sql: string) => server.hostkeep.core.store.all<Record<string, unknown>>(sql);
  const as = (sql: string, { name, password } = app) => mariaDb.query(name, password, `use ann_shop; ${sql}`);
  const refused = (statement: Promise<unknown>, why = /denied/): Promise<void> =>
    statement.then(
      () => assert.unreachable('it ran'),
      (error: Error) => assert.match(error.message, why),
    );
  const granted = async (user: string) => {
    const text = await mariaDb.sql(`show grants for ${user}@localhost`);
    return (/GRANT (.*) ON `ann\\\\_shop`/.exec(text)?.[1] ?? '').split(', ').toSorted();
  };
  const shown = async (user: string) => {
    const found = (await ask<User[]>('/api/database-users')).body.find(({ name }) => name === user);
    return found?.access.find(({ database }) => database === 'ann_shop')?.privileges;
  };
  const fill = async () => {
    await as(FILL);
    await setLimit(4);
    await isStopped(true);
  };
  const events = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 50)).lines.join('\n');

  test('who has reached the limit adds nothing, by SQL or here', async () => {
    const { is_writing_stopped: isStoppedNow, size_limit_mib: limitMib } = await list();
    assert.equal([isStoppedNow, limitMib], [false, 0]);
    await fill();
    for (const sql of [
      'insert into small values (3)',
      'update small set id = 4',
      'create table more (id int)',
      'alter table small add x longtext',
      'create index i on small (id)',
      'create table copy as select * from big',
      'replace into small values (1)',
    ])
      await refused(as(sql));
    for (const [path, body] of [
      ['/api/databases', { name: 'more' }],
      ['/api/databases/ann_shop/import', undefined],
    ] as const) {
      const { status, body: answer } = await post(path, body);
      assert.equal([status, answer['error']], [409, 'database_size_limit_reached'], path);
    }
    assert.ok((await list()).is_writing_stopped);
    assert.match(await events(), /has reached the 4 MiB of its databases/);
    assert.match(await events(), /uses 95 % of its space for databases/);
  });

  test('who has reached the limit reads, deletes, and writes again once there is room', async () => {
    await fill();
    assert.equal(await granted(app.name), KEPT);
    assert.equal(await shown(app.name), ALL); // as the account has set it
    assert.is(await as('select count(*) from big; delete from small where id = 2; select * from small'), '5\n1\n');
    assert.is((await post('/api/databases/ann_shop/query', { statement: 'select 1' })).status, 200);
    const done = await post('/api/databases/ann_shop/maintenance', { action: 'optimize' });
    assert.is(done.status, 200);
    await as('truncate table big');
    await isStopped(false);
    assert.equal(await granted(app.name), ALL);
    await as('insert into small values (2)');
    assert.equal(await stored('select * from mysql_withheld'), []);
    assert.match(await events(), /has room for its databases again/);
  });

  test('rows that are deleted free their space once the table is optimized', async () => {
    await fill();
    await as('delete from big');
    const done = await post('/api/databases/ann_shop/maintenance', { action: 'optimize' });
    assert.is(done.status, 200, JSON.stringify(done.body));
    await isStopped(false);
  });

  test('a larger plan counts at once', async () => {
    await fill();
    await setLimit(100);
    await isStopped(false);
    await as('insert into small values (5)');
  });

  test('a connection that is open when the limit is reached writes no more', async () => {
    await as(FILL);
    const open = refused(as('select sleep(600); insert into small values (666)'), /Lost connection|gone away|closed/i);
    await until('it sleeps', async () => (await mariaDb.sql('show processlist')).includes('sleep(600)'));
    await setLimit(4);
    await open;
    assert.is((await mariaDb.sql('select count(*) from ann_shop.small where id = 666')).trim(), '0');
  });

  test('rights that are set meanwhile hold afterwards, and give nothing before', async () => {
    await fill();
    const late = (await post<Secret>('/api/database-users', { name: 'late' })).body;
    await setAccess(late.name, ['INSERT', 'SELECT']);
    await setAccess(app.name, ['CREATE', 'SELECT']);
    await refused(as('insert into small values (7)', late));
    await refused(as('create table more (id int)'));
    assert.equal(
      [await shown(late.name), await shown(app.name)],
      [
        ['INSERT', 'SELECT'],
        ['CREATE', 'SELECT'],
      ],
    );
    await setLimit(100);
    await isStopped(false);
    assert.equal(
      [await granted(late.name), await granted(app.name)],
      [
        ['INSERT', 'SELECT'],
        ['CREATE', 'SELECT'],
      ],
    );
    await ask(`/api/database-users/${late.name}`, { method: 'DELETE' });
  });

  test('rights that are taken meanwhile, and dropped users, do not come back', async () => {
    const gone = (await post<Secret>('/api/database-users', { name: 'gone' })).body;
    await setAccess(gone.name, ALL);
    await fill();
    assert.is((await ask(`/api/database-users/${gone.name}`, { method: 'DELETE' })).status, 200);
    await post('/api/database-users', { name: 'gone' });
    const path = `/api/database-users/${app.name}/databases/ann_shop`;
    assert.is((await ask(path, { method: 'DELETE' })).status, 200);
    await setLimit(100);
    await isStopped(false);
    assert.equal([await granted('ann_gone'), await granted(app.name)], [[''], ['']]);
    await ask(`/api/database-users/${gone.name}`, { method: 'DELETE' });
  });

  test('a session of a tool that is opened meanwhile writes only once there is room', async () => {
    await fill();
    if (sessions === undefined) throw new Error('the plugin mysql gave no sessions');
    const login = await sessions.open(ann.account);
    const session = { name: login.user, host: 'localhost', password: login.password };
    await refused(as('insert into small values (8)', session));
    assert.is(await as('select count(*) from big', session), '5\n');
    await setLimit(100);
    await isStopped(false);
    await as('insert into small values (8); delete from small where id = 8', session);
    await sessions.close(ann.account);
  });

  test('what the operator grants by SQL meanwhile is withheld, too', async () => {
    await fill();
    await mariaDb.sql('grant insert, update on `ann\\_shop`.* to ann_app@localhost');
    await until('it is withheld', async () => (await granted(app.name)).join() === KEPT.join());
    await setLimit(100);
    await isStopped(false);
    assert.equal(await granted(app.name), ALL);
  });

  test('a user who has nothing but writing has it back afterwards', async () => {
    await setAccess(app.name, ['INSERT']);
    await mariaDb.sql(`use ann_shop; ${FILL}`);
    await setLimit(4);
    await isStopped(true);
    assert.equal([await granted(app.name), await shown(app.name)], [[''], ['INSERT']]);
    await setLimit(100);
    await isStopped(false);
    assert.equal(await granted(app.name), ['INSERT']);
  });

  test('what a process left half done is ended by the next one', async () => {
    await fill();
    const { store } = server.hostkeep.core;
    // killed after it kept what it was about to take, and when connections were still open
    await mariaDb.sql('grant insert on `ann\\_shop`.* to ann_app@localhost');
    await store.write((tx) => tx.run('update mysql_stopped set is_done = 0'));
    await isStopped(true);
    assert.equal(await granted(app.name), KEPT);
    // killed after it gave back one right, and before it forgot that
    await mariaDb.sql('grant alter on `ann\\_shop`.* to ann_app@localhost');
    await setLimit(100);
    await isStopped(false);
    assert.equal(await granted(app.name), ALL);
    // killed after it had forgotten the account, and not yet what was taken
    await mariaDb.sql('revoke insert on `ann\\_shop`.* from ann_app@localhost');
    await store.write((tx) =>
      tx.run(
        'insert into mysql_withheld (account_id, name, host, pattern, privileges) values (?, ?, ?, ?, ?)',
        ...[ann.account.id, app.name, 'localhost', 'ann\\_shop', '["INSERT"]'],
      ),
    );
    await until('it is given back', async () => (await stored('select * from mysql_withheld')).length === 0);
    assert.equal(await granted(app.name), ALL);
  });

  test('an import ends when the limit is reached, and says so', async () => {
    await setLimit(4);
    const row = `insert into big values (repeat('x', 1048576)); select sleep(0.2);\n`;
    const body = Buffer.from(`create table big (t longtext);\n${row.repeat(300)}`);
    const answer = await fetch(`${server.hostkeep.url('user')}/api/databases/ann_shop/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}` },
      body,
    });
    const said = (await answer.json()) as Record<string, string>;
    assert.equal([answer.status, said['error']], [409, 'database_size_limit_reached'], JSON.stringify(said));
    assert.is((await mariaDb.sql("select count(*) from mysql.user where user like '%-import'")).trim(), '0');
  });

  test('a suspended account keeps what it had', async () => {
    await fill();
    await server.hostkeep.core.accounts.suspend('ann');
    await until('it is locked', () =>
      as('select 1').then(
        () => false,
        () => true,
      ),
    );
    await setLimit(100);
    await isStopped(false);
    assert.equal(await granted(app.name), ALL);
    await refused(as('select 1'), /locked/);
    await server.hostkeep.core.accounts.unsuspend('ann');
    ann = { ...ann, token: await server.token(ann.account) };
    await until('it is open', () => as('select 1').then(Boolean, () => false));
  });

  test('the operator sees who is over the limit', async () => {
    await fill();
    const reports = await server.hostkeep.plugins.gather(
      'accountReport',
      await server.hostkeep.core.accounts.get('ann'),
    );
    const usage = reports.flatMap((each) => (each.ok ? (each.value.usage ?? []) : []));
    const found = usage.find(({ resource }) => resource === 'mysql_mib');
    assert.ok(found !== undefined && found.used > 4 && found.limit === 4 && found.isOver, JSON.stringify(usage));
  });
}
