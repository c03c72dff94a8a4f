/** Databases that are exported, imported and queried, and statements that are meant to reach further. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as assert from '../../../support/assert.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { pick } from '../../../support/lists.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { CustomersServer, LIST, makeDatabase, startOver } from '../../../support/customers-server.ts';

const test = testSuite('postgresql, transfers');
type Who = Awaited<ReturnType<TestServer['user']>>;

let customers: CustomersServer;
let server: TestServer;
const folder = temporaryFolder();
let [ann, ben] = [] as unknown as [Who, Who];

const CONTENTS = `
  create extension pgcrypto;
  create table t (id serial primary key, name text, raw bytea, changed int default 0);
  insert into t (name, raw) values (E'ä ; \\\\. \\n\\\\.\\n', '\\x00ff0d0a'), ('\\! rm', null);
  create view v as select id, name from t;
  create materialized view m as select count(*) as n from t;
  create function f(n int) returns int language plpgsql as $$ begin return n + 1; end $$;
  create function g() returns int begin atomic select 1; select 2; end;
  create function tr() returns trigger language plpgsql as 'begin new.changed = 1; return new; end';
  create trigger before_t before insert on t for each row execute function tr();
  create schema more; create table more.u (id int); insert into more.u select generate_series(1, 5000);
  comment on table t is 'a; comment';`;

test.before(async () => {
  customers = await CustomersServer.start();
  server = await TestServer.start({
    plugins: [postgresql],
    config: { postgresql: { ...customers.settings, import_max_bytes: 8 << 20 } },
  });
  [ann, ben] = [await server.user('ann'), await server.user('ben')];
  await makeDatabase(server, ben, 'own');
  await customers.sql('create table secret (id int); insert into secret values (42)', 'ben_own');
});
test.before.each(() => startOver(server, ann, 'shop'));

/** Runs statements as the owners of a database, without the rights of the superuser. */
const asOwner = (database: string, sql: string) =>
  customers.sql(`set session authorization "${database}-owner"; ${sql}`, database);
const send = (path: string, init: RequestInit & { duplex?: 'half' } = {}, who = ann) =>
  fetch(server.hostkeep.url('user') + path, { ...init, headers: { authorization: `Bearer ${who.token}` } });
const fetchDump = (database: string, who = ann) => send(`${LIST}/${database}/export`, {}, who);
const load = async (database: string, body: string | Uint8Array, who = ann) => {
  const answer = await send(`${LIST}/${database}/import`, { method: 'POST', body: Buffer.from(body) }, who);
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};
const loaded = async (database: string, body: string | Uint8Array) => {
  const answer = await load(database, body);
  assert.equal([answer.status, answer.body], [200, { changed: true }], JSON.stringify(answer.body));
};
const fails = async (body: string | Uint8Array, detail: RegExp) => {
  const answer = await load('ann_shop', body);
  assert.equal(
    [answer.status, answer.body['error']],
    [422, 'import_failed'],
    JSON.stringify([body.slice(0, 99), answer.body]),
  );
  assert.match(answer.body['detail'] ?? '', detail);
};
const temporary = () => customers.sql("select rolname from pg_roles where rolname ~ '-(import|export|query)$'");
const roles = () => customers.sql('select * from pg_roles order by 1; select * from pg_auth_members order by 1, 2');
const changes = () => server.hostkeep.core.store.all("select * from postgresql_items where change <> ''");
const running = async (text: string) => (await customers.sql('select query from pg_stat_activity')).includes(text);
const lines = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 3)).lines.join('\n');
const query = (statement: string, database = 'ann_shop') =>
  server.ask<{ columns: string[]; rows: (string | null)[][]; truncated: boolean; error?: string; detail?: string }>(
    `${LIST}/${database}/query`,
    { token: ann.token, method: 'POST', body: { statement } },
  );

test("another account's and missing databases are not reached", async () => {
  for (const name of ['ben_own', 'postgres', 'ann_none']) {
    assert.is((await fetchDump(name)).status, 404);
    assert.is((await load(name, 'select 1')).status, 404);
    assert.is((await query('select 1', name)).status, 404);
    assert.is((await server.ask(`${LIST}/${name}/tables`, { token: ann.token })).status, 404);
  }
  assert.is((await fetchDump('ann_shop', ben)).status, 404);
});

test('what is exported is all there after an import, and the owners own it', async () => {
  await asOwner('ann_shop', CONTENTS);
  const answer = await fetchDump('ann_shop');
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('content-type'), 'application/gzip');
  assert.match(answer.headers.get('content-disposition') ?? '', /ann_shop\.sql\.gz$/);
  const dump = Buffer.from(await answer.arrayBuffer());
  await until('its user is gone', async () => (await temporary()) === '');
  for (const [name, body] of [
    ['copy', dump],
    ['again', gunzipSync(dump)],
  ] as const) {
    await makeDatabase(server, ann, name);
    await loaded(`ann_${name}`, body);
    for (const sql of [
      'select * from t order by id',
      'select * from v',
      'select n from m',
      'select sum(id) from more.u',
      'select f(1), g()',
    ])
      assert.is(await customers.sql(sql, `ann_${name}`), await customers.sql(sql, 'ann_shop'), sql);
    const owners = `select distinct tableowner from pg_tables where schemaname in ('public', 'more')`;
    assert.is(await customers.sql(owners, `ann_${name}`), `ann_${name}-owner`);
    await asOwner(`ann_${name}`, "insert into t (name) values ('z'); drop schema more cascade");
  }
  assert.match(await lines(), /imported a dump into the PostgreSQL database ann_again/);
  assert.is(await temporary(), '');
  assert.equal(await changes(), []);
});

test('tables are shown with rows and sizes', async () => {
  await asOwner('ann_shop', `${CONTENTS} analyze more.u`);
  const { body } = await server.ask<{
    tables: { name: string; kind: string; rows: number; size_bytes: number }[];
    total: number;
  }>(`${LIST}/ann_shop/tables`, { token: ann.token });
  assert.is(body.total, 4);
  assert.equal(pick(body.tables, 'name'), ['u', 'm', 't', 'v']);
  assert.equal([body.tables[0]?.rows, body.tables[3]?.kind, body.tables[3]?.size_bytes], [5000, 'view', 0]);
  assert.ok((body.tables[0]?.size_bytes ?? 0) > 100_000);
});

test('a dump reaches nothing but its database', async () => {
  const file = join(folder, 'made');
  const before = await roles();
  for (const statement of [
    'create database ann_more;',
    'drop database ben_own;',
    'create role ann_x;',
    'alter role "ann_shop-import" superuser;',
    'set role postgres;',
    'set session authorization postgres;',
    `alter system set port = 1;`,
    `copy (select 1) to '${file}';`,
    `copy (select 1) to program 'touch ${file}';`,
    `create table t (line text); copy t from '/etc/passwd';`,
    `select pg_read_file('/etc/passwd');`,
    `select lo_import('/etc/passwd');`,
    `select lo_export(lo_create(0), '${file}');`,
    `create function f() returns int language c as '/tmp/x', 'y';`,
    'create language plperlu;',
    'create extension dblink;',
    'create event trigger e on ddl_command_end execute function pg_catalog.now();',
    'alter database ann_shop set role = postgres;',
    `\\! touch ${file}`,
    `\\copy (select 1) to '${file}'`,
    `\\i ${file}`,
    `\\o ${file}`,
    `select 1 \\g ${file}`,
    '\\connect ben_own',
    '\\set x `touch made`',
  ])
    await fails(`select 1;\n${statement}\nselect 2;\n`, /^line [23]: /);
  assert.is(existsSync(file), false);
  assert.is(await temporary(), '');
  assert.is(await roles(), before);
  assert.equal(await changes(), []);
});

test('owners and rights in a dump do not stop it, and do not count', async () => {
  await loaded(
    'ann_shop',
    `create table t (id int);\nALTER TABLE public.t OWNER TO root;\nGRANT ALL ON TABLE public.t TO "ben_own-owner";
      REVOKE ALL ON t FROM PUBLIC; alter default privileges for role root grant all on tables to root;
      set transaction_timeout = 0; comment on extension plpgsql is 'x';
      reset role; set role none; create table mine (id int);`,
  );
  const owners = await customers.sql(
    'select distinct tableowner from pg_tables where schemaname = current_schema',
    'ann_shop',
  );
  assert.is(owners, 'ann_shop-owner');
  assert.is(await temporary(), '');
});

test('an import that fails names the line, and leaves what was before it', async () => {
  await fails(
    'create table t (id int);\ninsert into t values (1);\n\ninsert into no_such\n values (1);\n',
    /^line 4: .*no_such/,
  );
  await fails('\n\nselect 1,\n  no_such;', /^line 4: /);
  await fails('copy t from stdin;\n1\nx\n\\.\n', /^line 1: .*integer/);
  await fails('copy t from stdin;\n1\n', /line \d: the rows have no end/);
  await fails('PGDMP\u0001', /archive of pg_dump/);
  assert.is(await customers.sql('select * from t', 'ann_shop'), '1');
  assert.match(await lines(), /imported a part of a dump into the PostgreSQL database ann_shop/);
  const dump = gzipSync('create table u (id int);\n'.padEnd(1 << 20, '-- \n'));
  await fails(dump.subarray(0, dump.length - 20), /gzip/);
  await fails(gzipSync(Buffer.alloc(9 << 20, '-- \n')), /at most 8388608 bytes/);
  assert.equal(await changes(), []);
});

test('an import that its client gives up ends, and so does its user', async () => {
  const abort = new AbortController();
  const given = send(`${LIST}/ann_shop/import`, {
    ...{ method: 'POST', duplex: 'half', signal: abort.signal },
    body: new ReadableStream({
      start: (controller) =>
        controller.enqueue(Buffer.from(`create table t (id int); select pg_sleep(600);${' '.repeat(200)}\n`)),
    }),
  }).then(
    () => 'answered',
    () => 'gone',
  );
  await until('it runs', () => running('pg_sleep(600)'));
  assert.equal((await query('select 1')).body.error, 'request_in_progress');
  abort.abort();
  assert.is(await given, 'gone');
  await until('nothing is left', async () => (await temporary()) === '' && (await changes()).length === 0);
  assert.is(await running('pg_sleep(600)'), false);
});

test('what an import left whose process was killed is ended by the next one', async () => {
  await customers.sql('create role "ann_shop-import" login in role "hostkeep-users", "ann_shop-owner"');
  await customers.sql('set role "ann_shop-import"; create table left_over (id int)', 'ann_shop');
  await server.hostkeep.core.store.write((tx) =>
    tx.run(
      `update postgresql_items set change = '{"kind":"import","ip":"192.0.2.7"}', claimed_by = '1:1' where name = 'ann_shop'`,
    ),
  );
  await until('it is ended', async () => (await changes()).length === 0);
  assert.is(await temporary(), '');
  assert.is(
    await customers.sql("select tableowner from pg_tables where tablename = 'left_over'", 'ann_shop'),
    'ann_shop-owner',
  );
  assert.match(await lines(), /imported a part of a dump into the PostgreSQL database ann_shop from IP 192\.0\.2\.7/);
});

test('rows come as the server sends them, and no more than fit', async () => {
  await asOwner('ann_shop', CONTENTS);
  const { body } = await query('select id, raw, null as nothing from t order by id;');
  assert.equal(
    [body.columns, body.rows, body.truncated],
    [
      ['id', 'raw', 'nothing'],
      [
        ['1', '\\x00ff0d0a', null],
        ['2', null, null],
      ],
      false,
    ],
  );
  assert.equal((await query('select 1 where false')).body.rows, []);
  const many = (await query('select * from more.u')).body;
  assert.equal([many.rows.length, many.truncated], [1000, true]);
  const wide = (await query(`select repeat('x', 500000) from generate_series(1, 100)`)).body;
  assert.equal([wide.rows.length, wide.truncated], [2, true]);
  assert.is(await temporary(), '');
});

test('a statement can neither write nor reach further nor stay', async () => {
  await asOwner(
    'ann_shop',
    `${CONTENTS} create function w() returns void language sql security definer as 'delete from more.u'`,
  );
  for (const statement of [
    'delete from t',
    'create table x (id int)',
    'create temporary table x (id int)',
    'select w()',
    "select set_config('transaction_read_only', 'off', false)",
    "select nextval('t_id_seq')",
    'select 1; select 2',
    'copy t from stdin',
    "copy t to program 'id'",
    "copy (select 1) to '/tmp/made'",
    "select pg_read_file('/etc/passwd')",
    'select * from pg_authid',
    'set role "ann_shop-owner"',
    'set session authorization postgres',
    'do $$ begin delete from t; end $$',
    'do $$ begin commit; end $$',
    'no sql',
    "select repeat('x', 100000000)",
    'select pg_sleep(600)',
  ]) {
    const { status, body } = await query(statement);
    assert.equal([status, body.error], [422, 'query_failed'], `${statement}: ${JSON.stringify(body)}`);
  }
  assert.is((await query('commit')).status, 200);
  assert.is(await customers.sql('select count(*) from t; select count(*) from more.u', 'ann_shop'), '2\n5000');
  assert.is(await running('pg_sleep(600)'), false);
  assert.is(await temporary(), '');
  assert.equal(await changes(), []);
});

test('nothing else waits for a query that takes long', async () => {
  const slow = query('select pg_sleep(600), 7');
  await until('it runs', () => running('pg_sleep(600), 7'));
  for (const path of [LIST, '/api/postgresql/processes'])
    assert.is((await server.ask(path, { token: ann.token })).status, 200);
  assert.ok(await running('pg_sleep(600), 7'), 'it still runs');
  assert.is((await slow).body.error, 'query_failed');
});

test('an account sees and ends the processes of its users only', async () => {
  const secret = async (who: Who) =>
    (
      await server.ask<{ name: string; password: string }>('/api/postgresql/users', {
        token: who.token,
        method: 'POST',
        body: { name: 'app' },
      })
    ).body;
  const [anns, bens] = [await secret(ann), await secret(ben)];
  for (const [who, name, database] of [
    [ann, anns.name, 'ann_shop'],
    [ben, bens.name, 'ben_own'],
  ] as const)
    await server.ask(`/api/postgresql/users/${name}/databases/${database}`, {
      token: who.token,
      method: 'PUT',
      body: { level: 'read_only' },
    });
  const [mine, other] = [
    customers.as(anns, 'select pg_sleep(601)', 'ann_shop').catch(String),
    customers.as(bens, 'select pg_sleep(602)', 'ben_own').catch(String),
  ];
  await until('both run', async () => (await running('pg_sleep(601)')) && running('pg_sleep(602)'));
  const processes = (who: Who) =>
    server.ask<{ id: number; statement: string }[]>('/api/postgresql/processes', { token: who.token });
  const end = (id: number | string) =>
    server.ask(`/api/postgresql/processes/${id}`, { token: ann.token, method: 'DELETE' });
  const [annsId, bensId] = [(await processes(ann)).body[0]?.id ?? 0, (await processes(ben)).body[0]?.id ?? 0];
  assert.equal(pick((await processes(ann)).body, 'statement'), ['select pg_sleep(601)\n;'.slice(0, 20)]);
  for (const id of [bensId, 'x', 0]) assert.is((await end(id)).status, 404);
  assert.equal((await end(annsId)).body, { changed: true });
  assert.match(String(await mine), /terminat/);
  assert.is(await running('pg_sleep(602)'), true);
  await server.ask('/api/postgresql/users/ben_app', { token: ben.token, method: 'DELETE' });
  assert.match(String(await other), /terminat/);
});
