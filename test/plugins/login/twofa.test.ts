import * as assert from '../../support/assert.ts';
import {
  newRecoveryCodes,
  newSecret,
  otpauthUrl,
  qrCode,
  recoveryHash,
  matchingStep,
} from '../../../plugins/login/twofa/authenticator.ts';
import { PASSWORD, TestServer, type Person } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, tally } from '../../support/account-client.ts';

const test = testSuite('login: two-factor authentication');
const roomy = { minute: 1000, hour: 1000, day: 1000 };
let server: TestServer;
test.before(
  async () =>
    void (server = await TestServer.start({
      config: { login: { account_failures: roomy, address_failures: roomy, issuer: 'Node & Co' } },
    })),
);

const PATH = '/api/account/2fa';
/** What an account without a second factor is told. */
const NONE = { enabled: false, method: '', code: '' };

/** Lets the last code be used again, for tests that need more codes than half a minute has. */
async function forgetStep(): Promise<void> {
  await server.hostkeep.core.store.write((tx) => tx.run('update twofa set last_step = 0'));
}

// threat weak-second-factor: turning it on or off requires the password
// asvs 7.5.1: changing a factor requires the password; only an administrator changes the e-mail address
test('nothing changes without the password, out of turn, or with a bad body', async () => {
  const code = '123456';
  await (
    await server.user('bea')
  ).rows(
    [`POST ${PATH}/setup`, {}, '400 invalid_request'],
    [`POST ${PATH}/setup`, { password: 'wrong' }, '401 invalid_credentials'],
    [`POST ${PATH}/confirm`, { code }, '409 twofa_not_started'],
    [`DELETE ${PATH}`, { password: PASSWORD, code }, '409 twofa_not_enabled'],
    [`DELETE ${PATH}`, { password: 'wrong', code }, '401 invalid_credentials'],
    [`DELETE ${PATH}`, { code }, '400 invalid_request'],
    [`GET ${PATH}`, 200, NONE],
  );
});

// asvs 2.3.1: a second factor is not active until a code has confirmed it
test('a set-up changes nothing until a code has confirmed it, in time', async () => {
  const { asks } = await server.user('cleo');
  const begin = () => asks<Record<string, string>>(`POST ${PATH}/setup`, { password: PASSWORD }, 200);
  const first = await begin();
  const { secret = '', otpauth_url: url, qr } = await begin();
  assert.is(
    url,
    `otpauth://totp/Node%20%26%20Co:cleo?issuer=Node%20%26%20Co&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  assert.match(qr ?? '', /^data:image\/svg\+xml;base64,/);
  await asks(`GET ${PATH}`, 200, NONE);
  assert.is((await logIn(server, 'cleo')).status, 200);
  const codes = [
    codeOf(first['secret'] ?? ''),
    codeOf(secret, 20),
    '',
    '12345',
    '1'.repeat(200),
    newRecoveryCodes()[0],
  ];
  for (const code of codes) await asks(`POST ${PATH}/confirm`, { code }, '400 invalid_code');
  await server.hostkeep.core.store.write((tx) => tx.run('update twofa set started_at = started_at - 900001'));
  await asks(`POST ${PATH}/confirm`, { code: codeOf(secret) }, '409 twofa_not_started');
});

// threat weak-second-factor: a set-up that a stranger began is lost with the password
test('any password change ends a set-up that waits for its first code', async () => {
  const { accounts, credentials, passwords } = server.hostkeep.core;
  const { account } = await server.user('dorit');
  const admin = await server.admin('reset_admin');
  const keep = (await credentials.passwordOf('dorit'))?.hash ?? '';
  const own = { password: PASSWORD, new_password: `${PASSWORD}!` };
  const changes: ((by: Person) => Promise<unknown>)[] = [
    (by) => by.asks('PUT /api/account/password', own, 200),
    async () => credentials.setPassword(account, await passwords.hash('from the terminal')),
    () => admin.asks('PUT /api/accounts/dorit/password', { password: 'from the operator' }, 200),
  ];
  const again = async () => server.as(await accounts.get('dorit'));
  for (const change of changes) {
    await credentials.setPassword(account, keep);
    const dorit = await again();
    const { secret } = await dorit.asks<{ secret: string }>(`POST ${PATH}/setup`, { password: PASSWORD }, 200);
    await change(dorit);
    await (await again()).asks(`POST ${PATH}/confirm`, { code: codeOf(secret) }, '409 twofa_not_started');
  }
  const { account: edda, token: enabled } = await server.user('edda');
  await enableTwofa(server, enabled);
  await credentials.setPassword(edda, keep);
  const row = await server.hostkeep.core.store.get<{ n: number }>(
    'select count(*) as n from twofa where account_id = ? and enabled_at is not null',
    edda.id,
  );
  assert.is(row?.n, 1, 'one that is on stays');
});

test('the whole cycle: on, in with a code, off', async () => {
  const dora = await server.user('dora');
  const { account, token, asks } = dora;
  const other = await server.as(account);
  await other.asks(`GET ${PATH}`, 200);
  const { secret, recoveryCodes } = await enableTwofa(server, token);
  assert.is(recoveryCodes.length, 10);
  await other.asks(`GET ${PATH}`, 401); // the other session has ended
  await dora.rows(
    [`GET ${PATH}`, 200, { enabled: true, method: 'authenticator_app', code: '' }],
    [`POST ${PATH}/setup`, { password: PASSWORD }, '409 twofa_already_enabled'],
    [`POST ${PATH}/confirm`, { code: codeOf(secret, 1) }, '409 twofa_already_enabled'],
  );

  for (const code of [undefined, null, '']) {
    const half = await logIn(server, 'dora', { ...(code === undefined ? {} : { code }) });
    assert.is(half.status, 401);
    assert.is(half.headers.get('content-type'), 'application/json');
    assert.equal(half.body, { twofa_required: true, user_id: account.id });
  }
  assert.is((await logIn(server, 'dora', { password: 'wrong' })).body['error'], 'invalid_credentials');
  const login = await logIn(server, 'dora', { code: codeOf(secret, 1) });
  assert.is(login.status, 200);
  assert.equal(Object.keys(login.body).toSorted(), ['expires_in', 'token', 'user_id']);

  await forgetStep();
  for (const [password, code] of [
    ['wrong', codeOf(secret)],
    [PASSWORD, '000000x'],
    [PASSWORD, codeOf(secret, 20)],
  ])
    await asks(`DELETE ${PATH}`, { password, code }, '401 invalid_credentials');
  await asks(`DELETE ${PATH}`, { password: PASSWORD, code: codeOf(secret) }, 200, { enabled: false });
  await server.with(String(login.body['token'])).asks(`GET ${PATH}`, 401);
  assert.is((await logIn(server, 'dora')).status, 200);
  await asks(`DELETE ${PATH}`, { password: PASSWORD, code: recoveryCodes[0] }, '409 twofa_not_enabled');
  const lines = await dora.told('two-factor');
  assert.match(lines[0] ?? '', /turned two-factor authentication off/);
  assert.match(lines[1] ?? '', /turned two-factor authentication on/);
});

// threat weak-second-factor: a code works once, also in concurrent requests
// asvs 6.5.1: a code works once
test('a code works once, even if two send it at the same time', async () => {
  const { token, asks } = await server.user('eve');
  const { secret, code: used } = await enableTwofa(server, token);
  assert.is(
    (await logIn(server, 'eve', { code: used })).body['error'],
    'invalid_credentials',
    'it confirmed the set-up',
  );
  const code = codeOf(secret, 1);
  assert.equal(tally(await Promise.all(Array.from({ length: 8 }, () => logIn(server, 'eve', { code })))), {
    200: 1,
    401: 7,
  });
  assert.is((await logIn(server, 'eve', { code })).status, 401);
  assert.is((await logIn(server, 'eve', { code: used })).status, 401);
  await asks(`DELETE ${PATH}`, { password: PASSWORD, code }, 401);
});

// threat weak-second-factor: code length is limited, and password and code are checked together
test('a wrong, long or foreign code is refused like a wrong password', async () => {
  const { token } = await server.user('fay');
  const { secret } = await enableTwofa(server, token);
  const foreign = await enableTwofa(server, (await server.user('gil')).token);
  const real = codeOf(secret, 1);
  for (const code of [
    codeOf(secret, 20),
    codeOf(foreign.secret, 1),
    foreign.recoveryCodes[0] ?? '',
    `${real}0`,
    `0${real}`,
    ` ${real}`,
    real.repeat(40),
    '0'.repeat(256),
    '１２３４５６',
    'null',
    secret,
  ]) {
    const answer = await logIn(server, 'fay', { code });
    assert.is(answer.status, 401, code);
    assert.is(answer.body['error'], 'invalid_credentials');
  }
  assert.is((await logIn(server, 'fay', { code: '1'.repeat(10_000) })).status, 400);
  assert.is((await logIn(server, 'fay', { code: codeOf(secret, 1) })).status, 200);
});

// threat leaked-secrets: recovery codes are stored as hashes
// asvs 6.4.2-4: no hints; a recovery code replaces a lost factor, and works once
// asvs 6.5.2: recovery codes are stored as hashes
test('each recovery code works once, as it may be typed, and is not kept in the clear', async () => {
  const { account, token, asks } = await server.user('hal');
  const { recoveryCodes, secret } = await enableTwofa(server, token);
  const [first = '', second = '', third = ''] = recoveryCodes;
  assert.is(new Set(recoveryCodes).size, 10);
  assert.is((await logIn(server, 'hal', { code: first })).status, 200);
  assert.is((await logIn(server, 'hal', { code: first })).status, 401);
  assert.is((await logIn(server, 'hal', { code: ` ${second.toLowerCase().replaceAll('-', ' ')}` })).status, 200);
  assert.equal(tally(await Promise.all([1, 2, 3, 4].map(() => logIn(server, 'hal', { code: third })))), {
    200: 1,
    401: 3,
  });
  const { store } = server.hostkeep.core;
  const kept = JSON.stringify([
    await store.all('select * from recovery_codes'),
    await store.all('select * from twofa'),
    await store.all('select * from events'),
  ]);
  for (const text of [secret, ...recoveryCodes])
    assert.not.ok(kept.includes(text) || kept.includes(text.replaceAll('-', '')));
  await asks(`DELETE ${PATH}`, { password: PASSWORD, code: recoveryCodes[3] }, 200, { enabled: false });
  assert.equal(await store.all('select * from recovery_codes where account_id = ?', account.id), []);
});

test('a suspended account does not tell whether a second factor is on', async () => {
  const { token } = await server.user('ida');
  const { secret } = await enableTwofa(server, token);
  await server.hostkeep.core.accounts.suspend('ida');
  for (const code of [undefined, codeOf(secret, 1)])
    assert.is((await logIn(server, 'ida', code === undefined ? {} : { code })).body['error'], 'invalid_credentials');
});

// threat weak-second-factor: a login that began before the second factor was set up does not bypass it
test('a login in progress does not bypass a new second factor', async () => {
  const { token } = await server.user('jon');
  const { sessions } = server.hostkeep.core;
  const open = sessions.open.bind(sessions);
  sessions.open = async (...args) => {
    sessions.open = open;
    await enableTwofa(server, token);
    return open(...args);
  };
  assert.is((await logIn(server, 'jon')).status, 401);
});

test('admins have the same on their own address', async () => {
  const { token } = await server.admin('chief');
  const { secret } = await enableTwofa(server, token, 'admin');
  assert.equal((await logIn(server, 'chief', { address: 'admin' })).body['twofa_required'], true);
  assert.is((await logIn(server, 'chief', { address: 'admin', code: codeOf(secret, 1) })).status, 200);
});

// asvs 6.5.5: a code is valid for 30 s, and one step early or late
test('the codes are those of RFC 6238, one step early or late', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'; // the key of its appendix B: 12345678901234567890
  assert.is(matchingStep('287082', secret, 59_000), 1);
  assert.is(matchingStep('287082', secret, 29_000), 1);
  assert.is(matchingStep('287082', secret, 89_000), 1);
  assert.is(matchingStep('287082', secret, 90_000), undefined);
  assert.is(matchingStep('081804', secret, 1_111_111_109_000), 37_037_036);
  assert.is(matchingStep('94287082', secret, 59_000), undefined);
});

// asvs 6.5.3, 6.5.4, 11.5.1: second factors hold 160 random bits, recovery codes 120
test('secrets hold 160 bits, recovery codes 120, and both can be read by people', () => {
  assert.match(newSecret(), /^[A-Z2-7]{32}$/);
  for (const code of newRecoveryCodes()) assert.match(code, /^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
  assert.is(recoveryHash('abcd-efgh-ijkl-mnop-qrst-uvwx'), recoveryHash('ABCDEFGHIJKLMNOPQRSTUVWX'));
  assert.is(recoveryHash('ABCDEFGHIJKLMNOPQRSTUVW'), undefined);
  const svg = Buffer.from(qrCode(otpauthUrl('Hostkeep', 'ann', newSecret())).split(',')[1] ?? '', 'base64').toString();
  assert.match(svg, /^<svg[^>]*><rect [^>]*fill="#fff"\/><path .*<\/svg>$/s);
});
