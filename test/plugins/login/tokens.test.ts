/** API tokens: how they are made, listed and ended, and that they do no more than they are given. */
import { crc32 } from 'node:zlib';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { codeOf, enableTwofa, tally } from '../../support/account-client.ts';
import { PASSWORD, TestServer, type Answer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { counted, pick } from '../../support/lists.ts';
import { until } from '../../support/until.ts';

const test = testSuite('login: API tokens');
type Body = Record<string, unknown>;
interface Made {
  readonly id: string;
  readonly token: string;
}
const TOKENS = '/api/account/tokens' as const;
const DAY_MS = 86_400_000;
let server: TestServer;
test.before(async () => {
  server = await TestServer.start({
    config: { trusted_proxies: ['127.0.0.1'], screenshots: { remote_url: 'https://pictures.example/{domain}' } },
  });
});

const make = (token: string, body: Body, address: Address = 'user'): Promise<Answer<Body>> =>
  server.ask(TOKENS, { token, address, method: 'POST', body: { name: 'script', password: PASSWORD, ...body } });
/** Makes a token past the proof of the password, which costs a hash each time. */
const token = async (account: Account, scopes: readonly string[], more: Body = {}): Promise<Made> => {
  const wanted = { name: 'script', scopes, networks: [], expiresAt: Date.now() + DAY_MS, ...more };
  const { token: text, made } = await server.hostkeep.core.tokens.make(account, wanted, '127.0.0.1');
  return { id: made.id, token: text };
};
const statusOf = async (text: string, path = '/api/domains', address: Address = 'user') =>
  (await server.ask(path, { token: text, address })).status;
const errorOf = ({ status, body }: Answer<Body>) => [status, body['error']];

test('a token is shown once, and does what it is for until it is ended', async () => {
  const { token: session, asks, told } = await server.user('ann');
  const made = await make(session, { scopes: ['domains:read'], networks: ['127.0.0.0/8'] });
  assert.is(made.status, 201);
  const { id, token: text, expires_at: expires } = made.body as unknown as Made & { expires_at: string };
  assert.match(text, /^hk_[0-9A-Za-z]{36}$/);
  assert.ok(Math.abs(Date.parse(expires) - Date.now() - 90 * DAY_MS) < 60_000, 'ninety days, unless another is given');
  assert.is(await statusOf(text), 200);
  const body = await asks<{ tokens: Body[] }>(`GET ${TOKENS}`, 200);
  const [row] = body.tokens;
  assert.equal(
    [row?.['id'], row?.['scopes'], row?.['networks'], row?.['last_used_from']],
    [id, ['domains:read'], ['127.0.0.0/8'], '127.0.0.1'],
  );
  assert.ok(Math.abs(Date.parse(String(row?.['last_used_at'])) - Date.now()) < 60_000);
  assert.not.ok(JSON.stringify(body).includes(text.slice(3)));
  assert.match((await told('API token')).join('\n'), /User 'ann' made the API token script from IP 127\.0\.0\.1/);
  await asks(`DELETE ${TOKENS}/${id}`, 200, { id, ended: true });
  assert.is(await statusOf(text), 401);
  await asks(`DELETE ${TOKENS}/${id}`, '404 token_not_found');
});

// threat inherited-rights: no API token ends tokens, and nobody but administrators sees those of others
test('administrators see the tokens of an account, and end one or all', async () => {
  const { account, ...tess } = await server.user('tess');
  const admin = await server.admin('keeper');
  const first = await token(account, ['domains:read'], { name: 'first' });
  const firstAt = Date.now();
  await until('the next is newer', () => Date.now() > firstAt);
  const second = await token(account, ['domains:read'], { name: 'second' });
  const path = '/api/accounts/tess/tokens' as const;
  const { token: script } = await token(admin.account, ['accounts:read', 'accounts:write']);
  const scripts = server.with(script, 'admin');
  for (const text of [tess.token, first.token])
    await server.with(text, 'admin').asks(`GET ${path}`, '401 authentication_required');
  await scripts.rows(
    [`DELETE ${path}`, '403 session_required'],
    [`DELETE ${path}/${first.id}`, '403 session_required'],
  );
  await admin.rows(
    ['GET /api/accounts/nobody/tokens', '404 account_not_found'],
    ['DELETE /api/accounts/nobody/tokens', '404 account_not_found'],
    [`DELETE /api/accounts/nobody/tokens/${first.id}`, '404 account_not_found'],
    [`DELETE /api/accounts/keeper/tokens/${first.id}`, '404 token_not_found'],
  );
  const lacks = first.token.slice(3);
  const listed = await scripts.asks<{ tokens: { name: string }[] }>(`GET ${path}`, 200, {}, { lacks });
  assert.equal(pick(listed.tokens, 'name'), ['second', 'first']);
  await admin.asks(`DELETE ${path}/${first.id}`, 200, { id: first.id, ended: true });
  assert.equal([await statusOf(first.token), await statusOf(second.token)], [401, 200]);
  await admin.asks(`DELETE ${path}`, 200, { ended: 1 });
  assert.equal([await statusOf(second.token), await statusOf(tess.token)], [401, 200]);
});

// threat leaked-secrets: the store, the log of events and every later reply know a token's hash at most
test('the store has a hash of a token, and the token itself nowhere', async () => {
  const { account } = await server.user('vera');
  const { token: text } = await token(account, ['domains:read']);
  const { store } = server.hostkeep.core;
  const rows = [await store.all('select * from api_tokens'), await store.all('select * from events')];
  assert.not.ok(JSON.stringify(rows).includes(text.slice(3, 33)));
});

// threat stolen-token: a session alone makes no token
test('making a token takes the password, and the code where there is a second factor', async () => {
  const { token: session } = await server.user('finn');
  const scopes = ['domains:read'];
  assert.equal(errorOf(await make(session, { scopes, password: 'wrong password' })), [401, 'invalid_credentials']);
  const { secret } = await enableTwofa(server, session);
  const asked = await make(session, { scopes });
  assert.equal([asked.status, asked.body['twofa_required']], [401, true]);
  assert.equal(errorOf(await make(session, { scopes, twofa_code: '000000' })), [401, 'invalid_credentials']);
  const code = codeOf(secret, 1);
  const made = await make(session, { scopes, twofa_code: code });
  assert.is(made.status, 201);
  assert.equal(
    errorOf(await make(session, { scopes, twofa_code: code })),
    [401, 'invalid_credentials'],
    'a code works once',
  );
});

test('what cannot be given is refused with its place', async () => {
  const { token: session } = await server.user('gil', 'basic');
  const refused = async (body: Body) => {
    const { status, body: problem } = await make(session, { scopes: ['domains:read'], ...body });
    return [status, (problem['errors'] as { path: string }[] | undefined)?.[0]?.path];
  };
  assert.equal(await refused({ scopes: ['domains:read', 'docker:read'] }), [400, '/scopes/1'], 'a feature of others');
  assert.equal(await refused({ scopes: ['accounts:write'] }), [400, '/scopes/0']);
  assert.equal(await refused({ scopes: ['domains:admin'] }), [400, '/scopes/0']);
  assert.equal(await refused({ scopes: [] }), [400, '/scopes']);
  assert.equal(await refused({ expires_in_days: 366 }), [400, '/expires_in_days']);
  for (const network of ['10.0.0.0/33', 'example.org', '::1%lo', '1.2.3.4/', '10.0.0.0/8 192.0.2.1', ''])
    assert.equal(await refused({ networks: ['::1', network] }), [400, '/networks/1'], network);
  assert.equal(await refused({ name: 'two\nlines' }), [400, '/name']);
});

/** Each route of an address with the plain path that reaches it. */
const routesOf = (address: Address) =>
  server.hostkeep.node
    .routes()
    .filter((route) => route.address === address && route.access !== 'guest')
    .flatMap((route) => route.paths.map((path) => ({ route, path: path.replace(/[:*]\w+/g, 'x') })));
/** Asks with a query that no route knows: past the gate this is 400, or whatever the body or the path is worth. */
const knock = async (route: RouteInfo, path: string, text: string) => {
  const { status, body } = await server.ask<Body>(`${path}?no_such_member=1`, {
    method: route.method,
    address: route.address,
    token: text,
    ...(route.body === undefined ? {} : { body: { no_such_member: 1 } }),
  });
  return status === 403 || status === 401 ? String(body['error']) : 'open';
};

// threat crossed-scopes: every route is asked with a token of every single scope
// asvs 8.2.1: a token of a script opens what its scope names, and nothing else
test('a scope opens its own routes and no other, on either address', async () => {
  for (const address of ['user', 'admin'] as const) {
    const { account } = address === 'user' ? await server.user('sue') : await server.admin('sam');
    const routes = routesOf(address);
    const scopes = [...new Set(routes.flatMap(({ route: { scopes: s } }) => [...(s?.any ?? []), ...(s?.all ?? [])]))];
    assert.ok(scopes.length > 8, 'the scopes were found');
    for (const scope of scopes) {
      const { token: text, id } = await token(account, [scope]);
      for (const { route, path } of routes) {
        const needed = route.scopes;
        const isOpen = needed !== undefined && needed.any.includes(scope) && needed.all.every((each) => each === scope);
        const expected = isOpen ? 'open' : needed === undefined ? 'session_required' : 'scope_required';
        assert.is(await knock(route, path, text), expected, `${scope} at ${route.method} ${path}`);
      }
      await server.hostkeep.core.tokens.end(account, id, '');
    }
  }
});

// threat stolen-token: no token makes tokens, or changes credentials, factors and sessions
test('a token with every scope changes no credentials, factors or sessions', async () => {
  const CLOSED = [
    ...['logout', 'endSession', 'password', 'setupTwofa', 'confirmTwofa', 'disableTwofa', 'reauthenticate', 'unlock'],
    ...['tokens', 'makeToken', 'endToken', 'endTokens', 'endTokenOf', 'endTokensOf', 'resetTwofa', 'endSessions'],
  ];
  const closed = [...routesOf('user'), ...routesOf('admin')].filter(({ route: { scopes } }) => scopes === undefined);
  assert.equal([...new Set(closed.map(({ route }) => route.name))].toSorted(), CLOSED.toSorted());
  const { account: root } = await server.admin('max');
  const all = ['accounts:read', 'accounts:write', 'plans:write', 'usage:read', 'sessions:read'];
  const { token: text } = await token(root, all);
  await server.account('cora');
  await server.account('colleague', '', 'admin');
  const password = 'a password of the thief';
  await server
    .with(text, 'admin')
    .rows(
      ['POST /api/accounts', { username: 'thief', password, role: 'admin' }, '403 session_required'],
      ['PUT /api/accounts/colleague/password', { password }, '403 session_required'],
      ['PUT /api/accounts/max/password', { password }, '403 session_required'],
      ['POST /api/accounts/colleague/suspend', '403 session_required'],
      ['PATCH /api/accounts/colleague', { email: 'thief@example.com' }, '403 session_required'],
      ['DELETE /api/accounts/colleague', '403 session_required'],
      ['PUT /api/accounts/cora/password', { password }, 200],
    );
});

// asvs 3.5.1: the cookie of a page holds the token of a login, and no other
test('a token in a cookie, at the other address or as a page is worth nothing', async () => {
  const people = { user: (await server.user('kim')).account, admin: (await server.admin('kai')).account };
  for (const address of ['user', 'admin'] as const) {
    const { token: text } = await token(people[address], ['sessions:read']);
    assert.is(await statusOf(text, '/api/account/sessions', address), 200);
    assert.is(await statusOf(text, '/api/account/sessions', address === 'user' ? 'admin' : 'user'), 401);
    const headers = { 'hostkeep-page': '1', 'sec-fetch-site': 'same-origin', cookie: `hostkeep-${address}=${text}` };
    assert.is((await server.ask('/api/account/sessions', { address, headers })).status, 401);
    assert.is((await server.ask<null>('/api/session', { address, headers })).body, null);
    assert.is((await server.ask<null>('/api/session', { address, token: text })).body, null);
  }
});

// threat weak-limiter: a network is that of the socket, or of what a trusted proxy adds; no header of the client counts
test('a token counts from its networks only, whatever the client says of itself', async () => {
  const { account } = await server.user('nora');
  const { token: text } = await token(account, ['domains:read'], { networks: ['192.0.2.0/24', '2001:db8::/32'] });
  const from = async (forwarded: string) =>
    (await server.ask('/api/domains', { token: text, headers: { 'x-forwarded-for': forwarded } })).status;
  for (const right of ['192.0.2.7', '2001:db8::7', '203.0.113.9, 192.0.2.7']) assert.is(await from(right), 200, right);
  for (const wrong of ['203.0.113.9', '192.0.2.7, 203.0.113.9', '2001:db9::7', 'x', '192.0.2.7x'])
    assert.is(await from(wrong), 401, wrong);
  assert.is(await statusOf(text), 401, 'the proxy itself');
  const direct = await TestServer.start();
  const owner = await direct.account('nora');
  const wanted = { name: 'n', scopes: ['domains:read'], networks: ['192.0.2.0/24'], expiresAt: Date.now() + DAY_MS };
  const forged = (await direct.hostkeep.core.tokens.make(owner, wanted, '')).token;
  for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'client-ip', 'true-client-ip'])
    await direct.with(forged).asks('GET /api/domains', 401, {}, { headers: { [name]: '192.0.2.7' } });
});

// threat immortal-tokens: a token ends with its feature, its account's suspension, its date and its account
test('a token ends with its feature, date, account, or suspension', async () => {
  const { accounts, plans, tokens, store } = server.hostkeep.core;
  const { account } = await server.user('eva');
  const names = async () => (await tokens.list(account.id)).map(({ name, scopes }) => [name, ...scopes]);
  const [domains, both] = [
    await token(account, ['domains:read', 'domains:write'], { name: 'domains' }),
    await token(account, ['domains:read', 'favorites:read'], { name: 'both' }),
  ];
  assert.equal([await statusOf(domains.token), await statusOf(both.token)], [200, 200]);
  await accounts.setFeature('eva', 'domains', false, '192.0.2.1');
  assert.equal([await statusOf(domains.token), await statusOf(both.token)], [401, 403]);
  await accounts.setFeature('eva', 'domains', true);
  assert.equal([await statusOf(domains.token), await statusOf(both.token)], [401, 403], 'it came back without them');
  assert.equal(await names(), [['both', 'favorites:read']]);
  const { name: _, features, ...limits } = await plans.get('developer');
  await plans.create('fleeting', limits, [...features]);
  await accounts.update('eva', { plan: 'fleeting' });
  assert.is(await statusOf(both.token, '/api/favorites'), 200, 'a plan with the same features');
  await plans.setFeature('fleeting', 'favorites', false);
  assert.is(await statusOf(both.token, '/api/favorites'), 401);
  const third = await token(account, ['activity:read']);
  await accounts.update('eva', { plan: null });
  assert.is(await statusOf(third.token, '/api/account/activity'), 401);
  await accounts.update('eva', { plan: 'developer' });
  const fourth = await token(account, ['domains:read']);
  await accounts.suspend('eva');
  assert.is(await statusOf(fourth.token), 401);
  await accounts.unsuspend('eva');
  assert.is(await statusOf(fourth.token), 401, 'suspension ended it');
  const fifth = await token(account, ['domains:read'], { expiresAt: Date.now() + 60_000 });
  assert.is(await statusOf(fifth.token), 200);
  const real = Date.now;
  try {
    Date.now = () => real() + 61_000;
    assert.is(await statusOf(fifth.token), 401);
  } finally {
    Date.now = real;
  }
  const ended = await store.all<{ data: string }>("select data from events where type = 'token.ended'");
  const reasons = ended.map(({ data }) => (JSON.parse(data) as { reason: string }).reason);
  assert.ok(['feature', 'suspended'].every((reason) => reasons.includes(reason)));
  const sixth = await token(account, ['domains:read']);
  await accounts.remove('eva');
  assert.is(await statusOf(sixth.token), 401);
});

test('a route that two features open stays closed to a scope whose feature is gone', async () => {
  const { accounts } = server.hostkeep.core;
  const { account } = await server.user('olga');
  const { token: text } = await token(account, ['inodes:read', 'domains:read']);
  const ask = async (as = text) => errorOf(await server.ask<Body>('/api/disk_inodes?x=1', { token: as }));
  assert.equal(await ask(), [400, 'invalid_request']);
  await accounts.setFeature('olga', 'inodes', false);
  assert.equal(await ask(), [403, 'scope_required'], 'the account still has disk_usage');
  const { token: late } = await token(account, ['inodes:read']); // it was being made while the feature went
  assert.equal(await ask(late), [403, 'scope_required'], 'the scope is there, and its feature is not');
});

// threat race-conditions: fifty tokens at once, and not one more
test('an account has at most fifty tokens, also when they are made at once', async () => {
  const { account, asks } = await server.user('ulla');
  const { tokens } = server.hostkeep.core;
  const made = await Promise.allSettled(Array.from({ length: 60 }, () => token(account, ['domains:read'])));
  const texts = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value.token] : []));
  assert.is(new Set(texts).size, 50);
  const codes = made.flatMap((each) => (each.status === 'rejected' ? [(each.reason as { code: string }).code] : []));
  assert.equal(counted(codes), { tokens_full: 10 });
  const answers = await Promise.all(texts.map((text) => server.ask('/api/domains', { token: text })));
  assert.equal(tally(answers), { 200: 50 });
  await asks(`DELETE ${TOKENS}`, 200, { ended: 50 });
  assert.equal(tally(await Promise.all(texts.map((text) => server.ask('/api/domains', { token: text })))), { 401: 50 });
  assert.equal(await tokens.list(account.id), []);
});

test('a text with a wrong form or checksum is refused without a look at the store', async () => {
  const { account } = await server.user('cleo');
  const { token: text } = await token(account, ['domains:read']);
  const { store } = server.hostkeep.core;
  const { get } = store;
  let reads = 0;
  store.get = (sql, ...params) => {
    if (sql.includes('api_tokens')) reads += 1;
    return get.call(store, sql, ...params) as never;
  };
  try {
    const swapped = text.endsWith('0') ? `${text.slice(0, -1)}1` : `${text.slice(0, -1)}0`;
    for (const wrong of [swapped, text.slice(0, -1), `${text}0`, text.toUpperCase(), 'hk_', `hk_${'0'.repeat(36)}`])
      assert.is(await statusOf(wrong), 401, wrong);
    assert.is(reads, 0);
    assert.is(await statusOf(text), 200);
    assert.ok(reads > 0);
    const before = reads;
    for (let i = 0; i < 5; i += 1) assert.is(await statusOf(text), 200);
    assert.is(reads, before, 'a verified token is remembered');
  } finally {
    store.get = get;
  }
});

test('the last six characters are the checksum that SECURITY.md gives to scanners', async () => {
  const { account } = await server.user('rex');
  const { token: text } = await token(account, ['domains:read']);
  const digits = [...Array(10).keys()].join('') + 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const checksum = [...text.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  assert.is(checksum, crc32(text.slice(3, 33)));
});

test('a description for the account of a token, and none outside its networks', async () => {
  const { account } = await server.user('dora');
  const inside = await token(account, ['domains:read']);
  const outside = await token(account, ['domains:read'], { networks: ['192.0.2.0/24'] });
  assert.is(await statusOf(inside.token, '/openapi.json'), 200);
  assert.is(await statusOf(outside.token, '/openapi.json'), 401);
});
