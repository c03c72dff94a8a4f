import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { HttpError } from '../../../../kernel/errors.ts';
import type { Account } from '../../../../kernel/identity/accounts/account.ts';
import { createLog } from '../../../../kernel/log.ts';
import { MysqlClient } from '../../../../plugins/databases/mysql/client.ts';
import { DatabaseServer } from '../../../../plugins/databases/mysql/database-server.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer, type Answer } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('databases-server');
const SIZES = '/api/mysql-size';
/** How long sizes are kept at most, whatever the settings say. */
const LONGEST_FRESH_MS = 10_000;
let silent: Server;
const connected: Socket[] = [];
let mariaDb: MariaDb;
const hasReal = hasMariaDb();

test.before(async () => {
  silent = createServer((socket) => void connected.push(socket.resume().on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  if (!hasReal) return;
  mariaDb = await MariaDb.start();
  await mariaDb.sql(`
    create database ann_shop; create table ann_shop.orders (id int primary key, body text);
    insert into ann_shop.orders select seq, repeat('x', 1000) from ann_shop.seq_1_to_3000;
    create database ann_my_blog; create table ann_my_blog.posts (id int);
    create database ann_empty;
    create database \`ann_it's "q".x\`; create table \`ann_it's "q".x\`.\`a.b/c\` (id int) partition by hash (id) partitions 3;
    create database \`ann_\\back\`; create table \`ann_\\back\`.\`x'); -- \\\` (id int) engine=myisam; insert into \`ann_\\back\`.\`x'); -- \\\` values (1);
    create database \`ann_größe\`; create database \`Ann_SHOP\`; create table \`Ann_SHOP\`.t (id int);
    create database ann2_x; create database annx; create database ann;
    create database ann_b_shop; create table ann_b_shop.t (id int);
    create database eve_cms; create table eve_cms.t (id int);
    create user ann@localhost identified by 'secret#1'; grant all on \`ann\\_%\`.* to ann@localhost;
    create user eve@'%' identified by 'secret'; grant select on annx.* to eve@'%'; grant select on ann_shop.orders to eve@'%';
  `);
});
test.after(async () => {
  silent.close();
});

/** Runs a server with these settings of the plugin for one test. */
async function withServer(
  databases: Record<string, unknown>,
  work: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await TestServer.start({ config: { databases } });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

/** What the plugin says is in the way of a move of an account. */
async function obstaclesTo(server: TestServer, account: Account): Promise<readonly string[]> {
  const found = (await server.hostkeep.plugins.gather('move')).find(({ plugin }) => plugin === 'databases');
  if (found?.ok !== true) throw new Error('databases know nothing of moves');
  return found.value.obstacles(account);
}

/** An account from before a name could not extend another. */
async function olderAccount(server: TestServer, username: string): Promise<{ account: Account; token: string }> {
  const { accounts, store } = server.hostkeep.core;
  await server.account('older');
  await store.write((tx) => tx.run("update accounts set username = ? where username = 'older'", username));
  const account = await accounts.get(username);
  return { account, token: await server.token(account) };
}

function root(): Record<string, unknown> {
  return { socket: mariaDb.socket, user: 'root' };
}

async function names(server: TestServer, token: string, query = ''): Promise<string[]> {
  return (await server.ask<{ Database: string }[]>(`${SIZES}${query}`, { token })).body.map((entry) => entry.Database);
}

function untilStatus(ask: () => Promise<Answer<unknown>>, status: number): Promise<Answer<unknown>> {
  return eventually(`the status is ${status}`, ask, (answer) => answer.status === status);
}

async function requestsTo(server: TestServer): Promise<number> {
  const metric = (await server.gathered('metrics')).find(
    ({ name }) => name === 'hostkeep_database_server_samples_total',
  );
  return metric?.samples[0]?.value ?? Number.NaN;
}

// threat hostile-backend: a hanging database server delays no other request
test('a server that never answers delays nobody else', async () => {
  const { port } = silent.address() as { port: number };
  const stuck = { port, user: 'x' };
  const patience = { connect_timeout_ms: 30_000, query_timeout_ms: 30_000 }; // until the test ends the connections
  await withServer({ servers: { stuck }, accounts: { eve: 'stuck' }, ...patience }, async (server) => {
    const [ann, eve] = [await server.user('ann'), await server.user('eve')];
    let isAnswered = false;
    const slow = server.ask(SIZES, { token: eve.token }).finally(() => (isAnswered = true));
    await until('the server is asked', () => connected.length > 0);
    assert.is((await server.ask(SIZES, { token: ann.token })).status, 200);
    assert.not(isAnswered);
    for (const each of connected) each.destroy();
    assert.is((await slow).status, 503);
  });
});

// threat hostile-backend: a hanging database server costs one bounded wait
// asvs 16.5.2: a failed database server returns 503 at once
test('a server that never answers is 503 after a bounded time, then at once', async () => {
  const { port } = silent.address() as { port: number };
  const stuck = { port, user: 'x' };
  await withServer(
    { servers: { stuck }, accounts: { eve: 'stuck' }, connect_timeout_ms: 300, retry_seconds: 30 },
    async (server) => {
      const eve = await server.user('eve');
      const { status, headers, body } = await server.ask(SIZES, { token: eve.token });
      assert.equal([status, body['error'], headers.get('retry-after')], [503, 'databases_unavailable', '30']);
      const before = await requestsTo(server);
      for (const path of [SIZES, '/api/docker_databases', '/api/database-size?database=eve_x'])
        assert.is((await server.ask(path, { token: eve.token })).status, 503);
      assert.is(await requestsTo(server), before);
    },
  );
});

test('requests do not wait for a server that is known to be down', async () => {
  const { port } = silent.address() as { port: number };
  const settings = { ...loginTo(''), port };
  const server = new DatabaseServer({
    name: 'stuck',
    settings,
    connectMs: 100,
    queryMs: 1000,
    refreshMs: 1000,
    retryMs: 0,
    log: createLog('silent'),
  });
  const first = server.snapshot();
  assert.instance(first, Promise);
  await Promise.resolve(first).then(
    () => assert.unreachable(),
    (error: HttpError) => assert.is(error.code, 'databases_unavailable'),
  );
  for (let i = 0; i < 3; i += 1) assert.throws(() => server.snapshot(), /does not answer/);
  assert.equal(server.state, { requests: 2, isUp: false });
  await server.close();
});

test('a server whose socket is missing is 503, and doctor says why', async () => {
  await withServer(
    { servers: { gone: { socket: '/nonexistent/server.sock' } }, default_server: 'gone' },
    async (server) => {
      const { token } = await server.user('ann');
      const { status, body } = await server.ask(SIZES, { token });
      assert.is(status, 503);
      assert.not.match(JSON.stringify(body), /nonexistent/);
      const [part] = (await server.hostkeep.plugins.gather('doctor')).filter((each) => each.plugin === 'databases');
      assert.ok(part?.ok === true && part.value[0]?.ok === false && part.value[0].remedy !== undefined);
      assert.match((await server.health('databases'))[0]?.remedy ?? '', /start the server/);
    },
  );
});

if (hasReal) {
  test("each account sees the databases with its prefix, and no other account's", async () => {
    await withServer({ servers: { main: root() }, default_server: 'main' }, async (server) => {
      const [ann, eve] = [await server.user('ann'), await server.user('eve')];
      const annB = await olderAccount(server, 'ann_b');
      assert.equal(await names(server, ann.token), [
        'ann_\\back',
        'ann_empty',
        'ann_größe',
        'ann_it\'s "q".x',
        'ann_my_blog',
        'ann_shop',
      ]);
      assert.equal(await names(server, annB.token), ['ann_b_shop']);
      assert.equal(await names(server, eve.token), ['eve_cms']);
      assert.equal(await names(server, eve.token, '?show_all=true'), [
        'eve_cms',
        'information_schema',
        'mysql',
        'performance_schema',
        'sys',
      ]);
      assert.equal(await names(server, eve.token, '?show_all=False'), ['eve_cms']);
      assert.equal((await server.ask('/api/docker_databases', { token: ann.token })).body, { db_usage: '6' });
      for (const name of ['ann2_x', 'annx', 'ann', 'ann_b_shop', 'eve_cms', 'Ann_SHOP', 'nothing']) {
        assert.is(
          (await server.ask(`/api/database-size?database=${name}`, { token: ann.token })).body['error'],
          'database_not_found',
          name,
        );
      }
      for (const name of await names(server, ann.token, '?show_all=true'))
        assert.is((await server.ask(`/api/database-size?database=${encodeURIComponent(name)}`, ann)).status, 200, name);
    });
  });

  // threat reused-names: databases of a removed account with a longer name are nobody's
  test('longer names from before do not belong to the shorter name', async () => {
    await withServer({ servers: { main: root() }, default_server: 'main' }, async (server) => {
      const ann = await server.user('ann');
      assert.ok((await names(server, ann.token)).includes('ann_b_shop'));
      assert.is(await server.account('ann_b').then(String, ({ code }: { code: string }) => code), 'ambiguous_username');
      await olderAccount(server, 'ann_b');
      await server.hostkeep.core.accounts.remove('ann_b');
      await until('the name is forgotten', async () => !(await names(server, ann.token)).includes('ann_b_shop'));
    });
  });

  test('sizes are those of the files, for any database name', async () => {
    await withServer({ servers: { main: root() }, default_server: 'main' }, async (server) => {
      const { token } = await server.user('ann');
      const { body } = await eventually(
        'all sizes are known', // a request waits for them for a second and a half
        () => server.ask<{ Database: string; 'Size (BYTES)': number; as_of?: string | null }[]>(SIZES, { token }),
        (answer) => answer.body.every(({ as_of }) => as_of === undefined),
      );
      const shown = Object.fromEntries(body.map((entry) => [entry.Database, entry['Size (BYTES)']]));
      const folders: Record<string, string> = {
        ann_shop: 'ann_shop',
        ann_my_blog: 'ann_my_blog',
        ann_empty: 'ann_empty',
        'ann_it\'s "q".x': 'ann_it@0027s@0020@0022q@0022@002ex',
        ann_größe: readdirSync(mariaDb.data).find((name) => name.startsWith('ann_gr@')) ?? '',
      };
      for (const [name, folder] of Object.entries(folders)) assert.is(shown[name], sizeOf(folder, /\.ibd$/), name);
      assert.is(shown['ann_\\back'], sizeOf('ann_@005cback', /\.MY[DI]$/));
      assert.ok((shown['ann_shop'] ?? 0) > 3_000_000);
      assert.equal((await server.ask('/api/database-size?database=ann_my_blog', { token })).body, { size: '64K' });
    });
  });

  // asvs 13.2.2: a database login with few rights is enough
  test('a login of little power sees its own databases, with estimates', async () => {
    const mine = { host: '127.0.0.1', port: mariaDb.port, user: 'ann', password: 'secret#1', ownership: 'login' };
    await withServer(
      { servers: { mine: { ...mine, host: '', port: 0, socket: mariaDb.socket } }, accounts: { zoe: 'mine' } },
      async (server) => {
        const { token } = await server.user('zoe');
        assert.equal(await names(server, token), [
          'ann_\\back',
          'ann_b_shop',
          'ann_empty',
          'ann_größe',
          'ann_it\'s "q".x',
          'ann_my_blog',
          'ann_shop',
        ]);
        const [part] = (await server.hostkeep.plugins.gather('doctor')).filter((each) => each.plugin === 'databases');
        assert.ok(part?.ok === true && /MariaDB.*estimated/.test(part.value[1]?.detail ?? ''), JSON.stringify(part));
        assert.is(part.value.length, 2, "nothing is made on an account's own server");
      },
    );
  });

  test('doctor warns of a login that may not make and drop databases', async () => {
    const settings = { host: '', port: 0, socket: mariaDb.socket, user: 'ann', password: 'secret#1' };
    await withServer({ servers: { main: settings }, default_server: 'main' }, async (server) => {
      const [part] = (await server.hostkeep.plugins.gather('doctor')).filter((each) => each.plugin === 'databases');
      const { ok, isWarning, detail = '', remedy = '' } = (part?.ok === true && part.value[1]) || {};
      assert.equal([ok, isWarning], [false, true], JSON.stringify(part));
      assert.match(detail, /Access denied/);
      assert.match(remedy, /grant the login CREATE and DROP/);
    });
  });

  test('with ownership grants, privileges decide whose databases they are', async () => {
    await withServer(
      { servers: { main: { ...root(), ownership: 'grants' } }, default_server: 'main' },
      async (server) => {
        const [ann, eve, none] = [await server.user('ann'), await server.user('eve'), await server.user('root2')];
        assert.equal(await names(server, eve.token), ['ann_shop', 'annx']);
        assert.equal((await names(server, ann.token)).length, 7);
        assert.equal(await names(server, none.token), []);
      },
    );
  });

  test('many requests cause one query, and one per database with slow tables', async () => {
    // A user of its own, whose statements the server counts apart from those that other tests have begun.
    await mariaDb.sql('set global userstat = 1; create user counted@localhost; grant all on *.* to counted@localhost');
    const main = { ...root(), user: 'counted' };
    await withServer({ servers: { main }, default_server: 'main', refresh_seconds: 60 }, async (server) => {
      const users = [await server.user('ann'), await server.user('eve'), await server.user('fay')];
      const begunMs = performance.now();
      await Promise.all(
        users.flatMap(({ token }) =>
          ['', '?unit=kb', '?unit=gb&show_all=true'].flatMap((query) =>
            Array.from({ length: 20 }, () => server.ask(`${SIZES}${query}`, { token })),
          ),
        ),
      );
      await server.ask('/api/docker_databases', { token: users[0]?.token ?? '' });
      const requests = await requestsTo(server);
      const most = 1 + Math.floor((performance.now() - begunMs) / LONGEST_FRESH_MS); // more only where all this takes long
      assert.ok(requests > 0 && requests <= most, `${requests} requests`);
      const selects = Number(
        await mariaDb.sql("select select_commands from information_schema.user_statistics where user = 'counted'"),
      );
      assert.ok(
        selects > 0 && selects <= 7 * most,
        `${selects}, and not one that lists all, and two that size the tables to be opened in each of mysql, sys and ann_\\back`,
      );
    });
  });

  test('wrong credentials are 503; corrected ones apply without a restart', async () => {
    const file = join(temporaryFolder(), 'my.cnf');
    const write = (password: string) =>
      writeFileSync(file, `[client]\nsocket=${mariaDb.socket}\nuser=ann\npassword="${password}"\n`, { mode: 0o600 });
    write('wrong');
    await withServer(
      { servers: { main: { option_file: file } }, default_server: 'main', retry_seconds: 0.1 },
      async (server) => {
        const { token } = await server.user('ann');
        assert.is((await server.ask(SIZES, { token })).status, 503);
        write('secret#1');
        await untilStatus(() => server.ask(SIZES, { token }), 200);
        assert.is((await names(server, token)).length, 7);
      },
    );
  });

  // threat reused-names: a purge drops the databases that a new account of the name would find
  test('a purge drops databases by prefix, and only names them otherwise', async () => {
    await mariaDb.sql(
      'create database gone_a; create database `gone_b``c`; create database gonex_d; create database gone_e_f',
    );
    const never = new AbortController().signal;
    const purge = async (server: TestServer) => {
      const account = await server.hostkeep.core.accounts.removed.get('gone');
      const parts = await server.hostkeep.plugins.gather('purge', account, never);
      const part = parts.find(({ plugin }) => plugin === 'databases');
      if (part?.ok !== true) throw new Error(JSON.stringify(part));
      return part.value;
    };
    const names = async () => {
      const found = (await mariaDb.sql('show databases')).split('\n');
      return found.filter((name) => name.startsWith('gone'));
    };
    const remove = async (server: TestServer) => {
      await server.account('gone');
      await server.hostkeep.core.accounts.remove('gone');
    };
    const named = { ...root(), ownership: 'grants', database_user: 'eve' };
    await withServer({ servers: { main: named }, default_server: 'main' }, async (server) => {
      await remove(server);
      const problem =
        "ann_shop, annx are the account's: drop them on the server main, and what lets the account use them";
      assert.equal(await purge(server), [{ what: 'databases', removed: 0, problem }]);
    });
    const weak = { ...root(), user: 'eve', password: 'secret' };
    await mariaDb.sql("grant select on gone_a.* to eve@'%'");
    await withServer({ servers: { main: weak }, default_server: 'main' }, async (server) => {
      await remove(server);
      const [part] = await purge(server);
      assert.match(part?.problem ?? '', /^gone_a: Access denied/);
    });
    await withServer({ servers: { main: root() }, default_server: 'main' }, async (server) => {
      await remove(server);
      await olderAccount(server, 'gone_e');
      await mariaDb.sql(
        `create user gone_web@localhost, other@'%', gone_e_web@localhost, mixed@localhost;
        grant all on gone_a.* to gone_web@localhost; grant all on \`gone\\_later\`.* to other@'%';
        grant all on gone_e_f.* to gone_e_web@localhost; grant all on gone_a.* to mixed@localhost; grant all on annx.* to mixed@localhost`,
      );
      const users = async () =>
        (
          await mariaDb.sql(
            "select user from mysql.user where user like 'gone%' or user in ('other', 'mixed') order by 1",
          )
        ).trim();
      const rest = 'the user mixed@localhost has other rights, too';
      const stay = `the user eve@% has other rights, too`;
      const purged = await purge(server);
      assert.equal(
        purged.map(({ what, removed }) => [what, removed]),
        [
          ['databases', 2],
          ['database users', 2],
        ],
      );
      for (const part of [rest, stay]) assert.ok(purged[1]?.problem?.includes(part), purged[1]?.problem);
      assert.equal(await names(), ['gone_e_f', 'gonex_d']);
      assert.is(await users(), 'gone_e_web\nmixed');
      await mariaDb.sql("revoke all on gone_a.* from mixed@localhost; revoke all on gone_a.* from eve@'%'");
      const again = ['databases', 'database users'].map((what) => ({ what, removed: 0 }));
      assert.equal(await purge(server), again);
    });
    await withServer({}, async (server) => {
      await remove(server);
      assert.equal(await purge(server), [{ what: 'databases', removed: 0 }], 'SQLite files go with the files');
    });
  });

  test('a server that is killed is 503, and is used again when it is back', async () => {
    await withServer(
      { servers: { main: root() }, default_server: 'main', refresh_seconds: 0.1, retry_seconds: 0.1 },
      async (server) => {
        const { token } = await server.user('ann');
        const ask = () => server.ask<{ error: string }>(SIZES, { token });
        assert.is((await ask()).status, 200);
        const isHealthy = async () => (await server.health('databases')).every(({ ok }) => ok);
        assert.ok(await isHealthy());
        await mariaDb.stop('SIGKILL');
        assert.not(await isHealthy());
        const { body, headers } = await untilStatus(ask, 503);
        assert.is((body as { error: string }).error, 'databases_unavailable');
        assert.is(headers.get('retry-after'), '1');
        assert.is((await server.ask('/api/docker_databases', { token })).status, 503);
        await mariaDb.up();
        await untilStatus(ask, 200);
        assert.ok(await isHealthy());
      },
    );
  });

  test('a server that is killed during a statement is noticed at once', async () => {
    const client = await MysqlClient.open(loginTo(mariaDb.socket), { connectMs: 5000, queryMs: 30_000 });
    const running = client.query('select sleep(60)').catch((error: unknown) => error);
    const seen = "select count(*) from information_schema.processlist where info = 'select sleep(60)'";
    await until('the statement runs', async () => (await mariaDb.sql(seen)) === '1\n');
    await mariaDb.stop('SIGKILL');
    assert.is(((await running) as { code?: string }).code, 'PROTOCOL_CONNECTION_LOST');
    await client.close();
    await mariaDb.up();
  });

  test('a server that hangs between statements is 503 and used again later', async () => {
    await withServer(
      {
        servers: { main: root() },
        default_server: 'main',
        refresh_seconds: 0.1,
        retry_seconds: 0.1,
        connect_timeout_ms: 3000, // enough for a busy server that does not hang
        query_timeout_ms: 3000,
      },
      async (server) => {
        const { token } = await server.user('ann');
        await untilStatus(() => server.ask(SIZES, { token }), 200);
        mariaDb.freeze();
        await untilStatus(() => server.ask(SIZES, { token }), 503);
        mariaDb.resume();
        await untilStatus(() => server.ask(SIZES, { token }), 200);
      },
    );
  });

  test('databases on a server are in the way of a move where no plugin moves them', async () => {
    const plugins = { 'database-moves': false };
    const databases = { servers: { main: root() }, default_server: 'main', accounts: { ben: '' } };
    const server = await TestServer.start({ config: { plugins, databases } });
    const { account } = await server.user('eve');
    assert.equal(await obstaclesTo(server, account), ['it has databases on the server main: eve_cms']);
    for (const name of ['dan', 'ben']) assert.equal(await obstaclesTo(server, await server.account(name)), []);
  });

  test('doctor reports the version, and that sizes are those of files', async () => {
    await withServer({ servers: { main: root() }, default_server: 'main' }, async (server) => {
      const [part] = (await server.hostkeep.plugins.gather('doctor')).filter((each) => each.plugin === 'databases');
      assert.ok(
        part?.ok === true &&
          part.value.length === 2 &&
          /^\d+\.\d+.*MariaDB.*, sizes of its files$/.test(part.value[0]?.detail ?? '') &&
          part.value[1]?.ok === true,
        JSON.stringify(part),
      );
    });
  });
}

function sizeOf(folder: string, pattern: RegExp): number {
  const path = join(mariaDb.data, folder);
  return readdirSync(path)
    .filter((name) => pattern.test(name))
    .reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}
