import * as assert from '../../support/assert.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { logIn } from '../../support/account-client.ts';

const test = testSuite('login: logging out and the password');
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

test('admins find logout and sessions on their own address', async () => {
  const admin = await server.admin('chief');
  const other = await server.token(admin.account);
  const { body } = await server.ask<{ sessions: { id: string; current: boolean }[] }>('/api/account/sessions', {
    token: admin.token,
    address: 'admin',
  });
  const id = body.sessions.find(({ current }) => !current)?.id ?? '';
  assert.equal(
    (await server.ask(`/api/account/sessions/${id}`, { method: 'DELETE', token: admin.token, address: 'admin' })).body,
    { id, ended: true },
  );
  assert.is((await server.ask('/api/account/sessions', { token: other, address: 'admin' })).status, 401);
  assert.equal((await server.ask('/api/logout', { method: 'POST', token: admin.token, address: 'admin' })).body, {
    logged_out: true,
  });
  assert.is((await server.ask('/api/account/sessions', { token: admin.token, address: 'admin' })).status, 401);
});

test('a logged out token is worth nothing, and only that one', async () => {
  const { account, token } = await server.user('cleo');
  const other = await server.token(account);
  assert.is((await server.ask('/api/favorites', { token })).status, 200);
  assert.equal((await server.ask('/api/logout', { method: 'POST', token })).body, { logged_out: true });
  assert.is((await server.ask('/api/favorites', { token })).status, 401);
  assert.is((await server.ask('/api/logout', { method: 'POST', token })).status, 401);
  assert.is((await server.ask('/api/favorites', { token: other })).status, 200);
});

test('of logouts at once with one token, one ends it, and the others find it ended', async () => {
  const { token } = await server.user('twice');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => server.ask('/api/logout', { method: 'POST', token })),
  );
  assert.equal(answers.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 7 }, () => 401)]);
  assert.ok(answers.every(({ status, body }) => status === 200 || body['error'] === 'authentication_required'));
});

// asvs 6.2.1-3, 6.2.5: at least 8 characters of any kind, changed with the old password only
test('the password changes with the old one only, and all other sessions end at once', async () => {
  const { account, token } = await server.user('fay');
  const used = await server.token(account);
  assert.is((await server.ask('/api/favorites', { token: used })).status, 200);
  for (const [body, status, error] of [
    [{ new_password: 'long enough' }, 400, 'invalid_request'],
    [{ password: PASSWORD, new_password: 'short' }, 400, 'invalid_request'],
    [{ password: PASSWORD, new_password: 'x'.repeat(129) }, 400, 'invalid_request'],
    [{ password: 'wrong', new_password: 'long enough' }, 401, 'invalid_credentials'],
  ] as const) {
    const answer = await server.ask('/api/account/password', { method: 'PUT', token, body });
    assert.is(answer.status, status);
    if (status === 401) assert.is(answer.body['detail'], 'wrong password or code'); // the user name is not asked for
    assert.is(answer.body['error'], error);
  }
  assert.equal(
    (
      await server.ask('/api/account/password', {
        method: 'PUT',
        token,
        body: { password: PASSWORD, new_password: 'long enough' },
      })
    ).body,
    { changed: true },
  );
  assert.is((await server.ask('/api/favorites', { token: used })).status, 401);
  assert.is((await server.ask('/api/favorites', { token })).status, 200);
  assert.is((await logIn(server, 'fay')).status, 401);
  assert.is((await logIn(server, 'fay', { password: 'long enough' })).status, 200);
});
