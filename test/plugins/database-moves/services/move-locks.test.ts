/** What a move locks on a database server, whose connections it ends, and what it drops in the end. */
import * as assert from '../../../support/assert.ts';
import { errorMessage } from '../../../../kernel/errors.ts';
import { dropMoved } from '../../../../plugins/database-moves/dropping.ts';
import {
  recordedDatabase,
  recordedUser,
  type MoveRecord,
  type Recorded,
} from '../../../../plugins/database-moves/record.ts';
import { readContents, readDatabases } from '../../../../plugins/database-moves/contents/tables.ts';
import type { MoveServer } from '../../../../plugins/database-moves/server.ts';
import { TableLocks } from '../../../../plugins/database-moves/window.ts';
import type { DatabaseClient } from '../../../../kernel/areas/database-servers.ts';
import { DatabaseClients } from '../../../support/database-clients.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [databases] = await needs('databases');
const test = testSuite('databases-move-locks');
const hasReal = hasMariaDb();
let mariaDb: MariaDb;
let clients: DatabaseClients;
const connected = (): Promise<DatabaseClient> => clients.connect();

/** Runs a statement that waits for the lock of a table, and resolves with how it will end once it waits. */
async function waiting(sql: string): Promise<{ readonly end: Promise<string> }> {
  const client = await connected();
  const end = client.query(sql).then(
    () => 'done',
    (error: unknown) => String((error as { code?: unknown }).code),
  );
  const waits = `select count(*) from information_schema.processlist where info = '${sql}' and state like 'Waiting%'`;
  await until(`${sql} waits`, async () => (await mariaDb.sql(waits)) === '1\n');
  return { end };
}

test.before(async () => {
  if (!hasReal) return;
  mariaDb = await MariaDb.start();
  clients = await DatabaseClients.start(databases, mariaDb.socket);
});
test.after(async () => {
  await (clients as DatabaseClients | undefined)?.close();
});

if (hasReal) {
  test('those who wait for tables of the account lose their connection, and nobody else', async () => {
    for (const name of ['ann_a', '`ann_b.c`', 'joann_a', 'shop'])
      await mariaDb.sql(`create database ${name}; create table ${name}.t (text varchar(10))`);
    const [holder, client] = [await connected(), await connected()];
    await holder.query('lock tables joann_a.t write, shop.t write');
    const databases = ['ann_a', 'ann_b.c'].map((name) => ({
      ...{ name, charset: 'utf8mb4', collation: 'utf8mb4_general_ci' },
      tables: [{ name: 't', isSequence: false }],
    }));
    const locks = await TableLocks.take({ open: connected } as unknown as MoveServer, databases);
    const own = await Promise.all(
      ['insert into ann_a.t values (1)', 'insert into `ann_b.c`.t values (2)'].map(waiting),
    );
    const others = await Promise.all(
      ['insert into joann_a.t values (3)', 'insert into shop.t values (4)'].map(waiting),
    );
    await locks.endOthers(client, ['ann_a', 'ann_b.c']);
    for (const { end } of own) assert.is(await end, 'PROTOCOL_CONNECTION_LOST');
    await locks.release();
    await holder.query('unlock tables');
    for (const { end } of others) assert.is(await end, 'done');
    const counts = await mariaDb.sql(
      'select count(*) from ann_a.t; select count(*) from `ann_b.c`.t; select count(*) from shop.t',
    );
    assert.is(counts, '0\n0\n1\n');
  });

  test('moved databases are dropped only if nothing in them changed since', async () => {
    await mariaDb.sql(`
      create database eve_a; create database eve_b; create table eve_b.t (n int); use eve_a;
      create table parents (id int primary key) engine=innodb; insert into parents values (1);
      create table children (id int, foreign key (id) references parents (id)) engine=innodb; insert into children values (1);
      create table parts (n int) engine=myisam partition by hash (n) partitions 2; create table memo (n int) engine=memory;
      create sequence numbers; create view looks as select * from parents;
      create trigger after_parts after insert on parts for each row insert into nowhere.t values (1);
    `);
    const client = await connected();
    const names = ['eve_a', 'eve_b'];
    const { databases } = await readDatabases(client, names);
    const rows: Recorded[] = [recordedUser('own', { name: 'eve', host: 'localhost' })];
    for (const database of databases)
      rows.push({ ...recordedDatabase('own', database.name), contents: [...(await readContents(client, database))] });
    const removed: Recorded[] = [];
    const record = {
      all: () => Promise.resolve(rows),
      remove: (row: Recorded) => Promise.resolve(void removed.push(row)),
    } as unknown as MoveRecord;
    const server = { name: 'own', open: connected } as unknown as MoveServer;
    const dropAll = (isForced = false) => dropMoved(client, server, record, { isForced });
    const refused = async (tables: string) => {
      const message = await dropAll().then(
        () => 'dropped',
        (error: unknown) => errorMessage(error),
      );
      assert.match(message, `changed after they had moved: ${tables}; look at them`);
      assert.equal((await readDatabases(client, names)).databases.length, 2);
      assert.equal(removed, []);
    };
    await mariaDb.sql('insert into eve_a.parents values (2)');
    await refused('eve_a.parents');
    await mariaDb.sql('delete from eve_a.parents where id = 2; create table eve_b.made (n int)');
    await refused('eve_b.made');
    await mariaDb.sql('drop table eve_b.made; alter table eve_b.t comment "changed"');
    await refused('eve_b.t');
    await mariaDb.sql("alter table eve_b.t comment ''; drop table eve_a.memo"); // as if it had been killed before
    await dropAll();
    assert.equal((await readDatabases(client, names)).databases, []);
    assert.is(removed.length, 3);
    await mariaDb.sql('create database eve_b; create table eve_b.t (n bigint)');
    await dropAll(true);
    assert.equal((await readDatabases(client, names)).databases, []);
  });
}
