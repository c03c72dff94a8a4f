/** Tables of PostgreSQL that are vacuumed and analysed. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { pick } from '../../../support/lists.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { CustomersServer, LIST, makeDatabase, startOver } from '../../../support/customers-server.ts';

const test = testSuite('postgresql, maintenance');
type Who = Awaited<ReturnType<TestServer['user']>>;
interface Maintained {
  tables: { table: string; status: string; text: string }[];
  total: number;
  error?: string;
}

let customers: CustomersServer;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];

test.before(async () => {
  customers = await CustomersServer.start();
  server = await TestServer.start({ plugins: [postgresql], config: { postgresql: customers.settings } });
  [ann, ben] = [await server.user('ann'), await server.user('ben')];
  await makeDatabase(server, ben, 'own');
});
test.before.each(() => startOver(server, ann, 'shop'));

const maintain = (database = 'ann_shop', who = ann, action = 'optimize') =>
  server.ask<Maintained>(`${LIST}/${encodeURIComponent(database)}/maintenance`, {
    ...{ token: who.token, method: 'POST', body: { action } },
  });
const maintained = async (action?: string) => {
  const { status, body } = await maintain('ann_shop', ann, action);
  assert.is(status, 200, JSON.stringify(body));
  return body;
};
const asOwner = (text: string) => customers.sql(`set role "ann_shop-owner"; ${text}`, 'ann_shop');
const running = async (text: string) =>
  (await customers.sql('select query from pg_stat_activity where pid <> pg_backend_pid()')).includes(text);
/** Holds a table until the function that it resolves with is called. */
const lock = async (table: string) => {
  const locking = asOwner(`begin; lock table ${table}; select pg_sleep(600)`).catch(() => undefined);
  await until('it is locked', () => running('pg_sleep(600)'));
  return async () => {
    await customers.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(6%' and pid <> pg_backend_pid()",
    );
    await locking;
  };
};
const changes = () => server.hostkeep.core.store.all("select * from postgresql_items where change <> ''");
const nothingIsLeft = () =>
  until(
    'nothing is left',
    async () =>
      (await customers.sql("select rolname from pg_roles where rolname ~ '-(optimize|check|repair)$'")) === '' &&
      (await changes()).length === 0,
  );
const lines = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 3)).lines.join('\n');

test("another account's and missing databases are not reached", async () => {
  for (const database of ['ben_own', 'postgres', 'ann_none', '%', 'ann_shop"; drop database ben_own; --', "' or '1"]) {
    const { status, body } = await maintain(database);
    assert.equal([status, body.error], [404, 'database_not_found'], database);
  }
  assert.is((await maintain('ann_shop', ben)).status, 404);
  for (const action of ['', 'full', 'reindex']) assert.is((await maintain('ann_shop', ann, action)).status, 400);
  await nothingIsLeft();
});

test('each table has a row, and room and statistics are renewed', async () => {
  assert.equal(await maintained(), { tables: [], total: 0 });
  await asOwner(`create table t (id int primary key, name text); insert into t select n, n from generate_series(1, 5000) n;
    delete from t where id > 100; create schema more; create table more."A ""b""; drop table t; --" (id int);
    create materialized view m as select count(*) as n from t; create view v as select 1;
    create materialized view later as select 1 with no data;
    create table parts (id int) partition by range (id); create table part partition of parts for values from (0) to (9)`);
  const before = await customers.sql("select pg_relation_size('t')", 'ann_shop');
  assert.equal(await maintained(), {
    tables: [
      { table: 'more.A "b"; drop table t; --', status: 'ok', text: '' },
      { table: 'public.m', status: 'ok', text: '' },
      { table: 'public.part', status: 'ok', text: '' },
      { table: 'public.t', status: 'ok', text: '' },
    ],
    total: 4,
  });
  const after = await customers.sql("select pg_relation_size('t')", 'ann_shop');
  assert.ok(Number(after) < Number(before), `${before} ${after}`);
  assert.is(await customers.sql("select reltuples from pg_class where relname = 't'", 'ann_shop'), '100');
  assert.match(await lines(), /optimized the tables of the PostgreSQL database ann_shop/);
  await nothingIsLeft();
});

test('what an index calls has no rights beyond the database', async () => {
  await asOwner(`create function who(n int) returns int language plpgsql immutable as
      $$ begin raise warning 'as %', current_user; return n; end $$;
    create table t (id int); create index on t (public.who(id)); insert into t values (1)`);
  await customers.sql('create table operators (id int)', 'ann_shop');
  const { tables } = await maintained();
  assert.equal(pick(tables, 'status'), ['note', 'note'], JSON.stringify(tables));
  assert.match(tables[0]?.text ?? '', /permission denied|only table or database owner/, JSON.stringify(tables));
  assert.is(tables[1]?.text, 'as ann_shop-owner');
  await asOwner(`create or replace function who(n int) returns int language plpgsql immutable as
      $$ begin raise exception E'no\\x1b[31m\\n%', repeat('x', 1000); end $$`);
  const failed = (await maintained()).tables[1];
  assert.equal([failed?.status, failed?.text.length], ['error', 500]);
  assert.match(failed?.text ?? '', /^no\\x1b\[31m\\x0ax+$/);
});

test('a damaged table has an error, and the others are done', async () => {
  await asOwner('create table a (id int); create table b (id int); insert into b values (1); create table c (id int)');
  const file = await customers.sql("select pg_relation_filepath('b')", 'ann_shop');
  await customers.sql('checkpoint');
  rmSync(join(customers.folder, 'data', file));
  const { tables } = await maintained();
  assert.equal(pick(tables, 'status'), ['ok', 'error', 'ok'], JSON.stringify(tables));
  assert.match(tables[1]?.text ?? '', /could not open file/);
});

test('a check finds values that cannot be read, and indexes that do not count', async () => {
  await asOwner(`create table a (id int primary key, name text); insert into a values (1, 'x');
    create table b (id int, name text); alter table b alter name set storage external;
    insert into b values (1, repeat('x', 100000)); create index b_id on b (id); create table c (n int)`);
  const ok = [
    { table: 'public.a', status: 'ok', text: '' },
    { table: 'public.b', status: 'ok', text: '' },
    { table: 'public.c', status: 'ok', text: '' },
  ];
  assert.equal(await maintained('check'), { tables: ok, total: 3 });
  assert.equal(await maintained('repair'), { tables: ok, total: 3 });
  assert.match(await lines(), /made the indexes of the PostgreSQL database ann_shop anew/);
  await customers.sql("update pg_index set indisvalid = false where indexrelid = 'b_id'::regclass", 'ann_shop');
  await asOwner('create index on a (name)');
  // as if the library that sorts had been renewed
  const isLocale = "attrelid = 'pg_database'::regclass and attname in ('daticulocale', 'datlocale')";
  const locale = await customers.sql(`select attname from pg_attribute where ${isLocale}`);
  const sorts = `datlocprovider = 'i', ${locale} = 'und', datcollversion = '0.1'`;
  await customers.sql(`update pg_database set ${sorts} where datname = 'ann_shop'`);
  const faults = {
    a: 'the index a_name_idx was sorted by another version of the collation',
    b: 'the index b_id was not finished',
  };
  const told = async (action: string) =>
    (await maintained(action)).tables.slice(0, 2).map(({ status, text }) => ({ status, text }));
  assert.equal(await told('check'), [
    { status: 'error', text: faults.a },
    { status: 'error', text: faults.b },
  ]);
  assert.equal(await told('repair'), [
    { status: 'repaired', text: faults.a },
    { status: 'repaired', text: faults.b },
  ]);
  assert.equal((await maintained('check')).tables, ok);
  const values = await customers.sql("select reltoastrelid from pg_class where oid = 'b'::regclass", 'ann_shop');
  const name = await customers.sql(`select ${values}::regclass`, 'ann_shop');
  const kind = (letter: string) =>
    customers.sql(`update pg_class set relkind = '${letter}' where oid = ${values}`, 'ann_shop');
  await kind('r');
  await customers.sql(`delete from ${name}`, 'ann_shop');
  await kind('t');
  const [, broken] = (await maintained('check')).tables;
  assert.equal([broken?.status, /chunk/.test(broken?.text ?? '')], ['error', true], broken?.text);
  await nothingIsLeft();
});

test('a table that somebody holds costs a bounded wait', async () => {
  await asOwner('create table a (id int); create table b (id int)');
  const release = await lock('a');
  const asked = maintain();
  await until('it waits', () => running('vacuum (analyze)'));
  const [next, tooMany] = [maintain(), maintain()];
  const refused = await Promise.race([next, tooMany]);
  assert.equal([refused.status, refused.body.error], [503, 'overloaded']);
  const { tables } = (await asked).body;
  assert.equal(pick(tables, 'status'), ['error', 'ok'], JSON.stringify(tables));
  assert.match(tables[0]?.text ?? '', /lock timeout/);
  await release();
  assert.equal([(await next).status, (await tooMany).status].toSorted(), [200, 503]);
});

test('what runs ends with the request', async () => {
  await asOwner('create table a (id int)');
  const release = await lock('a');
  const abort = new AbortController();
  const given = fetch(`${server.hostkeep.url('user')}${LIST}/ann_shop/maintenance`, {
    ...{ method: 'POST', body: '{"action":"optimize"}', signal: abort.signal },
    headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
  }).then(
    () => 'answered',
    () => 'gone',
  );
  await until('it waits', () => running('vacuum (analyze)'));
  assert.is(
    (await server.ask(`${LIST}/ann_shop`, { token: ann.token, method: 'DELETE' })).body['error'],
    'request_in_progress',
  );
  abort.abort();
  assert.is(await given, 'gone');
  await nothingIsLeft();
  assert.is(await running('vacuum (analyze)'), false);
  assert.match(await lines(), /optimized a part of the tables of the PostgreSQL database ann_shop/);
  await release();
});

test('a server that goes away is a 503, and what it left is ended once it is back', async () => {
  await asOwner('create table a (id int)');
  await lock('a');
  const asked = maintain();
  await until('it waits', () => running('vacuum (analyze)'));
  customers.postgres.stop('immediate');
  const { status, body } = await asked;
  assert.equal([status, body.error], [503, 'databases_unavailable']);
  customers.postgres.serve(['fsync=off', 'max_connections=60']);
  await nothingIsLeft();
  assert.equal(pick((await maintained()).tables, 'status'), ['ok']);
});
