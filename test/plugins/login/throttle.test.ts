import * as assert from '../../support/assert.ts';
import { budgetState } from '../../../plugins/login/throttle/budgets.ts';
import { openCore } from '../../../kernel/run/core.ts';
import { createLog } from '../../../kernel/log.ts';
import type { CommandContext } from '../../../kernel/contract/command.ts';
import commands from '../../../plugins/login/commands.ts';
import type { Lock } from '../../../plugins/login/credentials/schema.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, testConfig, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, tally } from '../../support/account-client.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('login: throttle');
const WRONG = { password: 'not the password' };
let server: TestServer;
test.before(async () => void (server = await start()));

/** A server that knows the wrong password at once: on a busy machine, hashes take longer than the minute that is counted. */
async function start(): Promise<TestServer> {
  const started = await TestServer.start({ config: { trusted_proxies: ['127.0.0.1'] } });
  const { passwords } = started.hostkeep.core;
  const { verify } = passwords;
  passwords.verify = async (password, ...more) =>
    password !== WRONG.password && (await verify.call(passwords, password, ...more));
  return started;
}

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
  const { asks } = await server.user('cora');
  await asks('POST /api/account/2fa/setup', { password: PASSWORD }, 200);
  for (const is of [400, 400, 400, 400, 400, 429]) await asks('POST /api/account/2fa/confirm', { code: 'abcdef' }, is);
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
  assert.is(body['detail'], `too many failed attempts: try again in ${seconds} s`);
  assert.is(headers.get('ratelimit'), `"failures-per-minute";r=0;t=${seconds}`);
  assert.is(
    headers.get('ratelimit-policy'),
    '"failures-per-minute";q=5;w=60, "failures-per-hour";q=20;w=3600, "failures-per-day";q=50;w=86400',
  );
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

// threat weak-limiter: the guesses of one network lock nobody out of all others for good
test('one strange network uses up only a part of what an account may fail in a day', async () => {
  await server.account('lia');
  const statuses: number[] = [];
  for (let minute = 0; minute < 12; minute += 1) {
    statuses.push(...(await fail('lia', 5, `2001:db8:66:${minute.toString(16)}::1`)));
    await age(minute % 3 === 2 ? 3_600_000 : 60_000);
  }
  assert.is(
    statuses.filter((status) => status === 401).length,
    10,
    'of 50 a day, whatever part of the /48 they are from',
  );
  assert.is((await logIn(server, 'lia', { from: '198.51.100.60' })).status, 200);
  assert.is((await logIn(server, 'lia', { from: '2001:db8:67::1' })).status, 200);
});

// threat weak-limiter: failures of other accounts lock nobody out of a network from which the account has logged in
test("others' failures in a network do not lock out those known there", async () => {
  const shared = '198.51.100.70';
  await server.account('nat');
  assert.is((await logIn(server, 'nat', { from: shared })).status, 200);
  for (let i = 0; i < 31; i += 1) await logIn(server, `neighbour-${i}`, { ...WRONG, from: shared });
  await server.account('new');
  assert.is((await logIn(server, 'new', { from: shared })).status, 429);
  assert.is((await logIn(server, 'nat', { from: shared })).status, 200);
  await fail('nat', 1, shared);
  const { store } = server.hostkeep.core;
  const counted = await store.get<{ n: number }>(
    "select count(*) as n from login_failures where budget = 'address 198.51.100.70'",
  );
  assert.is(counted?.n, 31, 'though its failures count for the network');
});

// threat weak-limiter: wrong passwords do not lock an administrator out of known networks and of the node itself
test('an administrator gets in from known networks and from the node', async () => {
  const home = '198.51.100.75';
  await server.account('chief', '', 'admin');
  for (const from of ['127.0.0.1', '::1']) {
    assert.equal((await fail('chief', 8, from)).at(-1), 401);
    assert.is((await logIn(server, 'chief', { from, address: 'admin' })).status, 200, from);
  }
  assert.equal((await fail('chief', 6, home)).at(-1), 429);
  await age(60_000);
  assert.is((await logIn(server, 'chief', { from: home, address: 'admin' })).status, 200);
  assert.equal((await fail('chief', 8, home)).at(-1), 401);
  assert.is((await logIn(server, 'chief', { from: home, address: 'admin' })).status, 200);
  assert.equal((await fail('chief', 25, home)).at(-1), 429, 'but guesses are limited there too');
});

test('IPv6 networks count by 64 bits, and by 48 with four times as many', async () => {
  const guess = async (from: string) => (await logIn(server, `name-${Math.random()}`, { ...WRONG, from })).status;
  const { passwords } = server.hostkeep.core;
  const { verify } = passwords;
  let verified = 0;
  passwords.verify = async () => {
    verified += 1;
    return false;
  };
  try {
    const statuses = await Promise.all(
      Array.from({ length: 125 }, (_, i) => guess(`2001:db8:48:${i.toString(16)}::1`)),
    );
    assert.equal([statuses.filter((status) => status === 401).length, verified], [120, 120], 'and nothing is hashed');
    assert.is(await guess('2001:db8:48:ffff::1'), 429);
    assert.is(await guess('2001:db8:49::1'), 401);
  } finally {
    passwords.verify = verify;
  }
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
  await other.account('dora');
  await logIn(other, 'dora', { from: '203.0.113.1' });
  const dora = await other.as(await other.hostkeep.core.accounts.get('dora'));
  const [login] = await dora.asks<{ ip: string }[]>('GET /api/account/login-history', 200);
  assert.is(login?.ip, '127.0.0.1');
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
  const { token, asks } = await server.user('gil');
  const { secret } = await enableTwofa(server, token);
  const new_password = 'long enough';
  assert.is((await logIn(server, 'gil', { code: codeOf(secret, 20) })).status, 401);
  await asks('PUT /api/account/password', { password: 'wrong', new_password }, 401);
  await asks('DELETE /api/account/2fa', { password: PASSWORD, code: 'wrong' }, 401);
  await asks('POST /api/account/2fa/setup', { password: 'wrong' }, 401);
  assert.is((await logIn(server, 'gil', WRONG)).status, 401);
  await asks('PUT /api/account/password', { password: PASSWORD, new_password }, 429);
  await asks('DELETE /api/account/2fa', { password: PASSWORD, code: codeOf(secret, 1) }, 429);
  assert.is((await logIn(server, 'gil', { code: codeOf(secret, 1) })).status, 429);
});

// threat weak-limiter: failures are kept over a restart
test('a restart forgets no failure', async () => {
  const data = temporaryFolder();
  const before = await TestServer.start({ data });
  await before.account('hal');
  for (let i = 0; i < 5; i += 1) assert.is((await logIn(before, 'hal', WRONG)).status, 401);
  await before.close();
  assert.is((await logIn(await TestServer.start({ data }), 'hal')).status, 429);
});

test('an administrator unlocks an account, and nothing else', async () => {
  const uma = await server.user('uma');
  await server.account('vic');
  const locksmith = await server.admin('locksmith');
  const home = '198.51.100.80';
  assert.is((await logIn(server, 'uma', { from: home })).status, 200);
  assert.is((await fail('uma', 6, home)).at(-1), 429);
  assert.is((await fail('uma', 6, '198.51.100.81')).at(-1), 429);
  assert.is((await fail('vic', 6, '198.51.100.82')).at(-1), 429);
  await locksmith.asks('POST /api/accounts/uma/unlock', 200, { username: 'uma', unlocked: true });
  assert.is((await logIn(server, 'uma', { from: home })).status, 200);
  assert.is((await logIn(server, 'uma', { from: '198.51.100.83' })).status, 200);
  assert.is((await logIn(server, 'vic', { from: '198.51.100.84' })).status, 429);
  assert.is((await fail('uma', 6, '198.51.100.85')).at(-1), 429, 'new failures count again');
  assert.match(
    (await uma.told('unlocked'))[0] ?? '',
    /User 'uma' was unlocked by the administrator 'locksmith' from IP 127\.0\.0\.1$/,
  );
});

test('unlocking works during a guess, and for a network permanently', async () => {
  await server.account('wim');
  const { accounts, passwords } = server.hostkeep.core;
  const other = await openCore(testConfig(server.data), createLog('silent'));
  const unlock = (options: Record<string, string> = {}) => {
    const command = commands
      .flatMap((group) => ('usage' in group ? [] : group.commands))
      .find(({ usage }) => usage.startsWith('unlock'));
    const withStore: CommandContext['withStore'] = (work) =>
      work({ identity: other, events: other.events, store: other.store, jobs: other.jobs });
    return command?.run({ withStore } as CommandContext, ['wim'], options);
  };
  const { verify } = passwords;
  let release = () => {};
  const isHeld = new Promise<void>((held) => {
    passwords.verify = async () => {
      held();
      await new Promise<void>((resolve) => (release = resolve));
      return false;
    };
  });
  try {
    assert.is((await fail('wim', 0, '198.51.100.90')).length, 0);
    const guess = logIn(server, 'wim', { ...WRONG, from: '198.51.100.90' });
    await isHeld;
    passwords.verify = verify;
    assert.equal(await fail('wim', 4, '198.51.100.91'), [401, 401, 401, 401]);
    release();
    assert.is((await guess).status, 401);
    const from = '2001:db8:91::5';
    assert.is((await logIn(server, 'wim', { from })).status, 429);
    assert.equal(await unlock(), { value: { username: 'wim', unlocked: true }, text: 'wim is unlocked' });
    assert.is((await logIn(server, 'wim', { from: '198.51.100.93' })).status, 200);
    assert.equal((await fail('wim', 6, '198.51.100.92')).at(-1), 429);
    assert.is((await logIn(server, 'wim', { from })).status, 429);
    await unlock({ from });
    assert.equal((await fail('wim', 6, '198.51.100.94')).at(-1), 429);
    assert.is((await logIn(server, 'wim', { from })).status, 200, 'the attack goes on, and the owner gets in');
    for (const bad of ['x', '1.2.3', '10.0.0.0/8'])
      assert.is(await unlock({ from: bad })?.catch((error: { code: string }) => error.code), 'invalid_request');
    const { id } = await accounts.get('wim');
    const { lines } = await other.events.page(id, 'unlocked', 0, 5);
    assert.match(lines[0] ?? '', /User 'wim' was unlocked for 2001:db8:91::5 from the command line$/);
  } finally {
    passwords.verify = verify;
    await other.close();
  }
});

// threat weak-limiter: failures expire, so the record does not grow forever
test('failures are forgotten after a day', async () => {
  await age(86_400_000);
  assert.is((await logIn(server, 'nobody', { from: '198.51.100.30' })).status, 401);
  const { store } = server.hostkeep.core;
  assert.is((await store.get<{ n: number }>('select count(*) as n from login_failures'))?.n, 3);
});

test('the room of a budget follows from the times of its failures', () => {
  const limits = { minute: 5, hour: 20, day: 50 };
  const now = 1_000_000_000;
  const ago = (...seconds: number[]) => seconds.map((each) => now - each * 1000);
  assert.equal(budgetState([], limits, now), { room: 5, waitMs: 0, window: 'minute' });
  assert.equal(budgetState(ago(1, 2, 59, 61), limits, now), { room: 2, waitMs: 0, window: 'minute' });
  assert.equal(budgetState(ago(1, 2, 3, 4, 20, 70), limits, now), { room: 0, waitMs: 40_000, window: 'minute' });
  assert.equal(
    budgetState(
      Array.from({ length: 20 }, () => now - 600_000),
      limits,
      now,
    ),
    { room: 0, waitMs: 3_000_000, window: 'hour' },
  );
  assert.equal(
    budgetState(
      Array.from({ length: 50 }, () => now - 7_200_000),
      limits,
      now,
    ),
    { room: 0, waitMs: 79_200_000, window: 'day' },
  );
  assert.equal(
    budgetState(
      Array.from({ length: 50 }, () => now - 86_400_000),
      limits,
      now,
    ),
    { room: 5, waitMs: 0, window: 'minute' },
  );
});

test('operators see what is locked, by whom and until when, and lift it', async () => {
  const own = await start();
  const root = await own.admin();
  await own.account('zoe');
  for (const key of ['x', Buffer.from('address 192.0.2.1').toString('base64url'), '%00'])
    await root.asks(`DELETE /api/locks/${key}`, '404 lock_not_found');
  await root.asks('GET /api/locks', 200, { locks: [] });
  const attempt = (username: string, from: string) => logIn(own, username, { ...WRONG, from });
  for (let i = 0; i < 6; i++) await attempt('zoe', '192.0.2.9');
  for (let i = 0; i < 30; i++) await attempt(`name-${i}`, '192.0.2.10');
  const locked = async () => (await root.asks<{ locks: Lock[] }>('GET /api/locks', 200)).locks;
  const locks = await locked();
  assert.equal(locks.map(({ kind, username, network, failures }) => [kind, username, network, failures]).toSorted(), [
    ['account', 'zoe', null, 5],
    ['account_from_network', 'zoe', '192.0.2.9', 5],
    ['network', null, '192.0.2.10', 30],
  ]);
  for (const { until } of locks) assert.ok(Date.parse(until) > Date.now() && Date.parse(until) < Date.now() + 61_000);
  const lift = (wanted: string) =>
    root.asks(`DELETE /api/locks/${locks.find(({ kind }) => kind === wanted)?.key}`, 200);
  await lift('account_from_network');
  assert.equal(pick(await locked(), 'kind'), ['network'], 'all locks of the account are lifted');
  assert.is((await logIn(own, 'zoe', { from: '192.0.2.9' })).status, 200);
  assert.is((await logIn(own, 'zoe', { from: '192.0.2.10' })).status, 429);
  await lift('network');
  assert.equal(await locked(), []);
  assert.is((await logIn(own, 'zoe', { from: '192.0.2.10' })).status, 200);
  const [event] = await own.hostkeep.core.events.find({ type: 'lock.lifted' }, 1);
  assert.match(event?.line ?? '', /User 'root' lifted the lock of 192\.0\.2\.10 from IP/);
});
