import * as assert from '../../../support/assert.ts';
import mysqlConf from '../../../../plugins/mysql-conf/index.ts';
import { archivedPart, putBack, refusal } from '../../../support/carried.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

const plugins = [...(await needs('databases', 'mysql')), mysqlConf];
const test = testSuite('limits of database users in archives');
const NONE = { queries_per_hour: 0, updates_per_hour: 0, connections_per_hour: 0 };

if (hasMariaDb())
  test('limits of database users come along, within the plan', async () => {
    const mariaDb = await MariaDb.start();
    const config = { databases: { servers: { main: loginTo(mariaDb.socket) }, default_server: 'main' } };
    const server = await TestServer.start({ plugins, config });
    const ask = async (username: string, method: string, path: string, body?: object) => {
      const token = await server.token(await server.hostkeep.core.accounts.get(username));
      return server.ask(path, { method, token, ...(body && { body }) });
    };
    for (const name of ['ann', 'bob']) {
      await server.user(name);
      assert.is((await ask(name, 'POST', '/api/database-users', { name: 'web' })).status, 201);
    }
    const own = { ...NONE, connections: 9, statement_seconds: 30 };
    assert.is((await ask('ann', 'PUT', '/api/database-users/ann_web/limits', own)).status, 200);
    const saved = await archivedPart<object[]>(server, 'ann', 'mysql-conf');
    assert.match(await refusal(server, 'bob', 'mysql-conf', [{ ...saved[0], connections: 'all' }]), /connections must/);
    const { missing } = await putBack(server, 'bob', 'mysql-conf', [{ ...saved[0], name: 'none' }]);
    assert.equal(missing, ['the limits of the database user none: there is no such database user']);
    assert.equal(await putBack(server, 'bob', 'mysql-conf', saved), { missing: [], next: [] });
    assert.equal(await archivedPart(server, 'bob', 'mysql-conf'), saved);
    assert.match(await mariaDb.sql('show create user bob_web@localhost'), /MAX_USER_CONNECTIONS 9/);

    await server.hostkeep.core.plans.update('developer', { limits: { db_user_connections_limit: 3 } });
    await putBack(server, 'bob', 'mysql-conf', [{ ...saved[0], connections: 8 }]);
    assert.match(await mariaDb.sql('show create user bob_web@localhost'), /MAX_USER_CONNECTIONS 3/);
  });
