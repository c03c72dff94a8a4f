/** Databases that are exported and imported, and dumps that are meant to reach further. */
import { execFileSync } from 'node:child_process';
import { gunzipSync, gzipSync } from 'node:zlib';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import mysql from '../../../../plugins/mysql/index.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [databases] = await needs('databases');
const test = testSuite('mysql, transfers');
type Who = Awaited<ReturnType<TestServer['user']>>;

let mariaDb: MariaDb;
let server: TestServer;
const folder = temporaryFolder();
let [ann, ben] = [] as unknown as [Who, Who];

const CONTENTS = `
  create table t (id int primary key, name text, raw blob, changed int default 0) engine=innodb;
  insert into t (id, name, raw) values (1, 'ä ; \\' DEFINER', x'00ff0d0a1a'), (2, '\\\\! rm', null);
  create table old (id int) engine=myisam; insert into old values (7);
  create view v as select id, name from t;
  create trigger before_t before insert on t for each row set new.changed = 1;
  delimiter //
  create procedure p() begin insert into t (id) values (100); end //
  create function f(n int) returns int deterministic return n + 1 //
  create event e on schedule every 1 day do delete from old //`;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start(
      'create database ben_own; create table ben_own.secret (id int); create database ann_other',
    );
    server = await TestServer.start({
      plugins: [databases, mysql],
      config: {
        databases: mariaDb.settings,
        mysql: { import_max_bytes: 8 << 20 },
      },
    });
    [ann, ben] = [await server.user('ann'), await server.user('ben')];
  });
  test.before.each(
    async () => void (await mariaDb.sql('create or replace database ann_shop; create or replace database ann_copy')),
  );

  const send = (path: string, init: RequestInit & { duplex?: 'half' } = {}, who = ann) =>
    fetch(server.hostkeep.url('user') + path, { ...init, headers: { authorization: `Bearer ${who.token}` } });
  const fetchDump = (database: string, who = ann, query = '') =>
    send(`/api/databases/${database}/export${query}`, {}, who);
  const load = async (database: string, body: string | Uint8Array, who = ann) => {
    const answer = await send(`/api/databases/${database}/import`, { method: 'POST', body: Buffer.from(body) }, who);
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const loaded = async (database: string, body: string | Uint8Array) => {
    const answer = await load(database, body);
    assert.equal([answer.status, answer.body], [200, { changed: true }], JSON.stringify(answer.body));
  };
  const fails = async (body: string | Uint8Array, detail: RegExp) => {
    const answer = await load('ann_shop', body);
    assert.equal([answer.status, answer.body['error']], [422, 'import_failed'], JSON.stringify(answer.body));
    assert.match(answer.body['detail'] ?? '', detail);
  };
  const importers = async () => (await mariaDb.sql("select user from mysql.user where user like '%-import'")).trim();
  const changes = () => server.hostkeep.core.store.all('select * from mysql_changes');
  const running = async () => (await mariaDb.sql('show processlist')).includes('-import');
  const lines = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 3)).lines.join('\n');

  test("another account's and missing databases are neither exported nor imported", async () => {
    for (const name of ['ben_own', 'mysql', 'ann_none']) {
      assert.is((await fetchDump(name)).status, 404);
      assert.is((await load(name, 'select 1')).status, 404);
    }
    assert.is((await fetchDump('ann_shop', ben)).status, 404);
    await server.hostkeep.core.accounts.setFeature('ann', 'mysql_import', false);
    assert.is((await load('ann_shop', 'select 1')).status, 403);
    await server.hostkeep.core.accounts.setFeature('ann', 'mysql_import', undefined);
  });

  test('what is exported is all there after an import', async () => {
    await mariaDb.sql(`use ann_shop; ${CONTENTS}`);
    const answer = await fetchDump('ann_shop');
    assert.is(answer.headers.get('content-type'), 'application/gzip');
    assert.match(answer.headers.get('content-disposition') ?? '', /ann_shop\.sql\.gz$/);
    const dump = Buffer.from(await answer.arrayBuffer());
    const zstd = await fetchDump('ann_shop', ann, '?format=zstd');
    assert.is(zstd.headers.get('content-type'), 'application/zstd');
    assert.match(zstd.headers.get('content-disposition') ?? '', /ann_shop\.sql\.zst$/);
    for (const body of [dump, gunzipSync(dump), Buffer.from(await zstd.arrayBuffer())]) {
      await mariaDb.sql('create or replace database ann_copy');
      await loaded('ann_copy', body);
      for (const sql of ['select id, name, hex(raw), changed from t', 'select * from old', 'select * from v'])
        assert.is(await mariaDb.sql(`use ann_copy; ${sql}`), await mariaDb.sql(`use ann_shop; ${sql}`));
      // as whom they run is there, and cannot log in
      assert.is(await mariaDb.sql('use ann_copy; call p(); select changed, f(1) from t where id = 100'), '1\t2\n');
      assert.match(await mariaDb.sql('show create user `ann_copy-import`@localhost'), /ACCOUNT LOCK/);
    }
    assert.match(await lines(), /imported a dump into the database ann_copy/);
    const users = (await server.ask('/api/database-users', { token: ann.token })).body;
    assert.equal(users, []);
    await server.ask('/api/databases/ann_copy', { token: ann.token, method: 'DELETE' });
    assert.is(await importers(), '');
  });

  test('a dump reaches nothing but its database', async () => {
    const file = join(folder, 'made');
    const server_users = await mariaDb.sql('select user, host, priv from mysql.global_priv order by 1, 2');
    for (const statement of [
      'use ben_own;',
      'use ann_other;',
      'use mysql;',
      'insert into ben_own.secret values (1);',
      'create table ann_other.t (id int);',
      'create database ann_more;',
      'drop database ben_own;',
      "create user ann_x@localhost identified by 'x';",
      'grant select on ann_shop.* to ben_x@localhost;',
      'grant all on *.* to current_user();',
      'set role root;',
      'set global max_connections = 1;',
      "set password for root@localhost = password('x');",
      `create function sys_exec returns int soname 'udf.so';`,
      `install soname 'ha_federatedx';`,
      `select 1 into outfile '${file}';`,
      `load data infile '/etc/passwd' into table t;`,
      `load data local infile '/etc/passwd' into table t;`,
      "select load_file('/etc/passwd') + (select no_such);",
      'create procedure q() sql security definer begin end; create definer = root@localhost procedure r() select 1;',
      'shutdown;',
      'flush privileges;',
      'kill 1;',
      `\\! touch ${file}`,
      `system touch ${file}`,
      `source ${join(folder, 'other.sql')}`,
      `\\. ${join(folder, 'other.sql')}`,
      `tee ${file}`,
      `pager touch ${file}`,
    ]) {
      await mariaDb.sql('create or replace database ann_shop; create table ann_shop.t (line text)');
      await fails(`select 1;\n${statement}\nselect 2;\n`, /^line [23]: /);
      assert.is(existsSync(file), false, statement);
    }
    assert.is(await importers(), '');
    assert.is(await mariaDb.sql('select user, host, priv from mysql.global_priv order by 1, 2'), server_users);
    assert.is(await mariaDb.sql('select count(*) from ben_own.secret'), '0\n');
    assert.equal(await changes(), []);
  });

  test('definers of another server do not stop an import', async () => {
    await loaded(
      'ann_shop',
      'create table t (id int);\nCREATE DEFINER=`root`@`localhost` VIEW v AS select * from t;\n',
    );
    assert.is(
      await mariaDb.sql("select definer from information_schema.views where table_schema = 'ann_shop'"),
      'ann_shop-import@localhost\n',
    );
  });

  test('an import that fails names the line, and leaves what was before it', async () => {
    await fails(
      'create table t (id int);\ninsert into t values (1);\n\ninsert into no_such values (1);\n',
      /^line 4: .*no_such/,
    );
    assert.is(await mariaDb.sql('select * from ann_shop.t'), '1\n');
    assert.match(await lines(), /imported a part of a dump into the database ann_shop/);
    const dump = gzipSync('create table u (id int);\n'.padEnd(1 << 20, '-- \n'));
    await fails(dump.subarray(0, dump.length - 20), /gzip/);
    await mariaDb.sql('drop table ann_shop.u');
    await fails(Buffer.concat([dump.subarray(0, -8), Buffer.alloc(8)]), /gzip/);
    await mariaDb.sql('drop table ann_shop.u');
    const zstd = (text: string | Buffer) => execFileSync('zstd', ['-qc'], { input: text });
    await fails(zstd('create table u (id int);\n'.padEnd(1 << 20, '-- \n')).subarray(0, -20), /zstd/);
    await fails(Buffer.concat([zstd('').subarray(0, 4), Buffer.from('no zstd')]), /zstd/);
    for (const large of [gzipSync, zstd]) await fails(large(Buffer.alloc(9 << 20, '-- \n')), /at most 8388608 bytes/);
    assert.equal(await changes(), []);
  });

  test('an export that its client gives up ends its program', async () => {
    await mariaDb.sql('create table ann_shop.old (id int) engine=myisam');
    const locking = mariaDb.sql('lock tables ann_shop.old write; select sleep(600)').catch(() => undefined);
    const showing = async (text: string) => (await mariaDb.sql('show processlist')).includes(text);
    await until('it is locked', () => showing('sleep(600)'));
    const abort = new AbortController();
    const given = send('/api/databases/ann_shop/export', { signal: abort.signal })
      .then((answer) => answer.arrayBuffer())
      .then(
        () => 'whole',
        () => 'broken',
      );
    await until('it waits', () => showing('metadata lock'));
    abort.abort();
    assert.is(await given, 'broken');
    await until('it has ended', async () => !(await showing('metadata lock')));
    await mariaDb.sql(
      "select concat('kill ', id) into @sql from information_schema.processlist where info like 'select sleep(600)'; execute immediate @sql",
    );
    await locking;
  });

  test('an import whose process was killed is ended by the next one', async () => {
    await loaded('ann_shop', 'create table t (id int)');
    await mariaDb.sql(
      `create user 'ann_shop-import'@localhost; grant select on ann_shop.* to 'ann_shop-import'@localhost`,
    );
    await server.hostkeep.core.store.write((tx) =>
      tx.run(
        `insert into mysql_changes (account_id, kind, name, host, change, about, ip, claimed_by)
          values (?, 'import', 'ann_shop', 'localhost', 'create', '{}', '192.0.2.7', '1:1')`,
        ann.account.id,
      ),
    );
    await until('it is ended', async () => (await changes()).length === 0);
    assert.is(await importers(), '');
    assert.match(await lines(), /imported a part of a dump into the database ann_shop from IP 192\.0\.2\.7/);
  });

  test('an import that its client gives up ends, and so does its user', async () => {
    const abort = new AbortController();
    const given = send('/api/databases/ann_shop/import', {
      ...{ method: 'POST', duplex: 'half', signal: abort.signal },
      body: new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from('create table t (id int); select sleep(600);\n')),
      }),
    }).then(
      () => 'answered',
      () => 'gone',
    );
    await until('it runs', running);
    const [next, tooMany] = [load('ann_shop', 'select 1'), load('ann_shop', 'select 1')];
    const refused = await Promise.race([next, tooMany]);
    assert.equal([refused.status, refused.body['error']], [503, 'overloaded']);
    abort.abort();
    assert.is(await given, 'gone');
    assert.equal([(await next).status, (await tooMany).status].toSorted(), [200, 503]);
    await until('it has ended', async () => !(await running()) && (await importers()) === '');
    await until('nothing is left', async () => (await changes()).length === 0);
  });
}
