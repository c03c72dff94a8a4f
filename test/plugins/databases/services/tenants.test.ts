/** What one database user can do to the accounts on the same server; each test with a second account beside it. */
import { execFile, type ChildProcess } from 'node:child_process';
import { linkSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('databases-tenants');
const SIZES = '/api/mysql-size';
/** How often sizes are read; who asks sooner gets the same ones. */
const REFRESH_MS = 100;
/** So many times are they read while alice does her worst. */
const ROUNDS = 30;
/** Usual reads take milliseconds; who waits for a lock does so for the ten seconds of `query_timeout_ms`. */
const USUAL_MS = 9000;

interface Entry {
  Database: string;
  'Size (BYTES)': number;
  as_of?: string | null;
}
type Who = Awaited<ReturnType<TestServer['user']>>;

let mariaDb: MariaDb;
let toEnd: ChildProcess[] = [];
test.before(async () => {
  mariaDb = await MariaDb.start();
  await mariaDb.sql(`
    create database alice_a; create table alice_a.entries (id int) engine=MyISAM; insert into alice_a.entries select seq from alice_a.seq_1_to_1000;
    create database alice_b; create table alice_b.entries (id int) engine=MyISAM;
    create database bob_shop; create table bob_shop.orders (id int) engine=MyISAM; create table bob_shop.posts (id int);
    create user alice@localhost identified by 'secret'; grant all on \`alice\\_%\`.* to alice@localhost;
    create user hostkeep@localhost identified by 'secret'; grant select, process on *.* to hostkeep@localhost;
  `);
});
test.after.each(() => {
  for (const child of toEnd) child.kill();
  toEnd = [];
});

async function withServer(work: (server: TestServer, alice: Who, bob: Who) => Promise<void>): Promise<void> {
  const databases = {
    servers: { main: { socket: mariaDb.socket, user: 'hostkeep', password: 'secret' } },
    default_server: 'main',
    refresh_seconds: REFRESH_MS / 1000,
  };
  const server = await TestServer.start({ config: { databases } });
  await work(server, await server.user('alice'), await server.user('bob'));
  await server.close();
}

/** Runs statements as alice until they or the test end. */
function asAlice(sql: string): ChildProcess {
  const options = ['--no-defaults', `--socket=${mariaDb.socket}`, '--user=alice', '--password=secret', '--batch'];
  const child = execFile('mariadb', options, () => undefined);
  child.stdin?.on('error', () => undefined).end(sql); // the client ends early where the server refuses it
  toEnd.push(child);
  return child;
}

async function entriesOf(server: TestServer, { token }: Who): Promise<Map<string, Entry>> {
  const { status, body } = await server.ask<Entry[]>(SIZES, { token });
  assert.is(status, 200);
  return new Map(body.map((entry) => [entry.Database, entry]));
}

/** Resolves with what is shown of a database once its size is known, for which a request waits for a second and a half. */
async function sizedOf(server: TestServer, who: Who, name: string): Promise<Entry> {
  const isSized = (entry: Entry | undefined) => entry !== undefined && entry.as_of === undefined;
  return (await eventually(`${name} is sized`, async () => (await entriesOf(server, who)).get(name), isSized)) as Entry;
}

/** Asks whenever sizes are read again, and checks that bob is answered as usual. */
async function assertUnaffected(server: TestServer, alice: Who, bob: Who): Promise<void> {
  const asked = performance.now();
  await sizedOf(server, bob, 'bob_shop');
  assert.ok(performance.now() - asked < USUAL_MS, `sized after ${Math.round(performance.now() - asked)} ms`);
  for (let round = 0; round < ROUNDS; round += 1, await delay(REFRESH_MS)) {
    const pending = entriesOf(server, alice);
    const started = performance.now();
    const shop = (await entriesOf(server, bob)).get('bob_shop');
    assert.ok(performance.now() - started < USUAL_MS, `answered after ${Math.round(performance.now() - started)} ms`);
    assert.ok((shop?.['Size (BYTES)'] ?? 0) > 1024, 'both tables are counted');
    assert.is(shop?.as_of, undefined);
    assert.is((await server.ask('/api/database-size?database=bob_shop', bob)).status, 200);
    await pending;
  }
}

if (hasMariaDb()) {
  // threat hostile-backend: a table that one account locks costs that account only
  test('a locked table costs its own account the newest size, and others nothing', async () => {
    await withServer(async (server, alice, bob) => {
      const before = await sizedOf(server, alice, 'alice_a');
      assert.ok(before['Size (BYTES)'] >= 7000);
      const lock = asAlice('create table alice_a.hold engine=MyISAM as select sleep(300)');
      await until('the lock', async () =>
        (
          await mariaDb.sql("select info from information_schema.processlist where info like 'create table %sleep%'")
        ).includes('hold'),
      );
      await until('the marker', async () => typeof (await entriesOf(server, alice)).get('alice_a')?.as_of === 'string');
      await assertUnaffected(server, alice, bob);
      const during = await entriesOf(server, alice);
      assert.is(during.get('alice_a')?.['Size (BYTES)'], before['Size (BYTES)']);
      const asOf = during.get('alice_a')?.as_of ?? '';
      assert.ok(Date.now() - Date.parse(asOf) >= ROUNDS * REFRESH_MS, `${asOf} is the time of the last known size`);
      assert.is(during.get('alice_b')?.as_of, undefined, 'another database of the same account');
      assert.equal((await server.ask('/api/database-size?database=alice_a', alice)).body, {
        size: '7.9K',
        as_of: asOf,
      });
      await mariaDb.sql(
        `kill ${(await mariaDb.sql("select id from information_schema.processlist where info like 'create table %sleep%' and user = 'alice'")).trim()}`,
      );
      lock.kill();
      await until('the newest size', async () => (await entriesOf(server, alice)).get('alice_a')?.as_of === undefined);
    });
  });

  test('a table that was locked before the first request is left out of the size', async () => {
    asAlice('create table alice_a.hold engine=MyISAM as select sleep(300)');
    await until('the lock', async () => (await mariaDb.sql('show tables in alice_a')).includes('hold'));
    await withServer(async (server, alice, bob) => {
      assert.is((await entriesOf(server, alice)).get('alice_a')?.as_of, null);
      await assertUnaffected(server, alice, bob);
    });
  });

  test('tens of thousands of tables cost their own account only', async () => {
    await mariaDb.sql('create database alice_many; create table alice_many.t (id int) engine=MyISAM');
    const folder = join(mariaDb.data, 'alice_many');
    const files = readdirSync(folder).filter((name) => name.startsWith('t.'));
    assert.is(files.length, 3);
    for (let i = 0; i < 28_000; i += 1)
      for (const file of files) linkSync(join(folder, file), join(folder, `${'long'.repeat(14)}${i}${file.slice(1)}`));
    assert.is(
      (await mariaDb.sql("select count(*) from information_schema.tables where table_schema = 'alice_many'")).trim(),
      '28001',
    );
    const sent = async () => Number((await mariaDb.sql("show global status like 'Bytes_sent'")).split('\t')[1]);
    await withServer(async (server, alice, bob) => {
      assert.is((await entriesOf(server, alice)).get('alice_many')?.as_of, null);
      const before = await sent();
      await assertUnaffected(server, alice, bob);
      assert.ok((await sent()) - before < 28_000 * 60);
      assert.is((await entriesOf(server, alice)).get('alice_b')?.as_of, undefined);
    });
    rmSync(folder, { recursive: true }); // a minute faster than drop database
  });

  test('a thousand tables that must be opened are sized, in several statements', async () => {
    await mariaDb.sql(
      `create database alice_wide; ${Array.from({ length: 1200 }, (_, i) => `create table alice_wide.t${i} (id int) engine=MyISAM;`).join('')}`,
    );
    await withServer(async (server, alice) => {
      await until('the size', async () => (await entriesOf(server, alice)).get('alice_wide')?.as_of === undefined);
      assert.is((await entriesOf(server, alice)).get('alice_wide')?.['Size (BYTES)'], 1200 * 1024);
    });
    await mariaDb.sql('drop database alice_wide');
  });

  // threat hostile-backend: an account that takes all connections of a database server does not take ours
  test('an account that takes all connections takes none of ours', async () => {
    await mariaDb.sql('set global max_connections = 15');
    await withServer(async (server, alice, bob) => {
      await entriesOf(server, bob);
      const connections = async (user: string) =>
        Number(await mariaDb.sql(`select count(*) from information_schema.processlist where user = '${user}'`));
      assert.is(await connections('hostkeep'), 3);
      for (let i = 0; i < 20; i += 1) asAlice('select sleep(300)');
      await until('the last connection', async () => {
        const taken = await connections('alice').catch(() => 0);
        if (taken < 12) asAlice('select sleep(300)'); // whoever counts them may have had a place that she wanted
        return taken >= 12;
      });
      await assertUnaffected(server, alice, bob);
      assert.ok((await server.health('databases')).every(({ ok }) => ok));
    });
  });
}
