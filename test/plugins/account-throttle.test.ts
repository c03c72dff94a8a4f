import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { budgetState } from '../../plugins/account/login/throttle.ts';
import { PASSWORD, TestServer } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { codeOf, enableTwofa, logIn, tally } from './account-client.ts';

const test = testSuite('account: throttle');
const WRONG = { password: 'not the password' };
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ config: { trusted_proxies: ['127.0.0.1'] } })));
test.after(() => server.close());

/** A sequence of wrong passwords, and their statuses. */
async function fail(username: string, times: number, from: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push((await logIn(server, username, { ...WRONG, from })).status);
  return statuses;
}

/** Makes all failures so much older. */
async function age(ms: number): Promise<void> {
  await server.hostkeep.core.store.write((tx) => tx.run('update login_failures set at = at - ?', ms));
}

test('guesses of the code that confirms a set-up count as failures', async () => {
  const { token } = await server.user('cora');
  const ask = (path: string, body: unknown) => server.ask(path, { method: 'POST', token, body });
  assert.is((await ask('/api/account/2fa/setup', { password: PASSWORD })).status, 200);
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await ask('/api/account/2fa/confirm', { code: 'abcdef' })).status);
  assert.equal(statuses, [400, 400, 400, 400, 400, 429]);
});

// asvs 6.1.1, 6.3.1: five failures a minute, then also the correct password has to wait
test('five failures a minute, and then also the right password has to wait', async () => {
  await server.account('ann');
  assert.equal(await fail('ann', 6, '198.51.100.1'), [401, 401, 401, 401, 401, 429]);
  const { status, headers, body } = await logIn(server, 'ann', { from: '198.51.100.2' });
  assert.is(status, 429);
  assert.is(body['error'], 'rate_limited');
  const seconds = Number(headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
  await age(60_000);
  assert.is((await logIn(server, 'ann', { from: '198.51.100.2' })).status, 200);
});

test('an invented name is refused in the same way', async () => {
  assert.equal(await fail('invented', 6, '198.51.100.3'), [401, 401, 401, 401, 401, 429]);
  const rows = await server.hostkeep.core.store.all<{ budget: string }>('select budget from login_failures');
  assert.not.ok(rows.some(({ budget }) => budget.includes('invented')));
});

// threat weak-limiter: others' failures lock nobody out of an address that has logged in before
test('an address that logged in before is not locked out by the failures of others', async () => {
  await server.account('bea');
  const home = '2001:db8:1:2::10';
  assert.is((await logIn(server, 'bea', { from: home })).status, 200);
  assert.is((await fail('bea', 6, '198.51.100.4')).at(-1), 429);
  assert.is((await logIn(server, 'bea', { from: '198.51.100.5' })).status, 429);
  assert.is((await logIn(server, 'bea', { from: home })).status, 200);
  assert.is((await logIn(server, 'bea', { from: '2001:db8:1:2:ffff::1' })).status, 200, 'the same network');
  assert.equal(await fail('bea', 6, home), [401, 401, 401, 401, 401, 429], 'its own failures count');
});

test('an address cannot try one password after another name', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 32; i += 1)
    statuses.push((await logIn(server, `name-${i}`, { ...WRONG, from: `2001:db8:9:9::${i.toString(16)}` })).status);
  assert.equal(statuses, [...Array.from({ length: 30 }, () => 401), 429, 429]);
  await server.account('cleo');
  assert.is((await logIn(server, 'cleo', { from: '2001:db8:9:9::1' })).status, 429);
  assert.is((await logIn(server, 'cleo', { from: '2001:db8:9:8::1' })).status, 200);
});

// threat weak-limiter: X-Forwarded-For counts from trusted proxies only
test('an address that the client claims counts for nothing without a trusted proxy', async () => {
  const other = await TestServer.start();
  try {
    await other.account('dora');
    await logIn(other, 'dora', { from: '203.0.113.1' });
    const { body } = await other.ask<{ ip: string }[]>('/api/account/login-history', {
      token: await other.token(await other.hostkeep.core.accounts.get('dora')),
    });
    assert.is(body[0]?.ip, '127.0.0.1');
  } finally {
    await other.close();
  }
});

// threat weak-limiter: guesses from many addresses share the account's budget of five a minute
// asvs 2.4.1: login attempts are limited by account and by network
test('a crowd of guesses gets no more than the budget', async () => {
  await server.account('eve');
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => logIn(server, 'eve', { password: `guess number ${i}`, from: `192.0.2.${i}` })),
  );
  assert.equal(tally(answers), { 401: 5, 429: 45 });
});

test('a crowd of right logins is let in', async () => {
  await server.account('fay');
  const answers = await Promise.all(Array.from({ length: 50 }, () => logIn(server, 'fay', { from: '198.51.100.20' })));
  assert.equal(tally(answers), { 200: 50 });
});

test('later checks of codes and passwords count against the same budget', async () => {
  const { token } = await server.user('gil');
  const { secret } = await enableTwofa(server, token);
  const ask = (method: string, path: string, body: unknown) => server.ask(path, { method, token, body });
  assert.is((await logIn(server, 'gil', { code: codeOf(secret, 20) })).status, 401);
  assert.is(
    (await ask('PUT', '/api/account/password', { password: 'wrong', new_password: 'long enough' })).status,
    401,
  );
  assert.is((await ask('DELETE', '/api/account/2fa', { password: PASSWORD, code: 'wrong' })).status, 401);
  assert.is((await ask('POST', '/api/account/2fa/setup', { password: 'wrong' })).status, 401);
  assert.is((await logIn(server, 'gil', WRONG)).status, 401);
  assert.is(
    (await ask('PUT', '/api/account/password', { password: PASSWORD, new_password: 'long enough' })).status,
    429,
  );
  assert.is((await ask('DELETE', '/api/account/2fa', { password: PASSWORD, code: codeOf(secret, 1) })).status, 429);
  assert.is((await logIn(server, 'gil', { code: codeOf(secret, 1) })).status, 429);
});

// threat weak-limiter: failures are kept over a restart
test('a restart forgets no failure', async () => {
  const data = mkdtempSync(join(tmpdir(), 'hostkeep-test-'));
  try {
    const before = await TestServer.start({ data });
    await before.account('hal');
    for (let i = 0; i < 5; i += 1) assert.is((await logIn(before, 'hal', WRONG)).status, 401);
    await before.close();
    const after = await TestServer.start({ data });
    const { status } = await logIn(after, 'hal');
    await after.close();
    assert.is(status, 429);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

// threat weak-limiter: failures expire, so the record does not grow forever
test('an administrator unlocks an account, and nothing else', async () => {
  const { account } = await server.user('uma');
  await server.account('vic');
  const { token } = await server.admin('locksmith');
  const unlock = (username: string, as = token) =>
    server.ask(`/api/accounts/${username}/unlock`, { method: 'POST', token: as, address: 'admin' });
  const home = '198.51.100.80';
  assert.is((await logIn(server, 'uma', { from: home })).status, 200);
  assert.is((await fail('uma', 6, home)).at(-1), 429);
  assert.is((await fail('uma', 6, '198.51.100.81')).at(-1), 429);
  assert.is((await fail('vic', 6, '198.51.100.82')).at(-1), 429);
  assert.is((await unlock('uma', await server.token(account))).status, 401);
  assert.is((await unlock('nobody')).body['error'], 'account_not_found');
  assert.equal((await unlock('uma')).body, { username: 'uma', unlocked: true });
  assert.is((await logIn(server, 'uma', { from: home })).status, 200);
  assert.is((await logIn(server, 'uma', { from: '198.51.100.83' })).status, 200);
  assert.is((await logIn(server, 'vic', { from: '198.51.100.84' })).status, 429);
  assert.is((await fail('uma', 6, '198.51.100.85')).at(-1), 429, 'new failures count again');
  const { lines } = await server.hostkeep.core.events.page(account.id, 'unlocked', 0, 5);
  assert.match(lines[0] ?? '', /User 'uma' was unlocked by the administrator 'locksmith' from IP 127\.0\.0\.1$/);
});

test('failures are forgotten after a day', async () => {
  await age(86_400_000);
  assert.is((await logIn(server, 'nobody', { from: '198.51.100.30' })).status, 401);
  const { store } = server.hostkeep.core;
  assert.is((await store.get<{ n: number }>('select count(*) as n from login_failures'))?.n, 2);
});

test('the room of a budget follows from the times of its failures', () => {
  const limits = { minute: 5, hour: 20, day: 50 };
  const now = 1_000_000_000;
  const ago = (...seconds: number[]) => seconds.map((each) => now - each * 1000);
  assert.equal(budgetState([], limits, now), { room: 5, waitMs: 0 });
  assert.equal(budgetState(ago(1, 2, 59, 61), limits, now), { room: 2, waitMs: 0 });
  assert.equal(budgetState(ago(1, 2, 3, 4, 20, 70), limits, now), { room: 0, waitMs: 40_000 });
  assert.equal(
    budgetState(
      Array.from({ length: 20 }, () => now - 600_000),
      limits,
      now,
    ),
    { room: 0, waitMs: 3_000_000 },
  );
  assert.equal(
    budgetState(
      Array.from({ length: 50 }, () => now - 7_200_000),
      limits,
      now,
    ),
    { room: 0, waitMs: 79_200_000 },
  );
  assert.equal(
    budgetState(
      Array.from({ length: 50 }, () => now - 86_400_000),
      limits,
      now,
    ),
    { room: 5, waitMs: 0 },
  );
});
