import { createServer, type AddressInfo } from 'node:net';
import * as assert from '../../../support/assert.ts';
import { PROCESS_ID } from '../../../../kernel/kit/programs/process-id.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { scramVerifier } from '../../../../kernel/kit/databases/postgresql/scram.ts';
import { TestServer, type Answer, type RequestOptions } from '../../../support/hostkeep.ts';
import { pick } from '../../../support/lists.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { CustomersServer, LIST } from '../../../support/customers-server.ts';

const test = testSuite('postgresql');
const USERS = '/api/postgresql/users';

type Who = Awaited<ReturnType<TestServer['user']>>;
interface User {
  name: string;
  is_locked: boolean;
  access: { database: string; level: string }[];
}
interface Secret {
  name: string;
  password: string;
}

let customers: CustomersServer;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];

test.before(async () => {
  customers = await CustomersServer.start();
  await customers.sql('create role admin superuser login; create role ann_operator login');
  await customers.sql('create database ann_zoo');
  server = await TestServer.start({ plugins: [postgresql], config: { postgresql: customers.settings } });
  ann = await server.user('ann');
  ben = await server.user('ben');
});
test.before.each(async () => {
  for (const { name } of await usersOf(ann)) assert.is((await remove(`${USERS}/${name}`)).status, 200, name);
  for (const name of await databasesOf(ann)) assert.is((await remove(`${LIST}/${name}`)).status, 200, name);
});

const ask = <T = Record<string, unknown>>(path: string, options: RequestOptions = {}): Promise<Answer<T>> =>
  server.ask<T>(path, { token: ann.token, ...options });
const post = <T = Record<string, unknown>>(path: string, body: unknown, who = ann) =>
  ask<T>(path, { method: 'POST', body, token: who.token });
const remove = (path: string, who = ann) => ask(path, { method: 'DELETE', token: who.token });
const databasesOf = async (who: Who) =>
  pick((await ask<{ databases: { name: string }[] }>(LIST, { token: who.token })).body.databases, 'name');
const usersOf = async (who: Who) => (await ask<User[]>(USERS, { token: who.token })).body;
const makeUser = async (name = 'app', who = ann) => {
  const { status, body } = await post<Secret>(USERS, { name }, who);
  assert.is(status, 201, JSON.stringify(body));
  return body;
};
const makeDatabase = async (name = 'shop', who = ann) => {
  const { status, body } = await post<{ name: string }>(LIST, { name }, who);
  assert.is(status, 201, JSON.stringify(body));
  return body.name;
};
const setAccess = (user: string, database: string, level: string, who = ann) =>
  ask(`${USERS}/${user}/databases/${database}`, { method: 'PUT', body: { level }, token: who.token });
const given = async (user: string, database: string, level: string, who = ann) => {
  const { status, body } = await setAccess(user, database, level, who);
  assert.is(status, 200, JSON.stringify(body));
};
const refused = async (promise: Promise<Answer<Record<string, unknown>>>, status: number, code: string) => {
  const answer = await promise;
  assert.equal([answer.status, answer.body['error']], [status, code], JSON.stringify(answer.body));
};
/** Resolves if the statement fails. */
const fails = (statement: Promise<unknown>, why = /permission denied|must be owner|not permitted/): Promise<void> =>
  statement.then(
    () => assert.unreachable('it ran'),
    (error: Error) => assert.match(error.message, why, error.message),
  );
/** All that the server has beside tables. */
const picture = () =>
  customers.sql(`select datname, datacl, datconnlimit from pg_database order by 1;
    select rolname, rolcanlogin, rolsuper, rolconfig from pg_roles order by 1;
    select roleid::regrole::text, member::regrole::text from pg_auth_members order by 1, 2;
    select datname, setrole::regrole, setconfig from pg_db_role_setting join pg_database d on d.oid = setdatabase order by 1, 2::text`);
const rows = () =>
  server.hostkeep.core.store.all<{ change: string }>(
    'select name, is_made, change from postgresql_items where account_id = ?',
    ann.account.id,
  );

test('SQL and everything else that is no name is refused in each field', async () => {
  const before = await picture();
  const texts = [
    "x'; drop database ann_zoo; -- ",
    'a"; drop database ann_zoo; --',
    'a b',
    'A',
    'ä',
    '',
    '%',
    '\\',
    'a\0',
    'a-b',
  ];
  for (const name of texts) {
    assert.is((await post(LIST, { name })).status, 400, name);
    assert.is((await post(USERS, { name })).status, 400, name);
    if (name === '' || name.includes('\0')) continue;
    const inPath = encodeURIComponent(name);
    await refused(remove(`${LIST}/${inPath}`), 404, 'database_not_found');
    await refused(remove(`${USERS}/${inPath}`), 404, 'database_user_not_found');
    await refused(post(`${USERS}/${inPath}/password`, undefined), 404, 'database_user_not_found');
    await refused(setAccess(inPath, 'ann_zoo', 'owner'), 404, 'database_user_not_found');
  }
  await refused(post(LIST, { name: 'a'.repeat(53) }), 400, 'invalid_database_name');
  await refused(post(USERS, { name: 'a'.repeat(60) }), 400, 'invalid_database_name');
  for (const level of ['superuser', 'OWNER', '', 'owner, admin'])
    assert.is((await setAccess('ann_app', 'ann_shop', level)).status, 400, level);
  assert.is(await picture(), before);
  assert.equal(await rows(), []);
});

test('what is of another account, of the server or of its operator is not there', async () => {
  const [bens, bensShop] = [await makeUser('app', ben), await makeDatabase('own', ben)];
  const [app, shop] = [await makeUser(), await makeDatabase()];
  const before = await picture();
  for (const name of [bensShop, 'ann_zoo', 'postgres', 'template0', 'template1', 'ann_none', 'ann_shop-owner']) {
    await refused(remove(`${LIST}/${name}`), 404, 'database_not_found');
    await refused(setAccess(app.name, name, 'read_only'), 404, 'database_not_found');
    await refused(remove(`${USERS}/${app.name}/databases/${name}`), 404, 'database_not_found');
  }
  for (const name of [
    bens.name,
    'postgres',
    'admin',
    'ann_operator',
    'pg_monitor',
    'hostkeep-users',
    'ann_shop-owner',
  ]) {
    await refused(remove(`${USERS}/${name}`), 404, 'database_user_not_found');
    await refused(post(`${USERS}/${name}/password`, undefined), 404, 'database_user_not_found');
    await refused(setAccess(name, shop, 'owner'), 404, 'database_user_not_found');
  }
  await refused(post(LIST, { name: 'zoo' }), 409, 'database_exists');
  await refused(post(USERS, { name: 'operator' }), 409, 'database_user_exists');
  assert.is(await picture(), before);
  assert.equal([await databasesOf(ann), pick(await usersOf(ann), 'name')], [['ann_shop'], ['ann_app']]);
  const pg = await server.user('pg');
  await refused(post(USERS, { name: 'monitor' }, pg), 400, 'invalid_database_name');
});

test('without a server nothing is managed', async () => {
  const bare = await TestServer.start({ plugins: [postgresql] });
  const { token } = await bare.user('ann');
  assert.is((await bare.ask<{ server: unknown }>(LIST, { token })).body.server, null);
  assert.equal((await bare.ask(USERS, { token })).body, []);
  const { status, body } = await bare.ask(LIST, { token, method: 'POST', body: { name: 'shop' } });
  assert.equal([status, body['error']], [409, 'databases_not_managed']);
});

test('no more databases and users are made than allowed, also at once', async () => {
  const { plans } = server.hostkeep.core;
  const { limits } = await plans.get('developer');
  await plans.update('developer', { limits: { ...limits, db_limit: 2 } });
  const who = await server.user('greedy');
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => post(LIST, { name }, who)));
  assert.equal(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409]);
  await refused(post(LIST, { name: 'g' }, who), 409, 'database_limit_reached');
  assert.is((await databasesOf(who)).length, 2);
  await plans.update('developer', { limits: { ...limits, db_users_limit: 1 } });
  const users = await Promise.all(['a', 'b', 'c'].map((name) => post(USERS, { name }, who)));
  assert.equal(users.map(({ status }) => status).toSorted(), [201, 409, 409]);
  await refused(post(USERS, { name: 'g' }, who), 409, 'database_users_limit_reached');
  assert.is((await usersOf(who)).length, 1);
  await plans.update('developer', { limits });
  assert.is(await customers.sql("select count(*) from pg_database where datname like 'greedy%'"), '2');
});

test('a database is made, shown and dropped, and its rights with it', async () => {
  const before = await picture();
  assert.is(await makeDatabase(), 'ann_shop');
  await refused(post(LIST, { name: 'shop' }), 409, 'database_exists');
  const { body } = await ask<{ databases: { size_bytes: number }[]; prefix: string; server: unknown }>(LIST);
  assert.ok((body.databases[0]?.size_bytes ?? 0) > 1_000_000);
  assert.equal([body.prefix, body.server], ['ann_', { host: customers.folder, port: 5432 }]);
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'owner');
  const sleeping = fails(customers.as(app, 'select pg_sleep(600)', 'ann_shop'), /terminat|closed/);
  await until('it sleeps', async () =>
    (await customers.sql('select query from pg_stat_activity')).includes('pg_sleep(600)'),
  );
  assert.equal((await remove(`${LIST}/ann_shop`)).body, { changed: true });
  await sleeping;
  assert.equal((await usersOf(ann))[0]?.access, []);
  assert.equal((await remove(`${USERS}/ann_app`)).body, { changed: true });
  assert.is(await picture(), before);
  const { lines } = await server.hostkeep.core.events.page(ann.account.id, '', 0, 10);
  const text = lines.join('\n');
  for (const what of ['created the PostgreSQL database ann_shop', 'dropped the PostgreSQL database ann_shop'])
    assert.ok(text.includes(what), text);
  assert.is(text.includes(app.password), false);
});

test('each level gives what it says, also on later tables', async () => {
  await makeDatabase();
  const [owner, second, writer, reader] = [
    await makeUser('owner'),
    await makeUser('second'),
    await makeUser('writer'),
    await makeUser('reader'),
  ];
  await fails(customers.as(owner, 'select 1', 'ann_shop'));
  await given(owner.name, 'ann_shop', 'owner');
  await given(second.name, 'ann_shop', 'owner');
  await given(writer.name, 'ann_shop', 'read_write');
  await given(reader.name, 'ann_shop', 'read_only');
  await customers.as(
    owner,
    `create table t (id serial primary key, name text); insert into t (name) values ('x');
      create schema more; create table more.u (id int); insert into more.u values (7);
      set role none; create table own (id int); create extension pgcrypto;`,
    'ann_shop',
  );
  const as = (user: Secret, sql: string) => customers.as(user, sql, 'ann_shop');
  assert.is(await as(reader, 'select name from t; select * from more.u; select * from own'), 'x\n7');
  await fails(as(reader, "insert into t (name) values ('y')"));
  await fails(as(reader, 'create table z (id int)'));
  await fails(as(reader, 'create temporary table z (id int)'));
  await as(writer, "insert into t (name) values ('y'); update t set name = 'z'; delete from t where id = 1");
  await fails(as(writer, 'drop table t'));
  await fails(as(writer, 'truncate t'));
  await fails(as(writer, 'create table z (id int)'));
  await as(second, 'alter table t add column more text; drop table more.u');
  assert.equal(
    (await usersOf(ann)).map(({ name, access }) => [name, access[0]?.level]),
    [
      ['ann_owner', 'owner'],
      ['ann_reader', 'read_only'],
      ['ann_second', 'owner'],
      ['ann_writer', 'read_write'],
    ],
  );
  await given(owner.name, 'ann_shop', 'read_only');
  await fails(as(owner, 'drop table own'));
  assert.is(await as(owner, 'select * from own; show role'), 'none');
  assert.equal((await remove(`${USERS}/${reader.name}/databases/ann_shop`)).body, { changed: true });
  await fails(as(reader, 'select 1'));
  await refused(remove(`${USERS}/${reader.name}/databases/ann_shop`), 404, 'database_access_not_found');
  assert.is((await remove(`${USERS}/${second.name}`)).status, 200);
  await as(writer, 'select * from t');
});

test('a user can reach neither the server, nor other accounts, nor more rights', async () => {
  await makeDatabase();
  await post(LIST, { name: 'own' }, ben); // it may be there already
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'owner');
  for (const database of ['ben_own', 'postgres', 'template1']) await fails(customers.as(app, 'select 1', database));
  const before = await picture();
  await makeUser('friend', ben);
  for (const sql of [
    `copy (select 1) to program 'id'`,
    `copy (select 1) to '/tmp/made'`,
    `create table f (line text); copy f from '/etc/passwd'`,
    `select pg_read_file('/etc/passwd')`,
    `select pg_ls_dir('/')`,
    `select lo_import('/etc/passwd')`,
    `select pg_reload_conf()`,
    `alter system set log_statement = 'all'`,
    'create role more',
    'create database more',
    'alter role ann_app superuser',
    'alter role ann_app createdb',
    'alter role ann_app connection limit -1',
    `alter role ann_app valid until 'infinity' replication`,
    'alter role postgres nologin',
    'set role postgres',
    'set role "hostkeep-databases"',
    'set role "ben_own-owner"',
    'set session authorization postgres',
    'grant "ben_own-owner" to ann_app',
    'grant "ann_shop-owner" to ben_friend',
    'grant pg_execute_server_program to ann_app',
    'alter database ann_shop set search_path = evil',
    'alter database ann_shop rename to ben_other',
    'alter database ann_shop owner to ann_app',
    'drop database ann_shop',
    'drop role "ann_shop-read"',
    `create function e() returns event_trigger language plpgsql as 'begin end'; create event trigger e on ddl_command_end execute function e()`,
    `create function f() returns int language c as 'x', 'y'`,
    `create function f() returns int language internal as 'int4pl'`,
    'create language plperlu',
    'create extension dblink',
    'create extension file_fdw',
    'create extension adminpack',
    `load 'auto_explain'`,
    `create subscription s connection 'host=/' publication p`,
    `select pg_create_physical_replication_slot('x')`,
    `select * from pg_authid`,
    'security label on role ann_app is null',
    "create tablespace t location '/tmp'",
    'alter role ann_app set session_preload_libraries = x',
  ])
    await fails(
      customers.as(app, sql, 'ann_shop'),
      /permission denied|must be|must have|not permitted|superuser|not available|not a member|no security label|is not allowed/,
    );
  await customers
    .as(app, 'grant connect on database ann_shop to public; grant ann_app to ben_friend', 'ann_shop')
    .catch(String);
  assert.is((await remove(`${USERS}/ben_friend`, ben)).status, 200);
  assert.is(await picture(), before);
});

test('a user has limits of connections and time', async () => {
  await makeDatabase();
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'owner');
  assert.is(
    await customers.as(
      app,
      'show statement_timeout; show idle_session_timeout; show idle_in_transaction_session_timeout',
      'ann_shop',
    ),
    '5min\n1h\n6min',
  );
  assert.is(await customers.sql("select rolconnlimit from pg_roles where rolname = 'ann_app'"), '20');
});

test('a new password ends the old one, and none stands in a statement', async () => {
  await makeDatabase();
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'read_only');
  await customers.as(app, 'select 1', 'ann_shop');
  await refused(post(USERS, { name: 'app' }), 409, 'database_user_exists');
  const renewed = (await post<Secret>(`${USERS}/${app.name}/password`, undefined)).body;
  assert.is.not(renewed.password, app.password);
  await fails(customers.as(app, 'select 1', 'ann_shop'), /password authentication failed/);
  await customers.as(renewed, 'select 1', 'ann_shop');
});

test('what a user has hidden in other databases does not keep it from being dropped', async () => {
  await makeDatabase();
  await makeDatabase('other');
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'owner');
  await given(app.name, 'ann_other', 'owner');
  await customers.as(
    app,
    `set role none; create table mine (id int); create function evil() returns void language sql security definer as 'select 1';
      set role "ann_other-owner"; grant create on schema public to "ann_shop-owner"; set role none;
      alter table mine owner to "ann_shop-owner"; select lo_create(4711)`,
    'ann_other',
  );
  assert.equal((await remove(`${LIST}/ann_shop`)).body, { changed: true });
  assert.equal((await remove(`${USERS}/ann_app`)).body, { changed: true });
  assert.is(
    await customers.sql("select tableowner from pg_tables where tablename = 'mine'", 'ann_other'),
    'ann_other-owner',
  );
});

test("a suspended account's users cannot log in until it is not suspended any more", async () => {
  await makeDatabase();
  const app = await makeUser();
  await given(app.name, 'ann_shop', 'read_only');
  const sleeping = fails(customers.as(app, 'select pg_sleep(600)', 'ann_shop'), /terminat|closed/);
  await until('it sleeps', async () =>
    (await customers.sql('select query from pg_stat_activity')).includes('pg_sleep(600)'),
  );
  await server.hostkeep.core.accounts.suspend('ann');
  await sleeping;
  await fails(customers.as(app, 'select 1', 'ann_shop'), /not permitted to log in/);
  await server.hostkeep.core.accounts.unsuspend('ann');
  ann = { ...ann, token: await server.token(ann.account) };
  await until('it can log in', () =>
    customers.as(app, 'select 1', 'ann_shop').then(
      () => true,
      () => false,
    ),
  );
});

test('a database that the server has lost is listed without a size', async () => {
  await makeDatabase('lost');
  await customers.sql('drop database ann_lost');
  const { body } = await ask<{ databases: { name: string; size_bytes: number | null }[] }>(LIST);
  assert.equal(body.databases, [{ name: 'ann_lost', size_bytes: null }]);
  assert.equal((await remove(`${LIST}/ann_lost`)).body, { changed: true });
});

test('what a process was about when it was killed is made by the next one', async () => {
  const { store, events } = server.hostkeep.core;
  const before = await picture();
  for (const name of ['going', 'kept']) await makeDatabase(name);
  for (const name of ['loses', 'stays', 'goes']) await makeUser(name);
  await given('ann_loses', 'ann_kept', 'read_only');
  await customers.sql(
    'create role "ann_half-owner" in role "hostkeep-users"; create role ann_half login in role "hostkeep-users"',
  );
  await customers.sql('create role ann_was');
  await customers.sql('create database ann_was');
  await customers.sql('drop database ann_going');
  await makeDatabase('gone');
  const renewed = { name: 'ann_stays', password: 'of-this-test' };
  const create = { kind: 'create', isChecked: true };
  const half = [
    ['database', 'ann_half', create],
    ['database', 'ann_never', create],
    ['database', 'ann_beyond', { kind: 'create' }], // killed before the limit and the names of the operator were looked at
    ['database', 'ann_was', { kind: 'create' }],
    ['user', 'ann_was', { kind: 'create' }],
    ['user', 'ann_half', create],
    ['database', 'ann_going', { kind: 'drop' }],
    ['user', 'ann_goes', { kind: 'drop' }],
    ['user', 'ann_loses', { kind: 'access', database: 'ann_kept' }],
    ['user', 'ann_stays', { kind: 'password', verifier: scramVerifier(renewed.password) }],
  ] as const;
  await store.write(async (tx) => {
    for (const [kind, name, about] of half)
      await tx.run(
        `insert into postgresql_items (account_id, server, kind, name, is_made, change, claimed_by) values (?, 'main', ?, ?, 0, ?, '1:1')
          on conflict (server, kind, name) do update set change = excluded.change, claimed_by = excluded.claimed_by`,
        ...[ann.account.id, kind, name, JSON.stringify({ ...about, ip: '192.0.2.7' })],
      );
  });
  await until(
    'all is done',
    async () => (await store.all("select 1 from postgresql_items where change <> ''")).length === 0,
  );
  assert.equal(await databasesOf(ann), ['ann_gone', 'ann_half', 'ann_kept', 'ann_never']);
  assert.equal(
    (await usersOf(ann)).map(({ name, access }) => [name, access]),
    [
      ['ann_loses', []],
      ['ann_stays', []],
    ],
  );
  await given('ann_stays', 'ann_half', 'owner');
  await customers.as(renewed, 'create table t (id int)', 'ann_half');
  const { lines } = await events.page(ann.account.id, '', 0, 20);
  const text = lines.join('\n');
  for (const what of [
    'created the PostgreSQL database ann_half from IP 192.0.2.7',
    'dropped the PostgreSQL database ann_going from IP 192.0.2.7',
    'dropped the PostgreSQL user ann_goes from IP 192.0.2.7',
    'took the rights on ann_kept from the PostgreSQL user ann_loses from IP 192.0.2.7',
    'gave the PostgreSQL user ann_stays a new password from IP 192.0.2.7',
  ])
    assert.ok(text.includes(what), `${what}: ${text}`);
  assert.is(/PostgreSQL user ann_half|ann_was|ann_beyond/.test(text), false, text);
  await customers.sql('drop database ann_was'); // which is there
  await customers.sql('drop role ann_was');
  for (const { name } of await usersOf(ann)) await remove(`${USERS}/${name}`);
  for (const name of await databasesOf(ann)) await remove(`${LIST}/${name}`);
  assert.is(await picture(), before);
});

test('what cannot be made leaves nothing, and what is changed already waits', async () => {
  const before = await picture();
  await customers.sql('create role "ann_shop-read"');
  await refused(post(LIST, { name: 'shop' }), 409, 'database_exists');
  await customers.sql('drop role "ann_shop-read"');
  assert.equal(await rows(), []);
  assert.is(await picture(), before);
  await makeDatabase();
  await server.hostkeep.core.store.write((tx) =>
    tx.run(`update postgresql_items set change = '{"kind":"drop","ip":""}', claimed_by = ?`, PROCESS_ID),
  );
  await refused(remove(`${LIST}/ann_shop`), 409, 'request_in_progress');
  await server.hostkeep.core.store.write((tx) => tx.run(`update postgresql_items set change = '', claimed_by = ''`));
});

test('a purge drops what a removed account had, and a move waits for it', async () => {
  const who = await server.user('gone');
  await makeDatabase('shop', who);
  const app = await makeUser('app', who);
  await given(app.name, 'gone_shop', 'owner', who);
  await customers.sql('create database gone_operator; create role gone_operator');
  const { gather } = server.hostkeep.plugins;
  const [move] = await gather('move');
  const obstacles = move?.ok === true ? await move.value.obstacles(who.account) : [];
  assert.equal(obstacles, ['it has databases or users of PostgreSQL: gone_shop, gone_app']);
  const purge = async () => {
    const [part] = await gather('purge', { ...who.account, removedAt: Date.now() }, new AbortController().signal);
    if (part?.ok !== true) throw part?.error;
    return part.value.map(({ removed }) => removed);
  };
  assert.equal(await purge(), [1, 1]);
  assert.equal(await purge(), [0, 0]);
  assert.is(await customers.sql("select datname from pg_database where datname like 'gone%'"), 'gone_operator');
  assert.is(await customers.sql("select rolname from pg_roles where rolname like 'gone%'"), 'gone_operator');
});

test('while the server is gone all is 503, and nothing is begun', async () => {
  await makeDatabase();
  customers.postgres.stop('immediate');
  for (const [path, options] of [
    [LIST, {}],
    [LIST, { method: 'POST', body: { name: 'late' } }],
    [`${LIST}/ann_shop`, { method: 'DELETE' }],
    [USERS, { method: 'POST', body: { name: 'late' } }],
  ] as const)
    await refused(ask(path, options), 503, 'databases_unavailable');
  assert.ok((await rows()).every(({ change }) => change === ''));
  customers.postgres.serve(['fsync=off']);
  assert.equal(await databasesOf(ann), ['ann_shop']);
  assert.equal(await usersOf(ann), []);
});

test('a server that says nothing, or too much, costs a bounded wait', async () => {
  for (const answer of [
    '',
    'x'.repeat(1 << 16),
    Buffer.concat([Buffer.from('R\x00\x00\x00\x08\0\0\0\0'), Buffer.alloc(1 << 20, 'N')]),
  ]) {
    const hostile = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(answer)),
    );
    const port = await new Promise<number>((resolve) =>
      hostile.listen(0, '127.0.0.1', () => resolve((hostile.address() as AddressInfo).port)),
    );
    const other = await TestServer.start({
      plugins: [postgresql],
      config: {
        postgresql: {
          ...{ servers: { main: { host: '127.0.0.1', port } }, default_server: 'main' },
          ...{ connect_timeout_ms: 300, query_timeout_ms: 300 },
        },
      },
    });
    const { token } = await other.user('ann');
    const { status, body } = await other.ask(LIST, { token });
    assert.equal([status, body['error']], [503, 'databases_unavailable']);
    await other.close();
    await new Promise((resolve) => hostile.close(resolve));
  }
});
