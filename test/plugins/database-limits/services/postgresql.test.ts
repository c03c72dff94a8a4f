/** Databases of PostgreSQL that reach the size of the plan: what stops who plays fair, and what stops who does not. */
import * as assert from '../../../support/assert.ts';
import limits from '../../../../plugins/database-limits/index.ts';
import { CustomersServer, LIST } from '../../../support/customers-server.ts';
import { TestServer, type RequestOptions } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [postgresql] = await needs('postgresql');
const test = testSuite('database-limits, PostgreSQL');
const USERS = '/api/postgresql/users';
const SHOP = `${LIST}/ann_shop`;
/** An empty database has some 8 MiB. */
const LIMIT = 16;
const TABLE =
  'create table big (t text) with (autovacuum_enabled = off, toast.autovacuum_enabled = off); alter table big alter t set storage external;';
const ROWS = (mib: number) => `insert into big select repeat('x', 1048576) from generate_series(1, ${mib});`;
const READ_ONLY = /cannot execute \w+( \w+)? in a read-only transaction/;
const CLOSED = /permission denied for database "ann_shop"/;
const SIZE = "select pg_database_size('ann_shop')";
const UNLIMITED = 'alter role ann_app set default_transaction_read_only = off';

type Who = Awaited<ReturnType<TestServer['user']>>;
type Secret = Record<'name' | 'password', string>;

let customers: CustomersServer;
let server: TestServer;
let ann: Who;
let app: Secret;

test.before(async () => {
  customers = await CustomersServer.start();
  server = await TestServer.start({
    plugins: [postgresql, limits],
    config: { postgresql: customers.settings, 'database-limits': { look_seconds: 0.2 } },
  });
  ann = await server.user('ann');
  await post(LIST, { name: 'shop' });
  app = await newUser('app', 'owner');
  await as('create table small (id int); insert into small values (1), (2)');
});
test.before.each(async () => {
  await setLimit(0);
  await isAt(undefined);
  await customers.sql('alter role ann_app reset default_transaction_read_only; drop table if exists big', 'ann_shop');
});

const ask = <T = Record<string, unknown>>(path: string, options: RequestOptions = {}) =>
  server.ask<T>(path, { token: ann.token, ...options });
const post = <T = Record<string, unknown>>(path: string, body: unknown) => ask<T>(path, { method: 'POST', body });
const newUser = async (suffix: string, level: string): Promise<Secret> => {
  const { body } = await post<Secret>(USERS, { name: suffix });
  const { status } = await ask(`${USERS}/${body.name}/databases/ann_shop`, { method: 'PUT', body: { level } });
  assert.is(status, 200);
  return body;
};
const setLimit = async (mib: number) => {
  const { plans } = server.hostkeep.core;
  const { limits: before } = await plans.get('developer');
  await plans.update('developer', { limits: { ...before, postgresql_limit_mib: mib } });
};
const stored = (sql: string) => server.hostkeep.core.store.all<Record<string, unknown>>(sql);
const isAt = (stage: string | undefined) =>
  until(`it is ${stage ?? 'open'}`, async () => {
    const [row] = await stored("select stage from postgresql_stopped where end_before <> ''");
    return stage === undefined
      ? (await stored('select 1 from postgresql_stopped')).length === 0
      : row?.['stage'] === stage;
  });
const as = (sql: string, who = app) => customers.as(who, sql, 'ann_shop');
const refused = (statement: Promise<unknown>, why: RegExp): Promise<void> =>
  statement.then(
    () => assert.unreachable('it ran'),
    (error: Error) => assert.match(error.message, why),
  );
/** Has a database reach the limit. */
const fill = async () => {
  await as(`${TABLE} ${ROWS(12)}`);
  await setLimit(LIMIT);
  await isAt('read_only');
  await measured(25);
};
/** Resolves once what was dropped before is not measured any more. */
const measured = (mib: number) =>
  until('it is measured', async () => {
    const [row] = await stored('select least_bytes from postgresql_stopped');
    return Number(row?.['least_bytes']) < mib * 2 ** 20;
  });
/** Has the user set back what holds for it, and write on until it has written enough, or is shut out. */
const defy = async () => {
  await as(`set role none; begin read write; ${UNLIMITED}; commit`);
  await as(ROWS(1).repeat(40)).catch((error: Error) => assert.match(error.message, /terminating connection|closed/));
};
/** Has the user begin a statement that would write, and resolves once it runs. */
const sleeping = async () => {
  const ended = refused(as('select pg_sleep(200); insert into small values (666)'), /terminating connection|closed/);
  await until('it sleeps', async () =>
    (await customers.sql('select query from pg_stat_activity where usename like $$ann%$$')).includes('sleep(200)'),
  );
  return { ended };
};
/** What the server has of the state of the database. */
const state = () =>
  customers.sql(`select coalesce((select setconfig::text from pg_db_role_setting where setdatabase = d.oid and setrole = 0), ''),
    has_database_privilege('ann_app', d.oid, 'connect') from pg_database d where datname = 'ann_shop'`);
const optimize = async () => {
  const { status, body } = await post<{ tables: { status: string }[] }>(`${SHOP}/maintenance`, { action: 'optimize' });
  assert.is(status, 200, JSON.stringify(body));
  return body.tables.map((each) => each.status);
};
const list = async () => (await ask<Record<string, unknown>>(LIST)).body;
const events = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 50)).lines.join('\n');

test('who has reached the limit adds nothing, by SQL or here', async () => {
  const { is_writing_stopped: isStopped, is_closed: isClosed, size_limit_mib: mib } = await list();
  assert.equal([isStopped, isClosed, mib], [false, false, 0]);
  const reader = await newUser('reader', 'read_write');
  await fill();
  for (const sql of ['insert into small values (3)', 'update small set id = 4', 'create table more (id int)', ROWS(1)])
    await refused(as(sql), READ_ONLY);
  await refused(as('insert into small values (3)', reader), READ_ONLY);
  const late = await newUser('late', 'read_write');
  await refused(as('insert into small values (3)', late), READ_ONLY);
  for (const [path, body] of [
    [LIST, { name: 'more' }],
    [`${SHOP}/import`, undefined],
  ] as const) {
    const { status, body: answer } = await post(path, body);
    assert.equal([status, answer['error']], [409, 'database_size_limit_reached'], path);
  }
  const shown = await list();
  assert.equal([shown['is_writing_stopped'], shown['is_closed'], shown['size_limit_mib']], [true, false, LIMIT]);
  assert.match(await events(), /has reached the 16 MiB of its PostgreSQL databases/);
  assert.match(await events(), /uses 95 % of its space for PostgreSQL databases/);
  for (const { name } of [reader, late]) await ask(`${USERS}/${name}`, { method: 'DELETE' });
});

test('who has reached the limit reads and empties, and writes again once there is room', async () => {
  await fill();
  assert.is(await as('select count(*) from big'), '12');
  assert.is((await post(`${SHOP}/query`, { statement: 'select 1' })).status, 200);
  await as('begin read write; truncate big; commit');
  await isAt(undefined);
  await as('insert into small values (2); delete from small where id = 2');
  assert.is(await state(), '|t');
  assert.match(await events(), /has room for its PostgreSQL databases again/);
});

test('rows that are deleted free their space once the table is optimized', async () => {
  await as(`${TABLE} ${ROWS(12)} create table kept (n int); insert into kept select generate_series(1, 1000)`);
  await setLimit(LIMIT);
  await isAt('read_only');
  await as('begin read write; delete from big where ctid > (select min(ctid) from big); delete from kept; commit');
  assert.equal(await optimize(), ['ok', 'ok', 'ok']);
  await isAt(undefined);
  assert.is(await as('drop table kept; select count(*) from big'), '1');
});

test('a larger plan counts at once, also for connections, which are made anew', async () => {
  await fill();
  const { ended } = await sleeping();
  await setLimit(100);
  await isAt(undefined);
  await ended;
  await as('insert into small values (5); delete from small where id = 5');
});

test('a connection that is open when the limit is reached writes no more', async () => {
  await as(`${TABLE} ${ROWS(12)}`);
  const { ended } = await sleeping();
  await setLimit(LIMIT);
  await ended;
  assert.is(await customers.sql('select count(*) from small where id = 666', 'ann_shop'), '0');
});

test('who sets back what stops it is shut out, and cannot change that', async () => {
  await fill();
  for (const sql of [
    'alter database ann_shop reset default_transaction_read_only',
    'alter database ann_shop connection limit 5',
    'alter database ann_shop owner to "ann_shop-owner"',
  ])
    await refused(as(`begin read write; ${sql}`), /must be owner of database/);
  await defy();
  await isAt('closed');
  await refused(as('select 1'), CLOSED);
  const granted = 'grant connect on database ann_shop to public, ann_app, "ann_shop-owner"';
  const late = await newUser('late', 'owner');
  await refused(as(granted, late), CLOSED);
  await refused(customers.as(app, 'select 1', 'postgres'), /permission denied for database/);
  const { body } = await post(`${SHOP}/query`, { statement: granted });
  assert.is(body['error'], 'query_failed');
  const shown = await list();
  assert.equal([shown['is_writing_stopped'], shown['is_closed']], [true, true]);
  assert.match(await events(), /wrote to its full PostgreSQL databases/);
  await ask(`${USERS}/${late.name}`, { method: 'DELETE' });
});

test('who is shut out exports and optimizes here, and is let in once there is room', async () => {
  await fill();
  const { ended } = await sleeping();
  await defy();
  await isAt('closed');
  await ended;
  const answer = await fetch(`${server.hostkeep.url('user')}${SHOP}/export`, {
    headers: { authorization: `Bearer ${ann.token}` },
  });
  const dump = await answer.arrayBuffer();
  assert.ok(answer.status === 200 && dump.byteLength > 1000, `${answer.status}, ${dump.byteLength} bytes`);
  assert.is((await post(`${SHOP}/query`, { statement: 'select count(*) from big' })).status, 200);
  assert.equal(await optimize(), ['ok', 'ok']);
  await isAt('closed');
  await setLimit(100);
  await isAt(undefined);
  assert.is(await state(), '|t');
  assert.ok(Number(await as('select count(*) from big')) >= 12);
  assert.is(await customers.sql("select count(*) from pg_roles where rolname ~ 'ann_shop-(export|query|vacuum)'"), '0');
});

test('who is shut out is let in to empty tables once optimizing has made some room', async () => {
  await fill();
  await as(`set role none; begin read write; ${UNLIMITED}; commit`);
  await as(`begin; ${ROWS(30)} rollback`).catch((error: Error) => assert.match(error.message, /terminating|closed/));
  await isAt('closed');
  assert.equal(await optimize(), ['ok', 'ok']);
  await isAt('read_only');
  await as('begin; truncate big; commit');
  await isAt(undefined);
});

test('what an index calls while a table is optimized writes nothing', async () => {
  await as(`create table log (t text);
    create function wrote() returns int language plpgsql volatile as $$ begin insert into public.log values ('x'); return 1; end $$;
    create function called(n int) returns int language plpgsql immutable as $$ begin perform public.wrote(); return n; end $$;
    create table lure (n int); insert into lure values (1), (2), (3); create index on lure (called(n)); truncate log`);
  assert.ok((await optimize()).includes('error'));
  assert.is(await as('select count(*) from log'), '0');
  await fill();
  assert.ok((await optimize()).includes('error'));
  assert.is(await as('select count(*) from log'), '0');
  await setLimit(0);
  await isAt(undefined);
  await as('drop table lure, log');
});

test('to write a table anew is no growth', async () => {
  await as(`${TABLE} create function slowly(t text) returns int language plpgsql immutable as $$ begin
      if current_setting('my.pace', true) = 'slow' then perform pg_sleep(0.1); end if; return length(t); end $$;
    create index on big (slowly(t)); ${ROWS(30)}`);
  await setLimit(LIMIT);
  await isAt('read_only');
  await measured(45);
  const rewriting = as(`set my.pace = 'slow'; vacuum full big`);
  await until('there are two copies', async () => Number(await customers.sql(SIZE)) > 60 * 2 ** 20);
  await rewriting;
  assert.is(await state(), '{default_transaction_read_only=on}|t');
  await setLimit(0);
  await isAt(undefined);
  await as('drop table big; drop function slowly');
});

test('rights that are given and databases that are made meanwhile hold afterwards', async () => {
  await fill();
  const late = await newUser('late', 'read_write');
  await defy();
  await isAt('closed');
  const later = await newUser('later', 'read_only');
  await setLimit(0);
  await isAt(undefined);
  await as('insert into small values (9)', late);
  assert.is(await as('select count(*) from small where id = 9', later), '1');
  await as('delete from small where id = 9', late);
  for (const { name } of [late, later]) await ask(`${USERS}/${name}`, { method: 'DELETE' });
});

test('what a process left half done is ended by the next one', async () => {
  await fill();
  const { store } = server.hostkeep.core;
  const lose = (sql: string) => store.write((tx) => tx.run(sql));
  // killed after it kept what it was about to do, and before it did that
  await customers.sql('alter database ann_shop reset default_transaction_read_only');
  await lose("update postgresql_stopped set end_before = ''");
  await until('it is read again', async () => (await state()) === '{default_transaction_read_only=on}|t');
  // killed after one of two steps, and with connections that began before
  const { ended } = await sleeping();
  await lose("update postgresql_stopped set end_before = '', stage = 'closed'");
  await ended;
  await isAt('read_only');
  // killed when some was open again, and before it forgot the account
  await customers.sql('alter database ann_shop reset default_transaction_read_only');
  await setLimit(100);
  await isAt(undefined);
  await as('insert into small values (6); delete from small where id = 6');
  // killed after it closed, and before it ended connections
  await setLimit(LIMIT);
  await isAt('read_only');
  await defy();
  await isAt('closed');
  await customers.sql('grant connect on database ann_shop to "ann_shop-owner", "ann_shop-read"');
  await until('it is closed again', async () => (await state()).endsWith('|f'));
  await setLimit(0);
  await isAt(undefined);
  assert.is(await state(), '|t');
});

test('an import ends when the limit is reached, and says so', async () => {
  await setLimit(LIMIT);
  const row = `insert into big values (repeat('x', 1048576)); select pg_sleep(0.1);\n`;
  const body = Buffer.from(`${TABLE}\n${row.repeat(600)}`);
  const answer = await fetch(`${server.hostkeep.url('user')}${SHOP}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.token}` },
    body,
  });
  const said = (await answer.json()) as Record<string, string>;
  assert.equal([answer.status, said['error']], [409, 'database_size_limit_reached'], JSON.stringify(said));
  assert.is(await customers.sql("select count(*) from pg_roles where rolname like '%-import'"), '0');
});

test('a suspended account keeps what it had', async () => {
  await fill();
  await server.hostkeep.core.accounts.suspend('ann');
  const canLogIn = () => customers.sql("select rolcanlogin from pg_roles where rolname = 'ann_app'");
  await until('it is locked', async () => (await canLogIn()) === 'f');
  await setLimit(100);
  await isAt(undefined);
  await refused(as('select 1'), /not permitted to log in/);
  await server.hostkeep.core.accounts.unsuspend('ann');
  ann = { ...ann, token: await server.token(ann.account) };
  await until('it is open', async () => (await canLogIn()) === 't');
  await as('insert into small values (7); delete from small where id = 7');
});

test('a database that is dropped makes room, also while nobody connects', async () => {
  await fill();
  await defy();
  await isAt('closed');
  assert.is((await ask(SHOP, { method: 'DELETE' })).status, 200);
  await isAt(undefined);
  assert.is((await post(LIST, { name: 'shop' })).status, 201);
  await ask(`${USERS}/${app.name}/databases/ann_shop`, { method: 'PUT', body: { level: 'owner' } });
  await as('create table small (id int)');
});

test('the operator sees who is over the limit', async () => {
  await fill();
  const reports = await server.hostkeep.plugins.gather('accountReport', await server.hostkeep.core.accounts.get('ann'));
  const usage = reports.flatMap((each) => (each.ok ? (each.value.usage ?? []) : []));
  const found = usage.find(({ resource }) => resource === 'postgresql_mib');
  assert.ok(found !== undefined && found.used > LIMIT && found.limit === LIMIT && found.isOver, JSON.stringify(usage));
});
