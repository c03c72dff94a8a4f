/** What the demo finds and creates on a database server of this host, and that it removes exactly what it created. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { DemoReport } from '../../../../kernel/contract/points/demo.ts';
import { withLocalServer } from '../../../../plugins/databases/local-server.ts';
import type { DatabasesConfig } from '../../../../plugins/databases/schema.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { testSuite } from '../../../support/suite.ts';
import { pick } from '../../../support/lists.ts';

const test = testSuite('databases-demo');
const NONE: DatabasesConfig = {
  servers: {},
  default_server: '',
  accounts: {},
  refresh_seconds: 3,
  retry_seconds: 2,
  connect_timeout_ms: 3000,
  query_timeout_ms: 10_000,
};
const LIST =
  "select group_concat(schema_name order by schema_name) from information_schema.schemata where schema_name not in ('information_schema', 'mysql', 'performance_schema', 'sys')";
const { HOME, MYSQL_UNIX_PORT } = process.env;
let mariaDb: MariaDb;

/** Sets a home folder with this option file, if any, and the socket that the server's own clients would use. */
function environment(socket: string, options?: string): void {
  const home = temporaryFolder();
  if (options !== undefined) writeFileSync(join(home, '.my.cnf'), options);
  Object.assign(process.env, { HOME: home, MYSQL_UNIX_PORT: socket });
}
test.after.each(() => {
  for (const [name, value] of Object.entries({ HOME, MYSQL_UNIX_PORT })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test('without a server the demo uses SQLite files, and says how to get a server', async () => {
  environment('/nonexistent/mysqld.sock');
  const { config, leftOut } = await withLocalServer(NONE);
  assert.is(config, NONE);
  assert.match(
    leftOut ?? '',
    /^databases: no MySQL or MariaDB server listens at \/nonexistent\/mysqld\.sock \(using SQLite files instead; apt-get install mariadb-server[^\n]*\)$/,
  );
});

test('a socket that does not answer differs from a server that denies access', async () => {
  environment(temporaryFolder());
  const { config, leftOut } = await withLocalServer(NONE);
  assert.is(config, NONE);
  assert.match(
    leftOut ?? '',
    /^databases: the server at \S+ does not answer: connect \w+ \S+ \(using SQLite files instead; apt-get install mariadb-server and start it[^\n]*\)$/,
  );
});

test('a configured server is used', async () => {
  environment('/nonexistent/mysqld.sock');
  const config = {
    ...NONE,
    servers: {
      mine: {
        host: '',
        port: 0,
        socket: '/x',
        user: '',
        password: '',
        option_file: '',
        ownership: 'prefix',
        database_user: '',
      },
    },
  };
  assert.equal(await withLocalServer(config), { config });
});

if (hasMariaDb()) {
  test.before(async () => void (mariaDb = await MariaDb.start()));
  const serverOf = ({ config }: { config: DatabasesConfig }) => config.servers[config.default_server];

  test('a server on which this user may create nothing is left out, with the reason', async () => {
    await mariaDb.sql("create user guest@localhost identified by 'secret'; grant select on mysql.* to guest@localhost");
    for (const [options, why] of [
      [
        '[client]\nuser=nobody\npassword=wrong\n',
        /does not let nobody create databases: Access denied for user 'nobody'/,
      ],
      [
        '[client]\nuser=guest\npassword=secret\n',
        /does not let guest create databases: Access denied for user 'guest'.* to database 'demo_/,
      ],
    ] as const) {
      environment(mariaDb.socket, options);
      const { config, leftOut } = await withLocalServer(NONE);
      assert.is(config, NONE);
      assert.match(leftOut ?? '', why);
      assert.match(leftOut ?? '', /\(using SQLite files instead; [^\n]*~\/\.my\.cnf[^\n]*\)$/);
    }
  });

  test('a server is found as its clients find it: by socket or option file', async () => {
    environment(mariaDb.socket);
    assert.is(serverOf(await withLocalServer(NONE))?.socket, mariaDb.socket);
    environment('/nonexistent/mysqld.sock', `[client]\nuser=root\nsocket=${mariaDb.socket}\n`);
    assert.is(serverOf(await withLocalServer(NONE))?.socket, mariaDb.socket);
    await mariaDb.sql(
      "create user demo@'127.0.0.1' identified by 'secret'; grant all on `demo\\_%`.* to demo@'127.0.0.1'",
    );
    environment(
      '/nonexistent/mysqld.sock',
      `[client]\nuser=demo\npassword=secret\nhost=127.0.0.1\nport=${mariaDb.port}\n`,
    );
    assert.is(serverOf(await withLocalServer(NONE))?.port, mariaDb.port);
    assert.is(await mariaDb.sql(LIST), 'NULL\n', 'the attempt leaves nothing');
  });

  test('root logs in through the socket, as packages set the server up', async () => {
    await mariaDb.sql("alter user root@localhost identified via mysql_native_password using 'invalid' or unix_socket");
    environment(mariaDb.socket);
    const found = await withLocalServer(NONE);
    assert.is(serverOf(found)?.socket, mariaDb.socket, found.leftOut);
  });

  test('the demo leaves existing databases alone and removes its own', async () => {
    const theirs =
      'create database demo_shop; create table demo_shop.orders (id int); create database demo_stats; create table demo_stats.hostkeep_demo (id int); create table demo_stats.also (id int); create database other_stats; create table other_stats.hostkeep_demo (id int); create table other_stats.more (id int);';
    await mariaDb.sql(
      `${theirs} create database other_shop; create table other_shop.hostkeep_demo (id int primary key)`,
    );
    const server = await TestServer.start({
      config: { databases: { servers: { main: { socket: mariaDb.socket, user: 'root' } }, default_server: 'main' } },
    });
    const [demo, other] = [await server.user('demo'), await server.user('other')];
    const people = { demo: demo.account, other: other.account };
    const parts = await server.hostkeep.plugins.gather('demoOutside', people);
    const part = parts.find(({ plugin }) => plugin === 'databases');
    assert.is(part?.ok, true);
    const { uses, leftOut } = (part?.ok === true ? part.value : {}) as DemoReport;
    assert.match(
      uses?.join('\n') ?? '',
      /^databases: \d+\.[^\n]*MariaDB[^\n]* at main with demo_blog, other_shop, see \/api\/mysql-size$/,
    );
    assert.equal(
      leftOut,
      ['demo_shop', 'demo_stats', 'other_stats'].map(
        (name) => `databases: ${name} exists and is not the demo's, so it stays unchanged`,
      ),
    );
    const { body } = await server.ask<{ Database: string }[]>('/api/mysql-size', { token: other.token });
    assert.equal(pick(body, 'Database'), ['other_shop', 'other_stats']);
    assert.is(await mariaDb.sql('select count(*) from demo_blog.hostkeep_demo'), '1000\n');
    await server.close();
    assert.is(await mariaDb.sql(LIST), 'demo_shop,demo_stats,other_stats\n');
    assert.is(
      await mariaDb.sql(
        "select group_concat(table_name order by table_name) from information_schema.tables where table_schema like 'demo\\_%' or table_schema like 'other\\_%'",
      ),
      'also,hostkeep_demo,hostkeep_demo,more,orders\n',
    );
  });
}
