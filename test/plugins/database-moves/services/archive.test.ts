import * as assert from '../../../support/assert.ts';
import databaseMoves from '../../../../plugins/database-moves/index.ts';
import { archivedPart, putBack, putBackLive, refusal } from '../../../support/carried.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasMariaDb, loginTo, MariaDb } from '../../../support/mariadb.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';

const plugins = [...(await needs('databases', 'mysql')), databaseMoves];
const test = testSuite('database users in archives');

interface Saved {
  readonly name: string;
  readonly host: string;
  readonly hash: string | null;
  readonly access: readonly object[];
}

if (hasMariaDb()) {
  // threat sql-injection: what an archive says of a database user is no statement
  test('users keep passwords and rights, and what is hostile is refused', async () => {
    const mariaDb = await MariaDb.start('create database zoo; create table zoo.t (id int)');
    const main = loginTo(mariaDb.socket);
    const config = { databases: { servers: { main }, default_server: 'main' } };
    const server = await TestServer.start({ plugins, config });
    const ask = async (username: string, method: string, path: string, body?: object) => {
      const token = await server.token(await server.hostkeep.core.accounts.get(username));
      return server.ask(path, { method, token, ...(body && { body }) });
    };
    for (const name of ['ann', 'bob']) {
      await server.user(name);
      assert.is((await ask(name, 'POST', '/api/databases', { name: 'shop' })).status, 201);
    }
    const made = await ask('ann', 'POST', '/api/database-users', { name: 'web' });
    const access = '/api/database-users/ann_web/databases/ann_shop';
    assert.is((await ask('ann', 'PUT', access, { privileges: ['SELECT', 'CREATE'] })).status, 200);
    await mariaDb.sql(
      'create user ann_system@localhost identified via unix_socket; grant select on ann_shop.* to ann_system@localhost',
    );
    const saved = await archivedPart<Saved[]>(server, 'ann', 'database-moves');
    const web = saved.find(({ name }) => name === 'web');
    assert.match(web?.hash ?? '', /^\*[0-9A-F]{40}$/);
    assert.is(saved.find(({ name }) => name === 'system')?.hash, null);

    for (const [wrong, reason] of [
      [{ hash: "*' or via unix_socket --" }, /hash must/],
      [{ access: [{ database: 'shop', privileges: ['SUPER'] }] }, /privileges.0 must be one of/],
      [{ definition: ' IDENTIFIED VIA unix_socket' }, /definition is not known here/],
    ] as const)
      assert.match(await refusal(server, 'bob', 'database-moves', [{ ...web, ...wrong }]), reason);
    for (const [wrong, reason] of [
      [{ name: "x'@'%" }, /no account can give one this name/],
      [{ host: "localhost' or '1" }, /^the database user .*: a host is/],
    ] as const)
      assert.match((await putBack(server, 'bob', 'database-moves', [{ ...web, ...wrong }])).missing.join(), reason);
    const list = async (name: string) => (await ask(name, 'GET', '/api/database-users')).body as unknown as object[];
    assert.equal(await list('bob'), []);
    const foreign = [{ ...web, access: [{ database: '../zoo', privileges: ['SELECT'] }] }];
    const { missing } = await putBack(server, 'bob', 'database-moves', foreign);
    assert.match(missing.join(), /^rights of .*bob_web.* on the database \.\.\/zoo: /);
    await ask('bob', 'DELETE', '/api/database-users/bob_web');

    const told = await putBack(server, 'bob', 'database-moves', saved);
    assert.equal(told.missing, []);
    assert.match(told.next.join(), /^have the owner give the database user .*bob_system.* a new password$/);
    const before = JSON.parse(JSON.stringify(await list('ann')).replaceAll('ann_', 'bob_')) as object[];
    assert.equal(await list('bob'), before);
    await mariaDb.query('bob_web', String(made.body['password']), 'create table bob_shop.t (id int)');

    await mariaDb.sql("alter user bob_web@localhost identified by 'of later'; drop user bob_system@localhost");
    assert.is((await ask('bob', 'PUT', access.replaceAll('ann', 'bob'), { privileges: ['SELECT'] })).status, 200);
    assert.is((await ask('bob', 'POST', '/api/database-users', { name: 'later' })).status, 201);
    const live = await putBackLive(server, 'bob', 'database-moves', saved);
    assert.equal([live.missing, live.next.length], [[], 1]);
    assert.is((await list('bob')).length, before.length + 1);
    await mariaDb.query('bob_web', String(made.body['password']), 'create table bob_shop.u (id int)');
    assert.equal((await putBackLive(server, 'bob', 'database-moves', saved)).next, [], 'its password stays as it is');
  });
}
