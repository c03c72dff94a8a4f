/** What the demo shows of PostgreSQL, and what a scrape tells of its servers. */
import * as assert from '../../../support/assert.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { CustomersServer, LIST } from '../../../support/customers-server.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('postgresql, demo');
let customers: CustomersServer;

test.before(async () => {
  customers = await CustomersServer.start();
});

interface Listed {
  readonly databases: readonly { readonly name: string; readonly size_bytes: number }[];
}

const serve = (settings: object): Promise<TestServer> =>
  TestServer.start({ plugins: [postgresql], config: { postgresql: settings } });

async function people(server: TestServer) {
  const { account: demo, token } = await server.user('demo');
  return { demo, other: (await server.user('other')).account, token };
}

async function metrics(server: TestServer): Promise<Record<string, number>> {
  const [part] = await server.hostkeep.plugins.gather('metrics');
  assert.ok(part?.ok);
  const samples = part.ok
    ? part.value.flatMap(({ name, samples: all }) =>
        all.map(({ labels = {}, value }) => [[name, ...Object.values(labels)].join(' '), value] as const),
      )
    : [];
  return Object.fromEntries(samples);
}

test('without a server for it, the demo makes nothing', async () => {
  const server = await serve({});
  const [part] = await server.hostkeep.plugins.gather('demoOutside', await people(server));
  assert.equal(part?.ok === true ? part.value : undefined, {});
});

test('the demo makes a database with content and a user, once, and drops both', async () => {
  const server = await serve(customers.settings);
  const { token, ...both } = await people(server);
  for (let start = 0; start < 2; start += 1) {
    const [part] = await server.hostkeep.plugins.gather('demoOutside', both);
    assert.match(JSON.stringify(part), /the server main with demo_app/);
  }
  const { body } = await server.ask<Listed>(LIST, { token });
  assert.equal(
    body.databases.map(({ name }) => name),
    ['demo_app'],
  );
  assert.is(await customers.sql('select count(*) from orders; select count(*) from totals', 'demo_app'), '3000\n1000');
  const users = await server.ask('/api/postgresql/users', { token });
  assert.match(JSON.stringify(users.body), /"demo_app".*"owner"/);
  const isUp = async () => (await metrics(server))['hostkeep_postgresql_server_up main'] === 1;
  await until('the server was checked', isUp);
  const { 'hostkeep_postgresql_items database': n, 'hostkeep_postgresql_items user': m } = await metrics(server);
  assert.equal([n, m], [1, 1]);
  await server.close();
  const left =
    "select count(*) from pg_roles where rolname like 'demo%'; select count(*) from pg_database where datname like 'demo%'";
  assert.is(await customers.sql(left), '0\n0');
});

test('a server that is gone is told by a scrape, without asking it', async () => {
  const [socket, name] = ['/nonexistent', 'gone'];
  const gone = { host: '', port: 5432, socket, user: 'postgres', password: '' };
  const server = await serve({ servers: { [name]: gone }, default_server: name });
  const isDown = async () => (await metrics(server))['hostkeep_postgresql_server_up gone'] === 0;
  await until('the server was checked', isDown);
});
