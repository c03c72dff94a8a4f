/** Tables that are optimized, checked and repaired, whole ones and damaged ones. */
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import mysql from '../../../../plugins/mysql/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { pick } from '../../../support/lists.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [databases] = await needs('databases');
const test = testSuite('mysql, maintenance');
type Who = Awaited<ReturnType<TestServer['user']>>;
interface Maintained {
  tables: { table: string; status: string; text: string }[];
  total: number;
  error?: string;
}

let mariaDb: MariaDb;
let server: TestServer;
let [ann, ben] = [] as unknown as [Who, Who];

/** Overwrites a table's file behind its head. */
function damage(file: string): void {
  const fd = openSync(join(mariaDb.data, 'ann_shop', file), 'r+');
  writeSync(fd, Buffer.alloc(fstatSync(fd).size - 1024, 0xff), 0, undefined, 1024);
  closeSync(fd);
}

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start('create database ben_own; create table ben_own.secret (id int)');
    server = await TestServer.start({
      plugins: [databases, mysql],
      config: { databases: mariaDb.settings },
    });
    [ann, ben] = [await server.user('ann'), await server.user('ben')];
  });
  test.before.each(async () => void (await mariaDb.sql('create or replace database ann_shop')));

  const maintain = (action: string, { database = 'ann_shop', who = ann } = {}) =>
    server.ask<Maintained>(`/api/databases/${encodeURIComponent(database)}/maintenance`, {
      ...{ token: who.token, method: 'POST', body: { action } },
    });
  const maintained = async (action: string) => {
    const { status, body } = await maintain(action);
    assert.is(status, 200, JSON.stringify(body));
    return body;
  };
  const shows = async (text: string) => (await mariaDb.sql('show processlist')).includes(text);
  const waits = () => shows('ann_shop-maintenance');
  /** Holds a table until the function that it resolves with is called. */
  const lock = async (table: string) => {
    const locking = mariaDb.sql(`lock tables ${table} write; select sleep(600)`).catch(() => undefined);
    await until('it is locked', () => shows('sleep(600)'));
    return async () => {
      await mariaDb.sql(
        "select concat('kill ', id) into @sql from information_schema.processlist where info like 'select sleep(600)'; execute immediate @sql",
      );
      await locking;
    };
  };
  const changes = () => server.hostkeep.core.store.all('select * from mysql_changes');
  const nothingIsLeft = () =>
    until(
      'nothing is left',
      async () =>
        !(await waits()) &&
        (await mariaDb.sql("select user from mysql.user where user like '%-maintenance'")) === '' &&
        (await changes()).length === 0,
    );
  const lines = async () => (await server.hostkeep.core.events.page(ann.account.id, '', 0, 3)).lines.join('\n');

  test("another account's and missing databases are not reached", async () => {
    for (const database of ['ben_own', 'mysql', 'ann_none', '%', 'ann_shop`.`t`; drop database ben_own; #', "' or '1"])
      for (const action of ['optimize', 'check', 'repair']) {
        const { status, body } = await maintain(action, { database });
        assert.equal([status, body.error], [404, 'database_not_found'], database);
      }
    assert.is((await maintain('check', { who: ben })).status, 404);
    for (const action of ['', 'drop', 'repair table x; drop', 'OPTIMIZE'])
      assert.equal((await maintain(action)).status, 400, action);
    assert.is(await mariaDb.sql('select count(*) from ben_own.secret'), '0\n');
    await nothingIsLeft();
  });

  test('each table has a row, whatever its engine and its name', async () => {
    assert.equal(await maintained('check'), { tables: [], total: 0 });
    await mariaDb.sql(`use ann_shop; create table new_one (id int primary key) engine=innodb; insert into new_one values (1);
      create table aria (id int) engine=aria; create table old (id int, key (id)) engine=myisam; insert into old values (7);
      create table memory (id int) engine=memory; create table past (id int) with system versioning;
      create table \`a\`\`b'; drop table old; --\nx ä\` (id int) engine=myisam; create view v as select * from old;
      create table kept (id int primary key, twice int as (id * 2) stored check (twice < 10), key (twice));
      create trigger t before insert on old for each row signal sqlstate '45000'`);
    const names = ['aria', "a`b'; drop table old; --\nx ä", 'kept', 'memory', 'new_one', 'old', 'past'];
    const check = await maintained('check');
    assert.equal([pick(check.tables, 'table'), check.total], [names, 7], JSON.stringify(check));
    assert.equal(pick(check.tables, 'status'), ['ok', 'ok', 'ok', 'note', 'ok', 'ok', 'ok'], JSON.stringify(check));
    assert.match(check.tables[3]?.text ?? '', /doesn't support check/);
    assert.match(await lines(), /checked the tables of the database ann_shop/);

    const optimize = await maintained('optimize');
    assert.equal(pick(optimize.tables, 'table'), names, JSON.stringify(optimize));
    assert.equal(pick(optimize.tables, 'status'), ['ok', 'ok', 'ok', 'note', 'ok', 'ok', 'ok']);
    assert.match(optimize.tables[4]?.text ?? '', /doing recreate \+ analyze instead/);
    assert.match(await lines(), /optimized the tables of the database ann_shop/);

    const repair = await maintained('repair');
    assert.equal(pick(repair.tables, 'table'), names);
    assert.equal(
      repair.tables.filter(({ status }) => status !== 'ok').map(({ table }) => table),
      ['memory'],
    );
    assert.match(await lines(), /repaired the tables of the database ann_shop/);
    assert.is(await mariaDb.sql('select * from ann_shop.old; select * from ann_shop.new_one'), '7\n1\n');
    await nothingIsLeft();
  });

  test('a damaged table is found and repaired, and the others are done', async () => {
    await mariaDb.sql(`use ann_shop; create table a (id int); create table z (id int);
      create table old (id int, name char(20), key (id), key (name)) engine=myisam;
      insert into old select seq, seq from seq_1_to_5000; flush tables`);
    damage('old.MYI');
    const check = await maintained('check');
    assert.equal(pick(check.tables, 'status'), ['ok', 'error', 'ok'], JSON.stringify(check));
    assert.match(check.tables[1]?.text ?? '', /./);
    assert.ok((check.tables[1]?.text.length ?? 0) <= 500);
    const repair = await maintained('repair');
    assert.equal(pick(repair.tables, 'status'), ['ok', 'repaired', 'ok'], JSON.stringify(repair));
    assert.equal(pick((await maintained('repair')).tables, 'status'), ['ok', 'ok', 'ok']);
    assert.is(await mariaDb.sql('select count(*) from ann_shop.old where id > 0'), '5000\n');

    await mariaDb.sql('flush tables');
    rmSync(join(mariaDb.data, 'ann_shop', 'old.MYD'));
    for (const action of ['check', 'optimize', 'repair']) {
      const { tables } = await maintained(action);
      assert.equal(pick(tables, 'status'), ['ok', 'error', 'ok'], `${action}: ${JSON.stringify(tables)}`);
    }
  });

  test('a table that somebody holds costs a bounded wait, and so does the next request', async () => {
    await mariaDb.sql('use ann_shop; create table a (id int) engine=aria; create table b (id int)');
    const release = await lock('ann_shop.a');
    const [first, next] = [maintain('optimize'), maintain('check')];
    await until('it waits', waits);
    assert.is(
      await mariaDb.sql(`select group_concat(privilege_type order by 1 separator ' ') from information_schema.schema_privileges
        where grantee like '%-maintenance%'`),
      'INSERT SELECT\n',
    );
    const { status, body } = await maintain('check');
    assert.equal([status, body.error], [503, 'overloaded']);
    const { tables } = (await first).body;
    assert.equal(pick(tables, 'status'), ['error', 'ok'], JSON.stringify(tables));
    assert.match(tables[0]?.text ?? '', /Lock wait timeout/);
    await release();
    assert.is((await next).status, 200);
    await nothingIsLeft();
  });

  test('what runs ends with the request', async () => {
    await mariaDb.sql('create table ann_shop.a (id int)');
    const release = await lock('ann_shop.a');
    const abort = new AbortController();
    const given = fetch(`${server.hostkeep.url('user')}/api/databases/ann_shop/maintenance`, {
      ...{ method: 'POST', body: '{"action":"optimize"}', signal: abort.signal },
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
    }).then(
      () => 'answered',
      () => 'gone',
    );
    await until('it waits', waits);
    abort.abort();
    assert.is(await given, 'gone');
    await nothingIsLeft();
    assert.match(await lines(), /optimized a part of the tables of the database ann_shop/);

    await release();
  });

  test('a server that goes away is a 503, and what it left is ended once it is back', async () => {
    await mariaDb.sql('create table ann_shop.a (id int)');
    await lock('ann_shop.a');
    const asked = maintain('optimize');
    await until('it waits', waits);
    await mariaDb.stop('SIGKILL');
    const { status, body } = await asked;
    assert.equal([status, body.error], [503, 'databases_unavailable']);
    assert.is((await maintain('check')).body.error, 'databases_unavailable');
    await mariaDb.up();
    await nothingIsLeft();
    assert.equal(pick((await maintained('check')).tables, 'status'), ['ok']);
  });
}
