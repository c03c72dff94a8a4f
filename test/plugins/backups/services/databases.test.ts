/** Databases of MariaDB and PostgreSQL in backups: dumps of them, and their ways back. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { Postgres } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { BackupClient, hasRestic, SETTINGS, type Body } from '../backup-client.ts';

await needs('databases', 'mysql', 'postgresql');
const test = testSuite('backups of databases');
let mariaDb: MariaDb;
let postgres: Postgres;
let server: TestServer;
let [ann, bob] = [] as unknown as [BackupClient, BackupClient];
let first = '';

const psql = (database: string, sql: string) =>
  execFileSync('psql', ['-XqAt', '-v', 'ON_ERROR_STOP=1', '-h', postgres.folder, '-U', 'postgres', '-d', database], {
    input: sql,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim();
const asOwner = (database: string, sql: string) =>
  psql(database, `set session authorization "${database}-owner"; ${sql}`);
const databasesOf = async (id: string, who = ann) =>
  (await who.ask<{ databases: Body[] }>('GET', `/${id}/databases`)).body.databases;
const shown = async (id: string, who = ann) =>
  (await databasesOf(id, who)).map(({ engine, name, problem }) => [engine, name, problem]);
const dumpOf = (id: string, engine: string, name: string) =>
  ann.ask<string>('GET', `/${id}/databases/${engine}/${name}/content`);
const restored = (id: string, engine: string, name: string, who = ann) =>
  who.done('POST', `/${id}/databases/${engine}/${name}/restore`);
const make = async (client: BackupClient, name: string) =>
  assert.is((await client.ask('POST', '/api/postgresql/databases', { name })).status, 201);
const activity = async (who = ann) =>
  (await server.hostkeep.core.events.page(who.account.id, '', 0, 5)).lines.join('\n');

if (hasRestic && hasMariaDb()) {
  test.before(async () => {
    [mariaDb, postgres] = [await MariaDb.start(), Postgres.start(['fsync=off'])];
    const login = { host: '', port: 5432, socket: postgres.folder, user: 'postgres', password: '' };
    server = await TestServer.start({
      config: {
        ...SETTINGS,
        databases: mariaDb.settings,
        postgresql: { servers: { main: login }, default_server: 'main' },
      },
    });
    [ann, bob] = [await BackupClient.make(server, 'anna'), await BackupClient.make(server, 'bob')];
    writeFileSync(join(ann.account.filesRoot, 'page.html'), 'a page');
    await mariaDb.sql(`create database anna_shop; create database bob_shop; use anna_shop;
      create table t (id int primary key, name text); insert into t values (1, 'ä; \\n'), (2, null);
      create view v as select id from t; create procedure p() insert into t (id) values (100);`);
    await make(ann, 'shop');
    psql('anna_shop', 'create extension pgcrypto'); // which the customer may not drop
    asOwner(
      'anna_shop',
      `create table t (id int primary key, name text);
      insert into t values (1, 'ä; '), (2, null); create view v as select id from t;
      create table u (id int references t); insert into u values (1);
      create schema more; create table more.n (id int); insert into more.n select generate_series(1, 50000);`,
    );
  });
  test.after(async () => {
    await server.close();
    postgres.remove();
  });

  test('a backup holds the databases of its account, and no others', async () => {
    first = await ann.made();
    assert.equal(await shown(first), [
      ['mariadb', 'anna_shop', null],
      ['postgresql', 'anna_shop', null],
    ]);
    const [backup] = await ann.list();
    assert.equal([backup?.['files'], backup?.['left_out'], (await ann.snapshots()).length], [1, 0, 3]);
    assert.match(await activity(), /made a backup of 1 files and 2 databases/);
    const sizes = (await databasesOf(first)).map(({ size_bytes: size }) => Number(size));
    for (const [i, engine] of ['mariadb', 'postgresql'].entries()) {
      const { status, headers, body } = await dumpOf(first, engine, 'anna_shop');
      assert.equal([status, headers.get('content-security-policy')], [200, "default-src 'none'; sandbox"]);
      assert.match(headers.get('content-disposition') ?? '', /''anna_shop\.sql$/);
      assert.is(Buffer.byteLength(body), sizes[i]);
      assert.match(body, /CREATE TABLE/);
    }
    assert.match((await dumpOf(first, 'postgresql', 'anna_shop')).body, /^DROP TABLE IF EXISTS public\.u;$/m);
  });

  // threat other-accounts: a database of a backup is found by its account only
  test("another account's backup, and a database that it does not have, are none", async () => {
    for (const [method, path] of [
      ['GET', `/${first}/databases`],
      ['GET', `/${first}/databases/mariadb/anna_shop/content`],
      ['POST', `/${first}/databases/mariadb/anna_shop/restore`],
    ] as const)
      assert.is((await bob.ask(method, path)).body['error'], 'backup_not_found');
    for (const path of ['mariadb/bob_shop', 'mariadb/anna_none', 'oracle/anna_shop', 'mariadb/..%2Fanna_shop'])
      for (const [method, last] of [
        ['GET', 'content'],
        ['POST', 'restore'],
      ] as const)
        assert.is((await ann.ask(method, `/${first}/databases/${path}/${last}`)).body['error'], 'database_not_found');
  });

  test('a database of MariaDB is restored into its place', async () => {
    await mariaDb.sql('use anna_shop; drop view v; delete from t where id = 1; create table later (id int)');
    const task = await restored(first, 'mariadb', 'anna_shop');
    assert.equal([task['state'], task['path'], task['detail']], ['done', 'anna_shop', null]);
    assert.is(await mariaDb.sql('use anna_shop; select id, name from t order by id'), '1\tä; \\n\n2\tNULL\n');
    assert.is(
      await mariaDb.sql('use anna_shop; call p(); select count(*) from v; select count(*) from later'),
      '3\n0\n',
    );
    assert.match(await activity(), /restored the database anna_shop from the backup of/);
  });

  test('a database of PostgreSQL is restored as a whole, or not at all', async () => {
    asOwner(
      'anna_shop',
      "delete from u; update t set name = 'changed'; drop table more.n; create table later (id int)",
    );
    const task = await restored(first, 'postgresql', 'anna_shop');
    assert.equal([task['state'], task['detail']], ['done', null]);
    assert.is(psql('anna_shop', 'select * from t order by id; select count(*) from more.n'), '1|ä; \n2|\n50000');
    assert.is(psql('anna_shop', 'select count(*) from later; select count(*) from u; select id from v'), '0\n1\n1\n2');
    asOwner('anna_shop', "delete from u; create view w as select * from more.n; update t set name = 'changed'");
    const { state, error, detail } = await restored(first, 'postgresql', 'anna_shop');
    assert.equal([state, error], ['failed', 'import_failed']);
    assert.match(String(detail), /^line \d+: cannot drop table more\.n because other objects depend on it/);
    assert.is(psql('anna_shop', 'select distinct name from t; select count(*) from u'), 'changed\n0');
    asOwner('anna_shop', 'drop view w');
    assert.is((await restored(first, 'postgresql', 'anna_shop'))['state'], 'done');
  });

  test('an import that fails says at which line, and a database that is gone is not made', async () => {
    await mariaDb.sql('use anna_shop; drop table later, t; create view t as select 1 as id');
    const { state, error, detail } = await restored(first, 'mariadb', 'anna_shop');
    assert.equal([state, error], ['failed', 'import_failed']);
    assert.match(String(detail), /^line \d+: /);
    await mariaDb.sql('drop database anna_shop');
    const gone = await restored(first, 'mariadb', 'anna_shop');
    assert.equal([gone['state'], gone['error']], ['failed', 'database_not_found']);
    await mariaDb.sql('create database anna_shop');
    assert.is((await restored(first, 'mariadb', 'anna_shop'))['state'], 'done');
    assert.is(await mariaDb.sql('select count(*) from anna_shop.t'), '2\n');
  });

  test('a database is restored beside, into another one of its account', async () => {
    const into = (engine: string, name: string) =>
      ann.done('POST', `/${first}/databases/${engine}/anna_shop/restore?into=${name}`);
    for (const [engine, name] of [
      ['mariadb', 'bob_shop'],
      ['mariadb', 'mysql'],
      ['mariadb', 'anna_none'],
      ['postgresql', 'postgres'],
    ] as const)
      assert.is((await into(engine, name))['error'], 'database_not_found', name);
    assert.is(await mariaDb.sql('show tables in bob_shop'), '');
    await mariaDb.sql('create database anna_beside; delete from anna_shop.t where id = 1');
    await make(ann, 'beside');
    asOwner('anna_shop', 'delete from u');
    const task = await into('mariadb', 'anna_beside');
    assert.equal([task['state'], task['path']], ['done', 'anna_beside']);
    assert.is(await mariaDb.sql('select count(*) from anna_beside.v; select count(*) from anna_shop.t'), '2\n1\n');
    assert.match(await activity(), /restored the database anna_shop into anna_beside from the backup of/);
    assert.is((await into('postgresql', 'anna_beside'))['state'], 'done');
    assert.is(psql('anna_beside', 'select count(*) from u'), '1');
    assert.is(psql('anna_shop', 'select count(*) from u'), '0');
    await mariaDb.sql('drop database anna_beside');
    await ann.ask('DELETE', '/api/postgresql/databases/anna_beside');
  });

  test('a database that cannot be read is left out, and the backup says why', async () => {
    await mariaDb.sql(
      'create database anna_bad; use anna_bad; create table t (id int); create view v as select * from t; drop table t',
    );
    await make(ann, 'gone');
    psql('postgres', 'drop database anna_gone');
    const id = await ann.made();
    const found = await shown(id);
    assert.equal(
      found.map(([engine, name, problem]) => [engine, name, problem === null]),
      [
        ['mariadb', 'anna_bad', false],
        ['mariadb', 'anna_shop', true],
        ['postgresql', 'anna_gone', false],
        ['postgresql', 'anna_shop', true],
      ],
    );
    for (const [, , problem] of found)
      if (problem !== null) assert.match(String(problem), /View 'anna_bad.v' references|refuses/);
    assert.is((await ann.list())[0]?.['left_out'], 2);
    assert.match(await activity(), /has a backup without 2 databases: anna_bad: Couldn't execute .* View 'anna_bad.v'/);
    assert.is((await dumpOf(id, 'mariadb', 'anna_bad')).body['error' as never], 'database_not_found');
    await mariaDb.sql('drop database anna_bad');
    await ann.ask('DELETE', '/api/postgresql/databases/anna_gone');
    assert.is((await dumpOf(first, 'mariadb', 'anna_shop')).status, 200, 'dumps of earlier backups stay');
  });

  test('a server that does not answer costs its databases', async () => {
    await mariaDb.stop();
    const id = await ann.made();
    const [all, other] = await shown(id);
    assert.equal(
      [all?.slice(0, 2), other],
      [
        ['mariadb', ''],
        ['postgresql', 'anna_shop', null],
      ],
    );
    assert.match(String(all?.[2]), /does not answer/);
    const { state, error } = await restored(first, 'mariadb', 'anna_shop');
    assert.equal([state, error], ['failed', 'databases_unavailable']);
    await mariaDb.up();
  });

  test('what the plan has no room for is left out, and takes none', async () => {
    const { plans } = server.hostkeep.core;
    asOwner('anna_shop', 'create table big as select gen_random_bytes(1000) as b from generate_series(1, 30000)');
    const before = (await plans.get('developer')).limits;
    await plans.update('developer', { limits: { ...before, backups_limit_mib: 8 } });
    const id = await ann.made();
    assert.match(String((await shown(id)).find(([engine]) => engine === 'postgresql')?.[2]), /more room than the plan/);
    const bytes = Number((await ann.ask('GET', '')).body['repository_bytes']);
    assert.ok(bytes < 8 << 20, `${bytes} bytes`);
    await plans.update('developer', { limits: before });
    asOwner('anna_shop', 'drop table big');
  });

  test('a backup that is canceled while a server takes its time is none', async () => {
    const count = (await ann.list()).length;
    mariaDb.freeze();
    const { body } = await ann.ask('POST', '');
    const files = async () => (await ann.ask('GET', `/api/backup-tasks/${String(body['id'])}`)).body['files'];
    await until('the files are in it', async () => Number(await files()) > 0);
    const { body: canceled } = await ann.ask('DELETE', `/api/backup-tasks/${String(body['id'])}`);
    mariaDb.resume();
    assert.equal([canceled['state'], (await ann.list()).length], ['canceled', count]);
    const before = await ann.snapshots();
    await ann.made();
    const after = await ann.snapshots();
    assert.equal(before.filter((id) => !after.includes(id)).length, 1, 'the files that it had are gone');
  });

  test('an account without files has its databases backed up', async () => {
    const id = await bob.made();
    assert.equal(await shown(id, bob), [['mariadb', 'bob_shop', null]]);
    assert.equal((await bob.ask('GET', `/${id}/files`)).body['entries'], []);
    assert.is((await bob.ask('GET', `/${id}/content?path=database.sql`)).body['error'], 'file_not_found');
    assert.is((await bob.ask('POST', `/${id}/restore`, { path: '' })).body['error'], 'file_not_found');
    await mariaDb.sql('create table bob_shop.t (id int)');
    await bob.made();
    assert.is((await restored(id, 'mariadb', 'bob_shop', bob))['state'], 'done');
    await mariaDb.stop();
    const { state, error, detail } = await bob.done('POST', '');
    assert.equal([state, error], ['failed', 'backup_failed'], String(detail));
    await mariaDb.up();
  });

  test('databases go with their backup', async () => {
    for (const { id } of await ann.list())
      if (id !== first) assert.is((await ann.done('DELETE', `/${String(id)}`))['state'], 'done');
    assert.is((await ann.snapshots()).length, 3);
    assert.is((await ann.done('DELETE', `/${first}`))['state'], 'done');
    assert.equal(await ann.snapshots(), []);
    assert.equal(
      await server.hostkeep.core.local.all('select * from backup_databases where account_id = ?', ann.account.id),
      [],
    );
  });
}
