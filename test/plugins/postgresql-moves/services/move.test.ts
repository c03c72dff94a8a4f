/** Databases of PostgreSQL go with their account from one server to another, and stay where both nodes reach the same one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as assert from '../../../support/assert.ts';
import type { Mover } from '../../../../kernel/contract/points/move-part.ts';
import { PROCESS_ID } from '../../../../kernel/kit/programs/process-id.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { codeOf } from '../../../support/code-of.ts';
import { start } from '../../../support/command.ts';
import type { Outcome } from '../../../support/command-pool.ts';
import { CustomersServer, LIST, makeDatabase } from '../../../support/customers-server.ts';
import { killedAfter, runEnded, TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('fleet', 'moves', 'postgresql');
const test = testSuite('moves of PostgreSQL');
const USERS = '/api/postgresql/users';
let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];
let [here, there] = [] as unknown as [CustomersServer, CustomersServer];
const settings = new Map<FleetMember, string>();

test.before(async () => {
  [here, there] = await Promise.all([CustomersServer.start(), CustomersServer.start()]);
  ({ fleet, one, two } = await TestFleet.pair('postgresql_moves'));
  [first, second] = [await serve(one, here), await serve(two, there)];
  await fleet.areUp(one);
});
test.after(() => (fleet as TestFleet | undefined)?.close());

/** Serves a node whose accounts have their databases on its own server; those of `sam` are on that of the first node, and `ned` has another one at each. */
function serve(at: FleetMember, own: CustomersServer): Promise<TestServer> {
  const server = (of: CustomersServer) => of.settings.servers.main;
  const name = at === one ? 'left' : 'right';
  const postgresql = {
    servers: { main: server(own), both: server(here), [name]: server(own) },
    default_server: 'main',
    accounts: { sam: 'both', ned: name },
  };
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, JSON.stringify({ postgresql }));
  settings.set(at, file);
  return fleet.serve(at, undefined, { postgresql });
}

const argsAt = (at: FleetMember): string[] => ['--config', settings.get(at) ?? '', 'account', 'move'];
const move = (at: FleetMember, ...args: readonly string[]): Promise<Outcome> =>
  fleet.run(at.data, [...argsAt(at), ...args]);

type Customer = Awaited<ReturnType<typeof customer>>;
interface Secret {
  readonly name: string;
  readonly password: string;
}

/** An account with a database `<name>_shop` at the first node, a user who owns it, and one who reads it. */
async function customer(name: string) {
  const { account, token } = await first.user(name);
  await makeDatabase(first, { token }, 'shop');
  const user = async (suffix: string, level: string): Promise<Secret> => {
    const { status, body } = await first.ask<Secret>(USERS, { token, method: 'POST', body: { name: suffix } });
    assert.is(status, 201);
    const path = `${USERS}/${body.name}/databases/${name}_shop`;
    assert.is((await first.ask(path, { token, method: 'PUT', body: { level } })).status, 200);
    return body;
  };
  const [app, reader] = [await user('app', 'owner'), await user('reader', 'read_only')];
  await here.as(app, 'create table notes (n int primary key, body text)', `${name}_shop`);
  return { account, token, app, reader, shop: `${name}_shop` };
}

const note = (at: CustomersServer, { app, shop }: Customer, n: number) =>
  at.as(app, `insert into notes values (${n}, 'Grüße 🎉'); select count(*) from notes`, shop);

/** What a server has of an account: databases, roles with their verifiers and memberships. */
const pictureOf = (server: CustomersServer, name: string): Promise<string> =>
  server.sql(`select 'database', datname from pg_database where starts_with(datname, '${name}_') order by 2;
    select 'role', rolname, rolcanlogin, rolsuper, rolbypassrls, rolconnlimit, rolpassword from pg_authid where starts_with(rolname, '${name}_') order by 2;
    select 'member', u.rolname, g.rolname from pg_auth_members m join pg_roles u on u.oid = m.member join pg_roles g on g.oid = m.roleid
      where starts_with(u.rolname, '${name}_') order by 2, 3;
    select 'in database', r.rolname, d.datname, setconfig from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
      join pg_database d on d.oid = s.setdatabase where starts_with(r.rolname, '${name}_') order by 2, 3`);

/** All rights in a database, and what is to hold for later objects. */
const rightsIn = (server: CustomersServer, database: string): Promise<string> =>
  server.sql(
    `select nspname, relname, relowner::regrole, (select array_agg(a order by a) from unnest(relacl::text[]) a) from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1, 2;
    select proname, proowner::regrole, (select array_agg(a order by a) from unnest(proacl::text[]) a) from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1;
    select nspname, nspowner::regrole, (select array_agg(a order by a) from unnest(nspacl::text[]) a) from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1;
    select defaclrole::regrole::text, defaclnamespace::regnamespace::text, defaclobjtype, (select array_agg(a order by a) from unnest(defaclacl::text[]) a) from pg_default_acl order by 1, 2, 3`,
    database,
  );

const homeOf = async (name: string) => (await first.hostkeep.core.accounts.get(name)).home;
const recorded = async (at: TestServer) =>
  (
    await at.hostkeep.core.local.all<{ name: string }>(
      'select direction, kind, name from postgresql_moves order by name',
    )
  ).map(({ name }) => name);

async function refused(pattern: RegExp, name: string): Promise<void> {
  const { code, stderr } = await move(one, name, '--to', 'two');
  assert.is(code, 1, stderr);
  assert.match(stderr, pattern, stderr);
  assert.is(await homeOf(name), 'one');
  assert.is(await pictureOf(there, name), '');
}

test('what cannot move is named, and stays as it was; nothing is overwritten', async () => {
  const eve = await customer('eve');
  await note(here, eve, 1);
  const before = await pictureOf(here, 'eve');
  await there.sql('create database eve_shop');
  const { code, stderr } = await move(one, 'eve', '--to', 'two');
  assert.is(code, 1);
  assert.match(stderr, /the other node has eve_shop already, and nothing is overwritten/);
  await there.sql('drop database eve_shop');
  await here.sql('create extension pageinspect', 'eve_shop').then(
    () => refused(/the database eve_shop cannot be made: line \d+: permission denied to create extension/, 'eve'),
    () => undefined, // the server is without it
  );
  await here.sql('drop extension if exists pageinspect', 'eve_shop');
  const change = (change: string) =>
    first.hostkeep.core.store.write((tx) =>
      tx.run("update postgresql_items set change = ?, claimed_by = ? where name = 'eve_shop'", change, PROCESS_ID),
    );
  await change('{"kind":"export","ip":""}');
  await refused(/something is being done with eve_shop: try again/, 'eve');
  await change('');
  assert.is(await pictureOf(here, 'eve'), before);
  assert.is(await note(here, eve, 2), '2');
  assert.equal(await recorded(first), []);
  const ned = await first.user('ned');
  await makeDatabase(first, ned, 'shop');
  await refused(/the other node has right for the account in its settings, and not left/, 'ned');
});

test('databases, users, passwords and rights arrive as they were', async () => {
  const ann = await customer('ann');
  const { token, app, reader, shop } = ann;
  await makeDatabase(first, ann, 'empty');
  await here.as(
    app,
    `create table secrets (n int); revoke all on secrets from "ann_shop-read";
      create table given (n int); grant select (n), update on given to ann_reader with grant option;
      create schema more; create sequence more.numbers; select nextval('more.numbers');
      create function twice(n int) returns int language sql as 'select 2 * n'; revoke all on function twice from public;
      create view sums as select count(*) from notes; create materialized view kept as select 1 as n;
      alter default privileges in schema more grant delete on tables to ann_reader;
      create table hidden (n int); insert into hidden values (1); alter table hidden enable row level security; alter table hidden force row level security;
      create policy few on hidden to ann_reader using (n > 1);
      select lo_from_bytea(0, 'large');
      set role none; create table own (n int); insert into own values (7);
      alter role ann_app set search_path = more, "$user", public; alter role ann_app in database ann_shop set work_mem = '8MB'`,
    shop,
  );
  await here.sql(`insert into notes select n, repeat('x', 1000) from generate_series(10, 20000) n`, shop);
  await note(here, ann, 1);
  await there.sql('create database other; create role other login');
  const shown = 'show search_path; show work_mem; show statement_timeout; show idle_session_timeout';
  const settingsBefore = await here.as(app, shown, shop);
  assert.match(settingsBefore, /^more, .*\n8MB\n/);
  const [before, rights] = [await pictureOf(here, 'ann'), await rightsIn(here, shop)];
  const { code, stdout, stderr } = await move(one, 'ann', '--to', 'two');
  assert.is(code, 0, stderr);
  assert.match(stdout, /copying 2 databases and 2 users of PostgreSQL/);
  assert.is(await pictureOf(there, 'ann'), before);
  assert.is(await pictureOf(here, 'ann'), '');
  const owned = rights.replace(/^public\|own\|ann_app/m, 'public|own|"ann_shop-owner"');
  assert.is((await rightsIn(there, shop)).replace(/^public\|own\|.*$/m, ''), owned.replace(/^public\|own\|.*$/m, ''));
  assert.is(await there.as(app, shown, shop), settingsBefore);
  assert.is(await note(there, ann, 2), '19993');
  assert.is(
    await there.as(
      app,
      `select sum(n) from own; select nextval('more.numbers'); select convert_from(lo_get(oid), 'UTF8') from pg_largeobject_metadata`,
      shop,
    ),
    '7\n2\nlarge',
  );
  assert.is(await there.as(reader, 'select count(*) from notes', shop), '19993');
  await there.as(reader, 'select * from secrets', shop).then(
    () => assert.unreachable('a right that was taken away'),
    (error: Error) => assert.match(error.message, /permission denied/),
  );
  const { body } = await second.ask<{ databases: { name: string }[] }>(LIST, { token });
  assert.equal(
    body.databases.map(({ name }) => name),
    ['ann_empty', 'ann_shop'],
  );
  assert.equal([await recorded(first), await homeOf('ann')], [[], 'two']);
  assert.is(await there.sql("select count(*) from pg_roles where rolname like '%move%'"), '0');
  assert.is(await here.sql("select count(*) from pg_roles where rolname like '%move%'"), '0');
});

test('what changed is brought again, and nothing that was confirmed is lost', async () => {
  const wil = await customer('wil');
  await here.sql(`insert into notes select -n, repeat('x', 1000) from generate_series(1, 20000) n`, wil.shop);
  let confirmed = 0;
  const writing = (async () => {
    for (let n = 1; ; n += 1) {
      try {
        await note(here, wil, n);
      } catch {
        return; // closed, or dropped
      }
      confirmed = n;
    }
  })();
  const { code, stderr } = await move(one, 'wil', '--to', 'two');
  assert.is(code, 0, stderr);
  await writing;
  const arrived = Number(await there.sql('select count(*) from notes where n > 0', wil.shop));
  assert.ok(confirmed > 0 && arrived >= confirmed, `${confirmed} confirmed, ${arrived} there`);
});

test('a suspended account arrives suspended', async () => {
  const sue = await customer('sue');
  await first.hostkeep.core.accounts.suspend('sue');
  const canLogIn = (at: CustomersServer) =>
    at.sql("select bool_or(rolcanlogin) from pg_roles where rolname like 'sue\\_%'");
  await until('sue is locked', async () => (await canLogIn(here)) === 'f');
  const { code, stderr } = await move(one, 'sue', '--to', 'two');
  assert.is(code, 0, stderr);
  assert.is(await canLogIn(there), 'f');
  await first.hostkeep.core.accounts.unsuspend('sue');
  await until('sue can log in', async () => (await canLogIn(there)) === 't');
  assert.is(await note(there, sue, 1), '1');
});

test('killed during the window: users are opened again, and a second run finishes it', async () => {
  const ben = await customer('ben');
  await note(here, ben, 1);
  await here.sql(`insert into notes select -n, repeat('x', 1000) from generate_series(1, 50000) n`, ben.shop);
  const { child } = await start(one.data, [...argsAt(one), 'ben', '--to', 'two'], /^/, {
    HOSTKEEP_STORE_URL: fleet.url,
  });
  const canLogIn = () =>
    here.sql("select bool_and(rolcanlogin) from pg_roles where rolname in ('ben_app', 'ben_reader')");
  await until('ben is closed', async () => (await canLogIn()) === 'f');
  await killedAfter(first.hostkeep.core, 'ben', child, async () => {
    assert.ok((await recorded(first)).includes('ben_app'));
  });
  await first.hostkeep.core.store.write((tx) => tx.run("update leases set until = 0 where name = 'move ben'"));
  await until('ben can log in again', async () => (await canLogIn()) === 't');
  assert.is(await note(here, ben, 2), '50002');
  await until('nothing is closed', async () => (await recorded(first)).length === 0);
  await runEnded(first.hostkeep.core, 'ben');
  await until('the move is finished', async () => {
    const { code, stderr } = await move(one, 'ben', '--to', 'two');
    if (code !== 0) assert.match(stderr, /is being moved, or was a moment ago/, stderr);
    return code === 0;
  });
  assert.is(await note(there, ben, 3), '50003');
  assert.is(await pictureOf(here, 'ben'), '');
});

// threat fleet-stranger: a node in foreign hands makes and drops on another node's server what the store says is the account's, and nothing else
test('what is not the account’s is neither made nor dropped, whatever a node asks', async () => {
  const mia = await customer('mia');
  const part = (await second.hostkeep.plugins.gather('move')).find(({ plugin }) => plugin === 'postgresql-moves');
  assert.ok(part?.ok);
  const { mover } = (part as { value: { mover: Mover } }).value;
  const account: Account = mia.account;
  const ask = (name: string, body: unknown, about = '') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { signal } = new AbortController();
    return codeOf(mover.arrive({ account, name, about, body: Readable.from([Buffer.from(text)]), signal }));
  };
  const verifier = null;
  const before = await there.sql('select string_agg(rolname, $$,$$ order by rolname) from pg_roles');
  for (const name of ['ann_app', 'postgres', 'other', 'hostkeep-users', 'mia_more'])
    assert.is(await ask('prepare', { users: [{ name, verifier }], databases: [] }), 'move_refused', name);
  for (const name of ['ann_shop', 'other', 'postgres', 'mia_app']) {
    assert.is(await ask('prepare', { users: [], databases: [name] }), 'move_refused', name);
    assert.is(await ask('load', 'select 1;', name), 'move_refused', name);
  }
  const access = { user: 'mia_app', database: 'ann_shop', level: 'owner' };
  assert.is(await ask('access', { access: [access], settings: [], isOpen: true }), 'move_refused');
  assert.is(
    await ask('prepare', { users: [{ name: 'mia_app', verifier, superuser: true }], databases: [] }),
    'invalid_request',
  );
  assert.is(await ask('anything', {}), 'move_refused');
  assert.is(await there.sql('select string_agg(rolname, $$,$$ order by rolname) from pg_roles'), before);
  const setting = { user: 'postgres', database: '', name: 'work_mem', value: '1MB' };
  assert.is(await ask('access', { access: [], settings: [setting], isOpen: true }), 'move_refused');
  // what it may load runs with rights on that database only
  assert.is(await ask('prepare', { users: [{ name: 'mia_app', verifier }], databases: ['mia_shop'] }), 'done');
  for (const [name, value] of [
    ['session_preload_libraries', '/tmp/hostile.so'],
    ['log_statement', 'none'],
  ] as const)
    assert.is(
      await ask('access', { access: [], settings: [{ ...setting, user: 'mia_app', name, value }], isOpen: true }),
      'move_refused',
      name,
    );
  for (const text of [
    'alter role mia_app superuser;',
    'drop database ann_shop;',
    "copy (select 1) to program 'id';",
    '\\! id\n',
    'create role mia_more;',
    'set session authorization postgres; create role mia_more;',
  ])
    assert.is(await ask('load', `begin; ${text}\ncommit;\n`, 'mia_shop'), 'move_refused', text);
  assert.is(await there.sql('select count(*) from notes', 'ann_shop'), '19993');
  await mover.discard(account);
  assert.is(await there.sql('select string_agg(rolname, $$,$$ order by rolname) from pg_roles'), before);
});

test('where both nodes reach one server, the databases stay, and nothing is dropped', async () => {
  const sam = await customer('sam');
  await note(here, sam, 1);
  const before = await pictureOf(here, 'sam');
  const { code, stdout, stderr } = await move(one, 'sam', '--to', 'two');
  assert.is(code, 0, stderr);
  assert.match(stdout, /both nodes reach the same server of PostgreSQL/);
  assert.is(await pictureOf(here, 'sam'), before);
  assert.is(await note(here, sam, 2), '2');
});
