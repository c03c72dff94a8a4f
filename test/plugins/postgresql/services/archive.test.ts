import * as assert from '../../../support/assert.ts';
import postgresql from '../../../../plugins/postgresql/index.ts';
import { archivedPart, putBack, putBackLive, refusal } from '../../../support/carried.ts';
import { CustomersServer } from '../../../support/customers-server.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('users of PostgreSQL in archives');

interface Saved {
  readonly name: string;
  readonly verifier: string | null;
}

// threat sql-injection: what an archive says of a user of PostgreSQL is no statement
test('users keep passwords and rights, and what is hostile is refused', async () => {
  const customers = await CustomersServer.start();
  const server = await TestServer.start({ plugins: [postgresql], config: { postgresql: customers.settings } });
  const ask = async (username: string, method: string, path: string, body?: object) => {
    const token = await server.token(await server.hostkeep.core.accounts.get(username));
    return server.ask(`/api/postgresql/${path}`, { method, token, ...(body && { body }) });
  };
  for (const name of ['ann', 'bob']) {
    await server.user(name);
    assert.is((await ask(name, 'POST', 'databases', { name: 'shop' })).status, 201);
  }
  assert.is((await ask('ann', 'POST', 'users', { name: 'web' })).status, 201);
  assert.is((await ask('ann', 'PUT', 'users/ann_web/databases/ann_shop', { level: 'read_only' })).status, 200);
  const saved = await archivedPart<Saved[]>(server, 'ann', 'postgresql');
  assert.match(saved[0]?.verifier ?? '', /^SCRAM-SHA-256\$4096:/);

  for (const [wrong, reason] of [
    [{ verifier: "x'; drop role postgres; --" }, /verifier must/],
    [{ name: 'x"; --' }, /name must/],
    [{ access: [{ database: 'shop', level: 'superuser' }] }, /level must be one of/],
    [{ is_superuser: true }, /is_superuser is not known here/],
  ] as const)
    assert.match(await refusal(server, 'bob', 'postgresql', [{ ...saved[0], ...wrong }]), reason);
  const foreign = [{ ...saved[0], verifier: null, access: [{ database: 'none', level: 'owner' }] }];
  const told = await putBack(server, 'bob', 'postgresql', foreign);
  assert.match(told.missing.join(), /^rights of bob_web on the database none: /);
  assert.equal(told.next, ['have the owner give the PostgreSQL user bob_web a new password']);
  assert.is((await ask('bob', 'DELETE', 'users/bob_web')).status, 200);

  assert.equal(await putBack(server, 'bob', 'postgresql', saved), { missing: [], next: [] });
  const users = async (name: string) => (await ask(name, 'GET', 'users')).body;
  const before = JSON.parse(JSON.stringify(await users('ann')).replaceAll('ann_', 'bob_')) as object;
  assert.equal(await users('bob'), before);
  assert.equal(await archivedPart(server, 'bob', 'postgresql'), saved);

  assert.is((await ask('bob', 'POST', 'users/bob_web/password')).status, 200);
  assert.is((await ask('bob', 'PUT', 'users/bob_web/databases/bob_shop', { level: 'owner' })).status, 200);
  assert.is((await ask('bob', 'POST', 'users', { name: 'later' })).status, 201);
  assert.not.equal((await archivedPart<Saved[]>(server, 'bob', 'postgresql')).at(-1), saved[0]);
  const live = { isLive: true, missing: [], next: [] };
  assert.equal(await putBackLive(server, 'bob', 'postgresql', saved), live);
  const own = await archivedPart<Saved[]>(server, 'bob', 'postgresql');
  assert.equal([own.find(({ name }) => name === 'web'), own.length], [saved[0], 2]);
  assert.equal(await putBackLive(server, 'bob', 'postgresql', [{ ...saved[0], verifier: null }]), live);
});
