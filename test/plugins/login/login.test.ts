import * as assert from '../../support/assert.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { logIn } from '../../support/account-client.ts';

const test = testSuite('login');
let server: TestServer;
const roomy = { minute: 1000, hour: 1000, day: 1000 };
test.before(
  async () =>
    void (server = await TestServer.start({
      config: { login: { account_failures: roomy, address_failures: roomy } },
    })),
);

for (const [what, body, status, error] of [
  ['no body', undefined, 400, 'invalid_request'],
  ['no JSON', '{', 400, 'invalid_json'],
  ['no password', { username: 'ann' }, 400, 'invalid_request'],
  ['a number for a name', { username: 1, password: PASSWORD }, 400, 'invalid_request'],
  ['a list for a password', { username: 'ann', password: [PASSWORD] }, 400, 'invalid_request'],
  ['an object for a code', { username: 'ann', password: PASSWORD, twofa_code: {} }, 400, 'invalid_request'],
  ['a body over the limit', { username: 'ann', password: 'x'.repeat(70_000) }, 413, 'body_too_large'],
] as const) {
  test(`login refuses ${what}`, async () => {
    for (const address of ['user', 'admin'] as const) {
      const answer = await server.ask('/api/login', {
        method: 'POST',
        address,
        ...(body === undefined ? {} : { body }),
      });
      assert.is(answer.status, status);
      assert.is(answer.body['error'], error);
    }
  });
}

// threat user-enumeration: every failed login gives the same reply
test('whatever is wrong with the credentials has one and the same answer', async () => {
  await server.account('bea');
  await server.account('gone');
  await server.hostkeep.core.accounts.suspend('gone');
  const attempts = [
    logIn(server, 'bea', { password: 'wrong horse battery' }),
    logIn(server, 'nobody'),
    logIn(server, 'gone'),
    logIn(server, 'gone', { password: 'wrong' }),
    logIn(server, ''),
    logIn(server, 'bea', { password: '' }),
    logIn(server, 'BEA'),
    logIn(server, 'bea\u0000'),
    logIn(server, "bea' or '1'='1"),
    logIn(server, 'b'.repeat(500)),
    logIn(server, 'bea', { password: 'p'.repeat(500) }),
    logIn(server, 'bea', { password: `${PASSWORD}\u0000` }),
    logIn(server, 'bea', { password: 'wrong', code: '123456' }),
  ];
  const answers = await Promise.all(attempts);
  const texts = new Set(answers.map(({ status, body }) => JSON.stringify([status, { ...body, request_id: '' }])));
  assert.is(texts.size, 1);
  assert.is(answers[0]?.status, 401);
  assert.is(answers[0]?.body['error'], 'invalid_credentials');
  assert.is(answers[0]?.headers.get('www-authenticate'), 'Bearer');
  assert.is(answers[0]?.headers.get('content-type'), 'application/problem+json');
});

// threat user-enumeration: an unknown name costs a password verification too
test('an unknown name costs a verification like a known one', async () => {
  const { passwords } = server.hostkeep.core;
  const verify = passwords.verify.bind(passwords);
  const asked: (string | undefined)[] = [];
  passwords.verify = (password, hash) => {
    asked.push(hash?.slice(0, 10));
    return verify(password, hash);
  };
  await logIn(server, 'invented');
  passwords.verify = verify;
  assert.equal(asked, [undefined]);
});

// asvs 7.1.1, 7.3.2: a session lasts an hour by default (token.ttl_seconds)
test('a login answers a token, the number of the account and the seconds that it lasts', async () => {
  const account = await server.account('cleo');
  const { status, headers, body } = await logIn(server, 'cleo', { userAgent: `Browser ${'x'.repeat(600)}` });
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'application/json');
  assert.is(headers.get('cache-control'), 'no-store');
  assert.equal(Object.keys(body).toSorted(), ['expires_in', 'token', 'user_id']);
  assert.is(body['user_id'], account.id);
  assert.is(body['expires_in'], 3600);
  const token = String(body['token']);
  const {
    body: { sessions },
  } = await server.ask<{ sessions: { current: boolean; user_agent: string }[] }>('/api/account/sessions', { token });
  assert.is(sessions[0]?.current, true);
  assert.is(sessions[0]?.user_agent.length, 512);
});

test('a superfluous or empty code does not prevent a login', async () => {
  await server.account('dora');
  assert.is((await logIn(server, 'dora', { code: '' })).status, 200);
  assert.is((await logIn(server, 'dora', { code: '000000' })).status, 200);
});

// asvs 6.1.3, 6.3.4: one way to log in on both addresses; each accepts its own tokens only
test('both addresses give tokens, and each takes only those of its own audience', async () => {
  await server.account('eve');
  await server.account('chief', '', 'admin');
  for (const address of ['user', 'admin'] as const) {
    const user = String((await logIn(server, 'eve', { address })).body['token']);
    const admin = String((await logIn(server, 'chief', { address })).body['token']);
    assert.is((await server.ask('/api/account/sessions', { token: user })).status, 200);
    assert.is((await server.ask('/api/account/sessions', { token: user, address: 'admin' })).status, 401);
    assert.is((await server.ask('/api/account/sessions', { token: admin, address: 'admin' })).status, 200);
    assert.is((await server.ask('/api/account/sessions', { token: admin })).status, 401);
  }
});

test('usage readers on the admin address cannot use account routes there', async () => {
  const open = await TestServer.start({ config: { usage: { access: 'feature' } } });
  const { token } = await open.user('iris');
  const admin = await open.admin('chief');
  assert.is((await open.ask('/api/usage', { token, address: 'admin' })).status, 200);
  const doors = open.hostkeep.node
    .routes()
    .filter(
      ({ plugin, address, access }) =>
        ['login', 'login-links', 'profile'].includes(plugin) && address === 'admin' && access !== 'guest',
    );
  assert.is(doors.length, 23);
  for (const { method, paths } of doors) {
    const path = (paths[0] ?? '').replace(/:\w+/g, 'x');
    const { status, body } = await open.ask(path, { method, token, address: 'admin' });
    assert.equal([status, body['error']], [403, 'admin_required'], `${method} ${path}`);
  }
  assert.is((await open.ask('/api/account/sessions', { token: admin.token, address: 'admin' })).status, 200);
});

test('what changes while a password is being checked is seen', async () => {
  await server.account('fay');
  await server.account('gil');
  const { accounts, credentials, passwords } = server.hostkeep.core;
  const verify = passwords.verify.bind(passwords);
  const between = async (username: string, change: () => Promise<void>) => {
    passwords.verify = async (password, hash) => {
      const isRight = await verify(password, hash);
      await change();
      return isRight;
    };
    const { status } = await logIn(server, username);
    passwords.verify = verify;
    return status;
  };
  const other = await passwords.hash('another password');
  assert.is(await between('fay', async () => credentials.setPassword(await accounts.get('fay'), other)), 401);
  assert.is(await between('gil', () => accounts.suspend('gil')), 401);
  for (const username of ['fay', 'gil']) {
    const { id } = await accounts.get(username);
    assert.equal(await server.hostkeep.core.sessions.list(id), []);
  }
});

test('a suspension ends what is open, and what it ended stays so', async () => {
  await server.account('ned');
  const { accounts } = server.hostkeep.core;
  const token = String((await logIn(server, 'ned')).body['token']);
  assert.is((await server.ask('/api/favorites', { token })).status, 200);
  await accounts.suspend('ned');
  assert.is((await server.ask('/api/favorites', { token })).status, 401);
  assert.is((await logIn(server, 'ned')).status, 401);
  await accounts.unsuspend('ned');
  assert.is((await server.ask('/api/favorites', { token })).status, 401);
  assert.is((await logIn(server, 'ned')).status, 200);
});

// asvs 16.3.1, 16.3.3: logins and failed logins are logged, and nothing of unknown names
test("logins and failures are in the account's log, invented names are not", async () => {
  const { token } = await server.user('hal');
  await logIn(server, 'hal', { password: 'wrong' });
  await logIn(server, "hal'\r\n[2026-01-01 00:00:00] User 'hal' paid");
  await logIn(server, 'hal', { userAgent: 'x\' from IP 1.2.3.4 "\\ \u00e9' });
  const { body } = await server.ask<{ log_content: string[] }>('/api/account/activity', { token });
  assert.is(body.log_content.length, 3);
  assert.match(
    body.log_content[0] ?? '',
    /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] User 'hal' logged in from IP 127\.0\.0\.1$/,
  );
  assert.match(body.log_content[1] ?? '', /User 'hal' failed to log in from IP 127\.0\.0\.1$/);
  assert.equal(
    await server.hostkeep.core.store.get(
      "select count(*) as n from events where username = '' and type = 'login.failed'",
    ),
    { n: 0 },
  );
});

test('logins are counted for the metrics', async () => {
  const { plugins } = server.hostkeep;
  const gathered = await plugins.gather('metrics');
  const own = gathered.find(({ plugin }) => plugin === 'login');
  assert.ok(own?.ok);
  const samples = own.ok ? own.value[0]?.samples : [];
  assert.equal(
    samples?.map(({ labels }) => labels?.['result']),
    ['success', 'failure', 'throttled'],
  );
  assert.ok((samples?.[0]?.value ?? 0) > 0 && (samples?.[1]?.value ?? 0) > 0);
});
