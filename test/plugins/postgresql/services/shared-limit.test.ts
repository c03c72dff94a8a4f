/** One limit of a plan for databases of MariaDB and of PostgreSQL. */
import * as assert from '../../../support/assert.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';
import { CustomersServer } from '../../../support/customers-server.ts';

const [databases, mysql, dashboard] = await needs('databases', 'mysql', 'dashboard');
const test = testSuite('postgresql, shared limit');

if (hasMariaDb())
  test('databases of both kinds together are no more than the plan allows, also at once', async () => {
    const [customers, mariaDb] = [await CustomersServer.start(), await MariaDb.start()];
    const server = await TestServer.start({
      plugins: [databases, mysql, dashboard, postgresql],
      config: {
        databases: mariaDb.settings,
        postgresql: customers.settings,
      },
    });
    const { plans } = server.hostkeep.core;
    const { limits } = await plans.get('developer');
    await plans.update('developer', { limits: { ...limits, db_limit: 3 } });
    const { token } = await server.user('ann');
    const make = async (path: string, name: string) => {
      const { status } = await server.ask(path, { token, method: 'POST', body: { name } });
      return status;
    };
    const [maria, postgres] = ['/api/databases', '/api/postgresql/databases'];
    assert.equal([await make(maria, 'a'), await make(postgres, 'b')], [201, 201]);
    const raced = await Promise.all([make(maria, 'c'), make(postgres, 'd'), make(maria, 'e'), make(postgres, 'f')]);
    assert.ok(raced.filter((status) => status === 201).length <= 1, raced.join());
    await make(postgres, 'g');
    assert.equal([await make(postgres, 'h'), await make(maria, 'i')], [409, 409]);
    const shown = async () => (await server.ask('/api/dashboard', { token })).body['db_usage'] === 3;
    await until('all are counted', shown); // those of MariaDB are counted every few seconds
  });
