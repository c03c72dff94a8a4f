import * as assert from '../../support/assert.ts';
import { PASSWORD, TestServer, type Answer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, reauthenticate } from '../../support/account-client.ts';

const test = testSuite('login: reauthentication of administrators');
const NEW_PASSWORD = 'a password of the thief';
type Body = Record<string, unknown>;
let server: TestServer;
test.before(async () => {
  server = await TestServer.start();
  await server.account('customer');
  await server.account('colleague', '', 'admin');
});

const send = (token: string, method: string, path: string, body?: Body) =>
  server.ask<Body>(path, { method, token, address: 'admin', ...(body === undefined ? {} : { body }) });

/** Acts that could take the server over, by an administrator of this name. */
const ACTS: Readonly<Record<string, (token: string, name: string) => Promise<Answer<Body>>>> = {
  'the own password, without the old one': (token, name) =>
    send(token, 'PUT', `/api/accounts/${name}/password`, { password: NEW_PASSWORD }),
  "another administrator's password": (token) =>
    send(token, 'PUT', '/api/accounts/colleague/password', { password: NEW_PASSWORD }),
  'a new administrator': (token, name) =>
    send(token, 'POST', '/api/accounts', { username: `${name}-new`, password: NEW_PASSWORD, role: 'admin' }),
  "a customer's second factor": (token) => send(token, 'DELETE', '/api/accounts/customer/2fa'),
  "another administrator's second factor": (token) => send(token, 'DELETE', '/api/accounts/colleague/2fa'),
};
const isRefused = ({ status, body }: Answer<Body>) =>
  status === 403 &&
  body['error'] === 'reauthentication_required' &&
  /POST \/api\/reauthenticate/.test(String(body['detail']));

const state = async () => {
  const { store } = server.hostkeep.core;
  return [
    await store.all('select username, password_hash from accounts order by id'),
    await store.all('select * from twofa'),
  ];
};

// threat stolen-token: an administrator's token alone does not take the server over
test('a token alone is not enough for what could take the server over', async () => {
  const { token } = await server.admin('ada');
  const before = await state();
  for (const [what, act] of Object.entries(ACTS)) assert.ok(isRefused(await act(token, 'ada')), what);
  assert.equal(await state(), before);
  const user = { username: 'harmless', password: PASSWORD, plan: 'basic' };
  assert.is((await send(token, 'POST', '/api/accounts', user)).status, 201);
  assert.is((await send(token, 'PUT', '/api/accounts/harmless/password', { password: NEW_PASSWORD })).status, 200);
  const proof = await reauthenticate(server, token);
  assert.equal([proof.status, proof.body], [200, { reauthenticated: true, expires_in: 300 }]);
  for (const [what, act] of Object.entries(ACTS).toReversed())
    assert.ok([200, 201].includes((await act(token, 'ada')).status), what);
});

test('a proof counts in its session only, for five minutes', async () => {
  const { store } = server.hostkeep.core;
  const { account, token } = await server.admin('bea');
  const other = await server.token(account);
  const act = (each: string) => send(each, 'DELETE', '/api/accounts/customer/2fa');
  assert.is((await reauthenticate(server, token)).status, 200);
  assert.ok(isRefused(await act(other)));
  const row = await store.get<{ at: number }>('select max(reauthenticated_at) as at from sessions');
  const real = Date.now;
  try {
    for (const [laterMs, status] of [
      [299_999, 200],
      [300_000, 403],
      [-60_000, 403], // the clock was set back, for nobody knows how long
    ] as const) {
      Date.now = () => Number(row?.at) + laterMs;
      assert.is((await act(token)).status, status, `${laterMs} ms later`);
    }
  } finally {
    Date.now = real;
  }
  assert.is((await act(token)).status, 200);
  await store.write((tx) => tx.run('update sessions set reauthenticated_at = reauthenticated_at - 300001'));
  assert.ok(isRefused(await act(token)));
});

test('a change of the own password or second factor ends the proof', async () => {
  const { token } = await server.admin('cleo');
  const act = () => send(token, 'DELETE', '/api/accounts/customer/2fa');
  await reauthenticate(server, token);
  assert.is((await act()).status, 200);
  await send(token, 'PUT', '/api/account/password', { password: PASSWORD, new_password: PASSWORD });
  assert.ok(isRefused(await act()), 'the password');
  await reauthenticate(server, token);
  const { secret } = await enableTwofa(server, token, 'admin');
  assert.ok(isRefused(await act()), 'a second factor');
  assert.is((await reauthenticate(server, token, codeOf(secret, 1))).status, 200);
  await server.hostkeep.core.store.write((tx) => tx.run('update twofa set last_step = 0'));
  assert.is(
    (await send(token, 'DELETE', '/api/account/2fa', { password: PASSWORD, code: codeOf(secret) })).status,
    200,
  );
  assert.ok(isRefused(await act()), 'none any more');
});

test('a proof that ended between the check and the change counts for nothing', async () => {
  const { store } = server.hostkeep.core;
  const { token } = await server.admin('dora');
  for (const [what, act] of Object.entries(ACTS)) {
    await reauthenticate(server, token);
    const { write } = store;
    store.write = async (work) => {
      store.write = write;
      await write.call(store, (tx) => tx.run('update sessions set reauthenticated_at = null'));
      return write.call(store, work) as ReturnType<typeof work>;
    };
    const before = await state();
    assert.ok(isRefused(await act(token, 'dora')), what);
    assert.is(store.write, write);
    assert.equal(await state(), before);
  }
});

// threat weak-second-factor: the second proof asks for a code as well, which works once
test('with a second factor, the proof and the own password ask for a code as well', async () => {
  const { account, token } = await server.admin('eve');
  const { secret, code: used, recoveryCodes } = await enableTwofa(server, token, 'admin');
  const password = () =>
    send(token, 'PUT', '/api/account/password', { password: PASSWORD, new_password: NEW_PASSWORD });
  const act = () => send(token, 'DELETE', '/api/accounts/customer/2fa');
  for (const code of [undefined, null, '']) {
    const half = await reauthenticate(server, token, code);
    assert.equal([half.status, half.body], [401, { twofa_required: true, user_id: account.id }]);
  }
  for (const [code, given] of [
    [used, PASSWORD], // it has confirmed the set-up
    ['000000x', PASSWORD],
    [codeOf(secret, 1), 'wrong'],
  ] as const)
    assert.is((await reauthenticate(server, token, code, given)).body['error'], 'invalid_credentials');
  assert.ok(isRefused(await act()));
  assert.ok(isRefused(await password()), 'the password alone');
  assert.is((await reauthenticate(server, token, codeOf(secret, 1))).status, 200);
  assert.is((await act()).status, 200);
  assert.is((await password()).status, 200);
  const again = await reauthenticate(server, token, recoveryCodes[0], NEW_PASSWORD);
  assert.is(again.status, 200);
  assert.is(
    (await logIn(server, 'eve', { address: 'admin', password: NEW_PASSWORD, code: recoveryCodes[0] ?? '' })).status,
    401,
  );
});

test('guesses of the proof count as failed logins, and only administrators can prove', async () => {
  const [{ token }, user] = [await server.admin('fay'), await server.user('gil')];
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await reauthenticate(server, token, undefined, 'wrong')).status);
  assert.equal(statuses.slice(0, 5), [401, 401, 401, 401, 401]);
  assert.is((await reauthenticate(server, user.token)).status, 401, 'a token of the other address');
  const body = { password: PASSWORD };
  assert.is((await server.ask('/api/reauthenticate', { method: 'POST', token: user.token, body })).status, 404);
  assert.is((await server.ask('/api/reauthenticate', { method: 'POST', address: 'admin', body })).status, 401);
});
