import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import { Keyring } from '../../kernel/identity/gate/keyring.ts';
import { HttpError } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Type } from '../../kernel/schema.ts';
import { openCore } from '../../kernel/run/core.ts';
import { createLog } from '../../kernel/log.ts';
import { TokenCache } from '../../kernel/identity/gate/token-cache.ts';
import type { Session } from '../../kernel/identity/gate/sessions.ts';
import type { SqlValue } from '../../kernel/store/sqlite/connection.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig, TestServer } from '../support/hostkeep.ts';
import { probePlugin } from '../support/probe.ts';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('accounts and sessions');
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [probePlugin()] })));

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );
const mine = async (token: string) => (await server.ask('/probe/mine', { token })).status;

// threat shell-injection: invalid account names are refused
test('accounts that cannot be are refused by name', async () => {
  const { accounts, plans } = server.hostkeep.core;
  const make = (username: string, rest: object = { plan: 'basic' }) =>
    code(accounts.create({ username, role: 'user', passwordHash: 'x', ...rest }));
  for (const name of ['', 'Ann', '1a', 'a b', 'a/b', '../a', "a'b", 'a\n', `a${'b'.repeat(32)}`, 'ä'])
    assert.is(await make(name), 'invalid_request', name);
  assert.is(await make('ada', { plan: 'nonsense' }), 'plan_not_found');
  assert.is(await make('ada', {}), 'invalid_request', 'a user whose plan is not given');
  assert.is(await make('ada', { role: 'admin', plan: 'basic' }), 'invalid_request', 'an admin with a plan');
  assert.is(await make('ada'), 'done');
  assert.is(await make('ada'), 'account_exists');
  assert.is(await code(plans.remove('basic')), 'plan_in_use');
  assert.is(await code(plans.setFeature('basic', 'nonsense', true)), 'invalid_request');
  assert.is(await code(accounts.suspend('nobody')), 'account_not_found');
});

// threat fail-open: an account without a plan has no features
test("features are the plan's, plus and minus the account's; no plan has none", async () => {
  const { accounts, events } = server.hostkeep.core;
  const { id } = await server.account('flo', 'basic');
  await accounts.setFeature('flo', 'waf', true);
  await accounts.setFeature('flo', 'domains', false);
  const { features } = await accounts.get('flo');
  assert.ok(features.has('waf') && features.has('dashboard') && !features.has('domains'));
  assert.is((await accounts.update('flo', { plan: null })).features.size, 0);
  assert.match((await events.page(id, '', 0, 1)).lines[0] ?? '', /'flo' changed the plan to none from/);
  await accounts.update('flo', { email: 'flo@example.com', locale: 'de' });
  const [newest = '', older = ''] = (await events.page(id, '', 0, 2)).lines;
  assert.match(newest, /'flo' changed the language to de from/);
  assert.match(older, /'flo' changed the e-mail address to flo@example\.com from/);
  assert.ok((await accounts.update('flo', { plan: 'basic' })).features.has('waf'), 'its own settings are kept');
});

// threat immortal-tokens: logout, password change, suspension and removal end sessions at once
// asvs 7.4.1-3, 7.4.5: sessions end at once, in all tokens
test('logout, a new password, suspension and removal end a session at once', async () => {
  const { accounts, credentials, sessions } = server.hostkeep.core;
  const { account, token } = await server.user('seb');
  const other = await server.token(account);
  const [session] = (await sessions.list(account.id)).filter(
    ({ id }) =>
      token.split('.')[1] !== undefined &&
      Buffer.from(token.split('.')[1] ?? '', 'base64url')
        .toString()
        .includes(id),
  );
  assert.is(await mine(token), 200);
  assert.is(await mine(other), 200);
  assert.is(
    await code(sessions.end({ id: account.id + 1, username: 'x' }, session?.id ?? '', '')),
    'session_not_found',
    'somebody else cannot end it',
  );
  await sessions.end(account, session?.id ?? '', '');
  const again = sessions.end(account, session?.id ?? '', '', 'logout');
  assert.is(await code(again), 'authentication_required', 'as where another request has ended it a moment ago');
  assert.is(await mine(other), 200, 'reads the account again');
  assert.is(await mine(token), 401, 'also after that');
  await credentials.setPassword(account, 'hash');
  assert.is(await mine(other), 401);
  const third = await server.token(account);
  assert.is(await mine(third), 200);
  await accounts.remove('seb');
  assert.is(await mine(third), 401);
});

test("a token's account, role and session match; suspended accounts have no session", async () => {
  const { accounts, keys, sessions, store } = server.hostkeep.core;
  const [{ account, token }, other] = [await server.user('tess'), await server.user('tom')];
  const [row] = await sessions.list(account.id);
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: String(account.id), aud: 'user', jti: row?.id ?? '', iat, exp: iat + 60 } as const;
  const isGood = async (change: object) =>
    (await sessions.resolve(`Bearer ${await keys.sign({ ...claims, ...change })}`)) !== undefined;
  for (const change of [{ sub: String(other.account.id) }, { aud: 'admin' }, { jti: 'x' }, { exp: iat }])
    assert.not.ok(await isGood(change), JSON.stringify(change));
  assert.ok(await isGood({}));
  await accounts.suspend('tess');
  const since = () => store.get('select suspended_at from accounts where id = ?', account.id);
  const first = await since();
  while (Date.now() === (first as { suspended_at: number }).suspended_at) await undefined;
  await accounts.suspend('tess');
  assert.equal(await since(), first, 'it is suspended since the first time');
  const late = await server.token(account);
  for (const each of [token, late]) assert.is(await mine(each), 401);
});

test('a change during the read of a session leaves nothing in the cache', async () => {
  const { accounts, revision, sessions, store } = server.hostkeep.core;
  const { account, token } = await server.user('rea');
  const header = `Bearer ${token}`;
  const { get } = store;
  for (const change of [() => accounts.cells.forget(account.id), () => void (revision.generation += 1)]) {
    revision.generation += 1;
    store.get = async <T>(sql: string, ...params: SqlValue[]) => {
      const row = await get.call(store, sql, ...params);
      if (sql.includes('from sessions')) change();
      return row as T | undefined;
    };
    assert.is((await sessions.resolve(header))?.account.username, 'rea');
    store.get = get;
    assert.is(sessions.remembered(header), undefined);
    await sessions.resolve(header);
    assert.ok(sessions.remembered(header));
  }
});

test('a token is looked up by its end, but compared as a whole', () => {
  const tokens = new TokenCache();
  const [mine, other] = [{ expiresAt: 2 }, { expiresAt: 4 }] as Session[] as [Session, Session];
  tokens.set('Bearer a.same-end-of-both', mine);
  assert.is(tokens.get('Bearer a.same-end-of-both'), mine);
  for (const header of ['Bearer b.same-end-of-both', 'same-end-of-both', 'd-of-both', '']) {
    assert.is(tokens.get(header), undefined, header);
    tokens.delete(header);
  }
  assert.is(tokens.get('Bearer a.same-end-of-both'), mine, 'who knows the end cannot make it forgotten');
  tokens.set('Bearer c', other);
  tokens.sweep(2);
  assert.equal([tokens.get('Bearer a.same-end-of-both'), tokens.get('Bearer c')], [undefined, other]);
});

test('requests that waited for a check that found no change do not query the store', async () => {
  const { sessions, revision, store } = server.hostkeep.core;
  const header = `Bearer ${(await server.user('wim')).token}`;
  const first = await sessions.resolve(header);
  const { get } = store;
  let asked = 0;
  store.get = <T>(sql: string, ...params: SqlValue[]) => {
    if (sql.includes('sessions')) asked += 1;
    return get.call(store, sql, ...params) as Promise<T | undefined>;
  };
  const checked = revision.check();
  const all = await Promise.all(Array.from({ length: 100 }, () => sessions.resolve(header)));
  await checked;
  store.get = get;
  assert.ok(all.every((each) => each?.session === first?.session));
  assert.is(asked, 0);
  assert.ok((await sessions.count()) > 0);
});

// threat immortal-tokens: changes by another process apply to the next request
test("another process's change applies to a request read before the notification", async () => {
  const { core } = server.hostkeep;
  const other = await openCore(testConfig(server.data), createLog('silent'));
  try {
    const { account, token } = await server.user('wes');
    const header = `Bearer ${token}`;
    for (const on of [false, true, false]) {
      await core.sessions.resolve(header);
      await other.accounts.setFeature('wes', 'dns', on);
      assert.is(core.sessions.remembered(header), undefined, 'in the very turn in which the change is told');
      assert.is((await core.sessions.resolve(header))?.account.features.has('dns'), on);
    }
    await other.accounts.suspend('wes');
    assert.is(await core.sessions.resolve(header), undefined);
    assert.is((await core.accounts.byId(account.id))?.suspended, true);
  } finally {
    await other.close();
  }
});

test('a change during the read of an account or a plan leaves nothing old in the cache', async () => {
  const { accounts, plans, store } = server.hostkeep.core;
  const { id } = await server.account('rio', 'basic');
  const { all } = store;
  const duringRead = (of: string, change: () => Promise<unknown>) => {
    store.all = async <T>(sql: string, ...params: SqlValue[]) => {
      const rows = await all.call(store, sql, ...params);
      if (sql.includes(`from ${of}`)) {
        store.all = all;
        await change();
      }
      return rows as T[];
    };
  };
  const has = async () => (await accounts.byId(id))?.features.has('waf');
  for (const on of [true, false]) {
    accounts.cells.forget(id);
    duringRead('accounts where', () => accounts.setFeature('rio', 'waf', on));
    assert.is(await has(), !on, 'what was read before the change');
    assert.is(await has(), on);
  }
  await accounts.setFeature('rio', 'waf', undefined);
  for (const of of ['plans', 'accounts where']) {
    for (const on of [true, false]) {
      server.hostkeep.core.revision.generation += 1;
      duringRead(of, () => plans.setFeature('basic', 'waf', on));
      await accounts.byId(id);
      assert.is(await has(), on, of);
    }
  }
});

test('caches of tokens, accounts and values have an upper limit, and forget the oldest', async () => {
  const tokens = new TokenCache<Pick<Session, 'expiresAt'>>();
  for (let i = 0; i <= 50_000; i += 1) tokens.set(`Bearer ${i}`, { expiresAt: i });
  assert.equal([tokens.get('Bearer 0'), tokens.get('Bearer 1')?.expiresAt], [undefined, 1]);
  const { accounts } = server.hostkeep.core;
  const { id } = await server.account('eva');
  await accounts.byId(id);
  const [cell, { version }] = [accounts.cells.of(id), accounts.cells.of(id)];
  assert.is(cell.account?.username, 'eva');
  for (let i = 1; i <= 20_000; i += 1) accounts.cells.of(-i);
  assert.equal([cell.account, cell.version], [undefined, version + 1], 'a session that holds it is stale');
  assert.is.not(accounts.cells.of(id), cell);
  const [values, oldest] = [new AccountCache<number>(60_000), { id: 0 }];
  for (let i = 0; i <= 10_000; i += 1) values.get(i === 0 ? oldest : { id: i }, 'k', () => i);
  assert.is(
    values.get(oldest, 'k', () => 7),
    7,
  );
});

// asvs 9.1.3: keys are found by kid in keys.json; the previous key stays valid after a rotation, older ones do not
// asvs 11.1.1: signing keys can be rotated
test('the previous signing key verifies tokens, an older one does not', async () => {
  const { keys } = server.hostkeep.core;
  const { token } = await server.user('kim');
  keys.rotate();
  assert.is(await mine(token), 200);
  const fresh = Keyring.open(server.data);
  assert.ok(await fresh.verify(token));
  keys.rotate();
  assert.is(await Keyring.open(server.data).verify(token), undefined);
});

test('a correctly signed token needs all claims of an issued one', async () => {
  const folder = temporaryFolder();
  const keys = Keyring.open(folder);
  assert.is(statSync(join(folder, 'keys.json')).mode & 0o777, 0o600);
  const [key] = (
    JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as { signing: { kid: string; secret: string }[] }
  ).signing;
  const now = Math.floor(Date.now() / 1000);
  const verified = (change: object) => {
    const claims = { iss: 'hostkeep', sub: '1', aud: 'user', jti: 'x', iat: now, nbf: now, exp: now + 60, ...change };
    const text = [{ alg: 'HS256', typ: 'JWT', kid: key?.kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const secret = Buffer.from(key?.secret ?? '', 'base64url');
    return keys.verify(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`);
  };
  for (const name of ['iss', 'sub', 'aud', 'jti', 'iat', 'nbf', 'exp'])
    assert.is(await verified({ [name]: undefined }), undefined, `no ${name}`);
  for (const change of [{ iss: 'other' }, { aud: 'root' }, { aud: ['user', 'admin'] }, { more: 'x'.repeat(2000) }])
    assert.is(await verified(change), undefined, JSON.stringify(change).slice(0, 40));
  assert.equal(await verified({}), { sub: '1', aud: 'user', jti: 'x', iat: now, exp: now + 60 });
});

// asvs 9.2.1: nbf is checked with a minute's leeway, and no token outlives its session
test('a small step back of the clock ends no token, and none outlives its session', async () => {
  const { keys, sessions } = server.hostkeep.core;
  const { account, token } = await server.user('uhu');
  const now = Math.floor(Date.now() / 1000);
  const given = (iat: number) => keys.sign({ sub: String(account.id), aud: 'user', jti: 'x', iat, exp: iat + 3600 });
  assert.ok(await keys.verify(await given(now + 30)));
  assert.is(await keys.verify(await given(now + 90)), undefined, 'a token of the future');
  const real = Date.now;
  try {
    Date.now = () => real() + 3_601_000;
    assert.is(await sessions.resolve(`Bearer ${token}`), undefined, 'the leeway lengthens none');
  } finally {
    Date.now = real;
  }
});

test('key files of killed processes are removed, those of running ones are kept', () => {
  const folder = temporaryFolder();
  const names = [PROCESS_ID, `${2 ** 22 + 1}:1`].map((id) => `.keys.json.${id}.0a1b2c3d.tmp`);
  for (const name of names) writeFileSync(join(folder, name), '{');
  Keyring.open(folder);
  assert.equal(readdirSync(folder).toSorted(), [names[0], 'keys.json']);
});

// asvs 11.3.1-3: secrets in the store are encrypted and authenticated, bound to their place
// asvs 13.3.2: sealed secrets need the key of the service's user
test('sealed texts open only with their key and in their place', () => {
  const keys = Keyring.open(temporaryFolder());
  const sealed = keys.seal('secret', 'twofa:1');
  assert.is(keys.unseal(sealed, 'twofa:1'), 'secret');
  assert.throws(() => keys.unseal(sealed, 'twofa:2'));
  assert.throws(() => Keyring.open(temporaryFolder()).unseal(sealed, 'twofa:1'));
  assert.not.match(sealed, /secret/);
  assert.match(keys.derive('a'), /^[0-9a-f]{64}$/);
  assert.is(keys.derive('a'), keys.derive('a'));
  assert.is.not(keys.derive('a'), keys.derive('b'));
  assert.is.not(keys.derive('a'), Keyring.open(temporaryFolder()).derive('a'));
});

// threat forged-state: one event is one line, and stands in the same transaction as its change
// asvs 2.3.3: a change and its event are one transaction
test('one event is one line, and a change and its event exist together', async () => {
  const { events, store } = server.hostkeep.core;
  const account = await server.account('eve');
  await store.write((tx) =>
    events.record(tx, {
      type: 'logout',
      account,
      text: "did 'x'\r\n[2026-01-01 00:00:00] User 'root' \u2028\u202e",
      ip: '::1',
    }),
  );
  const heard: string[] = [];
  const stop = events.listen(({ line }) => void heard.push(line));
  await store
    .write(async (tx) => {
      await events.record(tx, { type: 'logout', account, text: 'failed', ip: '' });
      throw new Error('taken back');
    })
    .catch(() => undefined);
  stop();
  assert.equal(heard, [], 'nobody hears of what is taken back');
  const { lines, total } = await events.page(account.id, '', 0, 10);
  assert.is(total, 2);
  assert.match(
    lines[0] ?? '',
    /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] User 'eve' did 'x'\\x0d\\x0a\[2026-01-01 00:00:00\] User 'root' \\u2028\\u202e from IP ::1$/,
  );
  assert.match(lines[1] ?? '', /was created from the command line$/);
  assert.is((await events.page(account.id, 'DID', 0, 10)).total, 1);
  assert.is((await events.page(account.id, '%', 0, 10)).total, 0, 'a search is no pattern');
  assert.is(escapeControl('a\tb'), 'a\\x09b');
  for (const [range, [first = 0, last = 0]] of Object.entries({
    C0: [0, 0x1f],
    'DEL and C1': [0x7f, 0x9f],
    separators: [0x2028, 0x2029],
    embeddings: [0x202a, 0x202e],
    isolates: [0x2066, 0x2069],
  }))
    for (let code = first; code <= last; code += 1)
      assert.match(escapeControl(String.fromCharCode(code)), /^\\(x[0-9a-f]{2}|u[0-9a-f]{4})$/, range);
  assert.is(escapeControl(' ~\u00a0\u2027\u202f\u2065ä'), ' ~\u00a0\u2027\u202f\u2065ä');
});

test('pages are ordered by time, and events of one time by their order', async () => {
  const { events, store } = server.hostkeep.core;
  const account = await server.account('historic');
  const texts = async (search: string, offset: number, limit: number) =>
    (await events.page(account.id, search, offset, limit)).lines.map((line) => /'historic' (.*) from/.exec(line)?.[1]);
  const now = Date.now();
  await store.write(async (tx) => {
    for (const [text, at] of [
      ['did one', now - 5000],
      ['did two', now - 9000],
      ['did three', now - 5000],
      ['did four', now - 86_400_000],
    ] as const)
      await events.record(tx, { type: 'logout', account, text, ip: '::1', at });
  });
  assert.equal(await texts('', 0, 10), ['was created', 'did three', 'did one', 'did two', 'did four']);
  assert.equal(await texts('DID', 0, -1), ['did three', 'did one', 'did two', 'did four']);
  assert.equal(await texts('', 1, 3), ['did three', 'did one', 'did two']);
  await store.write((tx) => events.record(tx, { type: 'logout', account, text: 'came last', ip: '' }));
  assert.match(
    (await events.page(account.id, '', 0, 1)).lines[0] ?? '',
    /User 'historic' came last from the command line$/,
  );
});

test('an event of a removed account belongs to the server and rejects the login', async () => {
  const { accounts, events, plans, sessions, store } = server.hostkeep.core;
  const account = await server.account('gone');
  await accounts.remove('gone');
  await store.write((tx) => events.record(tx, { type: 'logout', account, text: 'came late', ip: '' }));
  const [event] = await events.after((await events.lastId()) - 1, 1);
  assert.equal([event?.type, event?.account_id, event?.username], ['logout', null, 'gone']);
  assert.is(
    await code(sessions.open(account, '', '', () => Promise.reject(new HttpError('invalid_credentials', 'gone')))),
    'invalid_credentials',
  );
  const { name: _, features: __, ...limits } = await plans.get('basic');
  await plans.create('brief', limits, []);
  await server.account('mover');
  // whichever is first: no account has a plan that is gone
  const [removed, ...late] = await Promise.all(
    [
      plans.remove('brief'),
      accounts.create({ username: 'late', role: 'user', plan: 'brief', passwordHash: 'x' }),
      accounts.update('mover', { plan: 'brief' }),
    ].map(code),
  );
  if (removed === 'done') assert.equal(late, ['plan_not_found', 'plan_not_found']);
  else assert.equal([removed, late.includes('done')], ['plan_in_use', true]);
});

test('a request that fails because its session ended in the meantime gets a 401', async () => {
  const plugin = definePlugin({
    name: 'leaver',
    features: [],
    routes: {
      leave: {
        method: 'POST',
        path: '/leave',
        access: 'user',
        summary: 'Fail once the account is gone',
        reply: Type.Object({}),
      },
      fail: { method: 'POST', path: '/fail', access: 'user', summary: 'Fail', reply: Type.Object({}) },
    },
    setup: ({ identity, store }) => {
      const fail = (id: number) =>
        store.write((tx) => tx.run('insert into account_features values (?, ?, 7)', id, 'waf')).then(() => ({}));
      return {
        handlers: {
          leave: ({ account }) => identity.accounts.remove(account.username).then(() => fail(account.id)),
          fail: ({ account }) => fail(account.id),
        },
      };
    },
  });
  const node = await TestServer.start({ plugins: [plugin] });
  const { token } = await node.user('leaver');
  assert.is((await node.ask('/fail', { method: 'POST', token })).status, 500, 'a fault stays one');
  const { status, headers, body } = await node.ask('/leave', { method: 'POST', token });
  assert.equal([status, body['error'], headers.get('www-authenticate')], [401, 'authentication_required', 'Bearer']);
});

// asvs 16.2.3: the store keeps 10,000 events per account
test('of the events of an account, ten thousand are kept', async () => {
  const { events, store } = server.hostkeep.core;
  const [account, other] = [await server.account('ivo'), await server.account('iva')];
  for (let i = 0; i < 21; i += 1) {
    await store.write(async (tx) => {
      for (let n = 0; n < 500; n += 1)
        await events.record(tx, { type: 'logout', account, text: `did ${i}.${n}`, ip: '' });
    });
  }
  const { lines, total } = await events.page(account.id, '', 0, 1);
  assert.is(total, 10_000);
  assert.match(lines[0] ?? '', /did 20.499/);
  const rows = await store.get<{ n: number }>('select count(*) as n from events where account_id = ?', account.id);
  assert.ok((rows?.n ?? 0) <= 10_256, `${rows?.n} are stored`);
  const { lines: others } = await events.page(other.id, '', 0, -1);
  assert.is(others.length, 1, 'those of other accounts stay');
  assert.match(others[0] ?? '', /User 'iva' was created/);
});

// threat shared-cache: the account is part of every cache key
test('a cache keeps no failures, computes once for all, and never mixes accounts', async () => {
  const [ann, bob] = [await server.account('ann'), await server.account('bob')];
  const cache = new AccountCache<string>(60_000);
  let calls = 0;
  const compute = async () => `value ${(calls += 1)}`;
  const failing = cache.get(ann, 'k', () => Promise.reject(new Error('once')));
  assert.is(await Promise.resolve(failing).catch((error: Error) => error.message), 'once');
  assert.equal(
    await Promise.all([cache.get(ann, 'k', compute), cache.get(ann, 'k', compute), cache.get(bob, 'k', compute)]),
    ['value 1', 'value 1', 'value 2'],
  );
  assert.is(cache.get(ann, 'k', compute), 'value 1');
  let fail: (cause: Error) => void = () => {};
  const old = cache.get({ id: ann.id }, 'k', () => new Promise<string>((_resolve, reject) => (fail = reject)));
  assert.is(
    cache.get({ id: ann.id }, 'other', () => 'x'),
    'x',
  );
  const newer = cache.get(ann, 'k', () => 'newer');
  fail(new Error('too late'));
  assert.is(await Promise.resolve(old).catch((error: Error) => error.message), 'too late');
  assert.is(cache.get(ann, 'k', compute), newer, 'a late failure does not remove a newer value');
  const brief = new AccountCache<string>(0);
  for (const value of ['first', 'second'])
    assert.is(
      brief.get(ann, 'k', () => value),
      value,
      'it has expired',
    );
  cache.drop(ann.id);
  assert.is(await cache.get(ann, 'k', compute), 'value 3');
  assert.is(cache.get(bob, 'k', compute), 'value 2');
  await server.hostkeep.core.accounts.setFeature('ann', 'dns', false);
  assert.is(
    await cache.get(await server.hostkeep.core.accounts.get('ann'), 'k', compute),
    'value 4',
    'a new snapshot has new values',
  );
});

test('a stale value is returned during renewal; a failure shows once it is too old', async () => {
  const [cache, account] = [new AccountCache<number>(0, 60_000), { id: 1 }];
  assert.is(await cache.get(account, '', async () => 1), 1);
  let calls = 0;
  let finish: (value: number) => void = () => {};
  const renew = () => {
    calls += 1;
    return new Promise<number>((resolve) => (finish = resolve));
  };
  assert.equal([cache.get(account, '', renew), cache.get(account, '', renew)], [1, 1], 'nobody waits');
  await Promise.resolve();
  assert.is(calls, 1);
  finish(2);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(
    cache.get(account, '', () => Promise.reject(new Error('broken'))),
    2,
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(
    cache.get(account, '', async () => 3),
    2,
    'a failed one is tried again',
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(
    cache.get(account, '', async () => 4),
    3,
  );
  const old = new AccountCache<number>(0, 0);
  await old.get(account, '', async () => 1);
  assert.is(
    await Promise.resolve(old.get(account, '', () => Promise.reject(new Error('broken')))).catch(() => 'broken'),
    'broken',
  );
});
