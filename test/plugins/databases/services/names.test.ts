import * as assert from '../../../support/assert.ts';
import { DatabaseNames } from '../../../../kernel/kit/databases/mariadb/database-names.ts';
import { MysqlClient } from '../../../../plugins/databases/mysql/client.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('database-names');

if (hasMariaDb())
  test('names are listed anew once a database was made, and a dropped one is gone', async () => {
    const mariaDb = await MariaDb.start('create database ann_a; create database ann_b; create database annx;');
    const client = await MysqlClient.open(loginTo(mariaDb.socket), { connectMs: 5000, queryMs: 10_000 }, 1);
    const names = new DatabaseNames();
    const asked: string[] = [];
    const counting: Parameters<DatabaseNames['like']>[0] = {
      query: (sql, params) => {
        asked.push(sql.split(' ', 2).join(' '));
        return client.query(sql, params);
      },
    };
    const list = async () => (await names.like(counting, 'ann\\_%')).toSorted();
    try {
      assert.equal(await list(), ['ann_a', 'ann_b']);
      await mariaDb.sql('drop database ann_b');
      assert.equal(await list(), ['ann_a']);
      assert.is(asked.filter((sql) => sql === 'show databases').length, 1, 'that needs no new list');
      await mariaDb.sql('create database ann_c; create database ben_c');
      assert.equal(await list(), ['ann_a', 'ann_c']);
      assert.equal(await list(), ['ann_a', 'ann_c']);
      assert.is(asked.filter((sql) => sql === 'show databases').length, 2);
      assert.equal(await names.among(counting, ['ann_c', 'ann_b', "it's"]), ['ann_c']);
    } finally {
      await client.close();
      await mariaDb.remove();
    }
  });
