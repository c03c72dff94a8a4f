/** Statements that customers read their databases with. */
import * as assert from '../../../support/assert.ts';
import mysql from '../../../../plugins/mysql/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const [databases] = await needs('databases');
const test = testSuite('mysql, queries');
interface Result {
  columns: string[];
  rows: (string | null)[][];
  truncated: boolean;
  error?: string;
  detail?: string;
}

let mariaDb: MariaDb;
let server: TestServer;
let ann: Awaited<ReturnType<TestServer['user']>>;

if (hasMariaDb()) {
  test.before(async () => {
    mariaDb = await MariaDb.start();
    await mariaDb.sql(`create database ben_own; create table ben_own.secret (id int); create database ann_other;
      create table ann_other.t (id int); create database ann_shop; use ann_shop;
      create table t (id int, name text, raw blob); insert into t values (1, 'ä', x'00ff'), (2, null, null);
      create function f() returns int reads sql data return (select count(*) from ben_own.secret);
      create procedure p() insert into t (id) values (9)`);
    server = await TestServer.start({
      plugins: [databases, mysql],
      config: { databases: mariaDb.settings },
    });
    ann = await server.user('ann');
  });

  const query = (statement: string, database = 'ann_shop') =>
    server.ask<Result>(`/api/databases/${database}/query`, { token: ann.token, method: 'POST', body: { statement } });
  const result = async (statement: string) => {
    const { status, body } = await query(statement);
    assert.is(status, 200, JSON.stringify(body));
    const { columns, rows, truncated } = body;
    return [columns, rows, truncated];
  };
  const fails = async (statement: string, why: RegExp) => {
    const { status, body } = await query(statement);
    assert.equal([status, body.error], [422, 'query_failed'], `${statement}: ${JSON.stringify(body)}`);
    assert.match(body.detail ?? '', why, `${statement}: ${body.detail}`);
  };
  const remains = () => mariaDb.sql("select user from mysql.user where user like '%-query'; show processlist");

  test('rows come as the server sends them', async () => {
    assert.equal(await result('select *, 1 as id from t order by t.id; '), [
      ['id', 'name', 'raw', 'id'],
      [
        ['1', 'ä', '0x00ff', '1'],
        ['2', null, null, '1'],
      ],
      false,
    ]);
    assert.equal(await result('select * from t where id = 0'), [['id', 'name', 'raw'], [], false]);
    assert.equal(await result('do 1'), [[], [], false]);
    assert.equal(await result('show tables'), [['Tables_in_ann_shop'], [['t']], false]);
  });

  test('a statement can neither write nor reach further', async () => {
    const before = await mariaDb.sql(
      'select user, host, priv from mysql.global_priv order by 1, 2; select * from ann_shop.t',
    );
    for (const [statement, why] of [
      ['insert into t (id) values (3)', /1142|1792/],
      ['update t set id = 5', /1142|1792/],
      ['drop table t', /1142|1792/],
      ['create temporary table u (id int)', /1044|1142|1792/],
      ['call p()', /1370/],
      ['select f()', /1370/],
      ['select * from ben_own.secret', /1142/],
      ['select * from ann_other.t', /1142/],
      ['select * from mysql.global_priv', /1142/],
      ["select 1 into outfile '/tmp/hostkeep-query'", /1227/],
      ["load data local infile '/etc/passwd' into table t", /./],
      ['select 1; drop table t', /1064/],
      ['grant select on ann_shop.* to ben@localhost', /./],
      ["create user ann_x@localhost identified by 'x'", /1227/],
      ['set global max_connections = 1', /1227/],
      ['kill 1', /./],
      ['   ', /1065/],
      ["execute immediate 'insert into t (id) values (3)'", /1142|1792/],
    ] as const)
      await fails(statement, why);
    for (const name of ['ben_own', 'mysql', 'ann_none']) assert.is((await query('select 1', name)).status, 404);
    const after = await mariaDb.sql(
      'select user, host, priv from mysql.global_priv order by 1, 2; select * from ann_shop.t',
    );
    assert.is(after, before);
  });

  test('a query that takes long is seen and ended meanwhile', async () => {
    const slow = query('select sleep(9), 1');
    const found = await eventually(
      'the query is seen',
      async () =>
        (await ann.asks<{ id: string; statement: string | null }[]>('GET /api/database-processes', 200)).find(
          ({ statement }) => statement?.includes('sleep(9)') === true,
        ),
      (one) => one !== undefined,
    );
    assert.is((await server.ask('/api/databases', { token: ann.token })).status, 200);
    await ann.asks(`DELETE /api/database-processes/${found?.id}`, 200);
    assert.equal((await slow).body.error, 'query_failed');
  });

  test('rows, bytes and time are bounded, and nothing goes on', async () => {
    const [, rows, isCut] = await result('select seq from seq_1_to_5000');
    assert.equal([(rows as unknown[]).length, isCut], [1000, true]);
    const [, long, isLong] = await result("select repeat('x', 300000) from seq_1_to_100");
    assert.equal([(long as unknown[]).length, isLong], [3, true]);
    await fails('set statement max_statement_time = 0 for select sleep(600)', /longer than 10 seconds|1969|1317/);
    await until('it has ended', async () => !/-query|sleep/.test(await remains()));
    assert.equal(await server.hostkeep.core.store.all('select * from mysql_changes'), []);
  });
}
