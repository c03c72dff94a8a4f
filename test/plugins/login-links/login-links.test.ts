import * as assert from '../../support/assert.ts';
import { PASSWORD, TestServer, type RequestOptions } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { reauthenticate } from '../../support/account-client.ts';

const test = testSuite('login links');
let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start({ config: { 'login-links': { home_url: 'https://panel.example/x' } } });
  token = (await server.admin('operator')).token;
});

const make = (username: string, options: RequestOptions = {}) =>
  server.ask(`/api/accounts/${username}/login-link`, { method: 'POST', address: 'admin', token, ...options });
const use = (code: string, options: RequestOptions = {}) =>
  server.ask('/api/login-link', { method: 'POST', body: { code }, ...options });
const codeOf = (url: unknown) => String(url).replace(/^.*#login=/, '');

// threat stolen-token: a token alone opens no customer's account
test('a link needs an administrator who has just proved the password', async () => {
  const ann = await server.user('ann');
  assert.is((await make('ann', { token: ann.token })).status, 401);
  assert.is((await server.ask('/api/accounts/ann/login-link', { method: 'POST', address: 'admin' })).status, 401);
  assert.is((await server.ask('/api/accounts/ann/login-link', { method: 'POST', token: ann.token })).status, 404);
  assert.is((await make('ann')).body['error'], 'reauthentication_required');
  await reauthenticate(server, token);
  assert.is((await make('nobody')).body['error'], 'account_not_found');
  assert.is((await make('operator')).body['error'], 'account_not_openable');
  await server.account('sus');
  await server.hostkeep.core.accounts.suspend('sus');
  assert.is((await make('sus')).body['error'], 'account_not_openable');
  for (const code of ['', 'x', 'A'.repeat(43)]) assert.is((await use(code)).body['error'], 'invalid_login_link', code);
  assert.is((await use('x', { headers: { 'hostkeep-page': '1' } })).body['error'], 'foreign_origin');
});

test('a link opens the account once; its session is marked and logged', async () => {
  const { core } = server.hostkeep;
  const bob = await server.account('bob');
  const { status, body } = await make('bob');
  assert.is(status, 200);
  assert.match(String(body['url']), /^https:\/\/panel\.example\/x\/home#login=[\w-]{43}$/);
  assert.is(body['expires_in'], 60);
  const rows = await core.store.all('select * from login_links');
  assert.not.match(JSON.stringify(rows), new RegExp(codeOf(body['url'])), 'the store has no code');
  const opened = await Promise.all([use(codeOf(body['url'])), use(codeOf(body['url']))]);
  assert.equal(opened.map((each) => each.status).toSorted(), [200, 401], 'two at the same time');
  const session = String(opened.find((each) => each.status === 200)?.body['token']);
  assert.is((await use(codeOf(body['url']))).status, 401, 'used');
  assert.is((await server.ask('/api/domains', { token: session })).status, 200);
  const { body: view } = await server.ask('/api/session', { token: session });
  assert.equal([view['username'], view['opened_by']], ['bob', 'operator']);
  const own = await server.ask<{ sessions: { opened_by: string | null; current: boolean }[] }>(
    '/api/account/sessions',
    { token: session },
  );
  assert.equal(
    own.body.sessions.map(({ opened_by: by, current }) => [by, current]),
    [['operator', true]],
  );
  await server.token(bob);
  const owners = (await core.sessions.page(bob.id, 2, '')).rows.find(({ opened_by: by }) => by === null)?.id ?? '';
  for (const [method, path, content] of [
    ['PUT', '/api/account/password', { password: PASSWORD, new_password: 'another password' }],
    ['POST', '/api/account/2fa/setup', { password: PASSWORD }],
    ['POST', '/api/account/2fa/confirm', { code: '123456' }],
    ['DELETE', '/api/account/2fa', { password: PASSWORD, code: '123456' }],
    ['POST', '/api/account/tokens', { name: 'x', password: PASSWORD, scopes: ['domains:read'], expires_in_days: 1 }],
    ['GET', '/api/account/tokens', undefined],
    ['DELETE', '/api/account/tokens', undefined],
    ['DELETE', `/api/account/sessions/${owners}`, undefined],
  ] as const)
    assert.equal(
      (await server.ask(path, { method, token: session, ...(content && { body: content }) })).body['error'],
      'owner_required',
      path,
    );
  const { lines } = await core.events.page(bob.id, 'administrator', 0, 5);
  assert.match(lines[0] ?? '', /User 'bob' was opened by the administrator 'operator' from IP/);
  assert.match(lines[1] ?? '', /User 'bob' got a login link from the administrator 'operator' from IP/);
  const { body: history } = await server.ask<unknown[]>('/api/account/login-history', { token: session });
  assert.equal(history, [], 'it is no login of the customer');
});

test("a login link expires after a minute, its creator's logout, or suspension", async () => {
  const { core } = server.hostkeep;
  await server.account('cid');
  const late = codeOf((await make('cid')).body['url']);
  await core.store.write((tx) => tx.run('update login_links set expires_at = expires_at - 60000'));
  assert.is((await use(late)).status, 401);
  const early = codeOf((await make('cid')).body['url']);
  await core.accounts.suspend('cid');
  assert.is((await use(early)).status, 401);
  await core.accounts.unsuspend('cid');
  const left = await server.admin('leaving');
  await reauthenticate(server, left.token);
  const orphan = codeOf((await make('cid', { token: left.token })).body['url']);
  await server.ask('/api/logout', { method: 'POST', address: 'admin', token: left.token });
  assert.is((await use(orphan)).status, 401);
});

test('an API token with the scope makes links, which end with the token', async () => {
  const { core } = server.hostkeep;
  await server.account('dee');
  const account = await core.accounts.get('operator');
  const tokenFor = async (scope: string) =>
    core.tokens.make(account, { name: scope, scopes: [scope], networks: [], expiresAt: Date.now() + 60_000 }, '', () =>
      Promise.resolve(),
    );
  const { token: narrow } = await tokenFor('accounts:write');
  assert.is((await make('dee', { token: narrow })).body['error'], 'scope_required');
  const { token: billing, made } = await tokenFor('login-links:write');
  const code = codeOf((await make('dee', { token: billing })).body['url']);
  assert.is((await use(code)).status, 200);
  const orphan = codeOf((await make('dee', { token: billing })).body['url']);
  await core.tokens.end(account, made.id, '');
  assert.is((await use(orphan)).status, 401);
});

test('all sessions are listed for administrators, page by page', async () => {
  const ask = (query = '', options: RequestOptions = {}) =>
    server.ask<{ sessions: { id: string; username: string }[]; total: number; next_cursor: string | null }>(
      `/api/sessions${query}`,
      { address: 'admin', token, ...options },
    );
  const { token: user } = await server.user('eve');
  assert.is((await ask('', { token: user })).status, 401);
  for (const query of ['?limit=0', '?limit=501', '?cursor=x', '?q=x']) assert.is((await ask(query)).status, 400, query);
  const all = await ask('?limit=500');
  assert.is(all.body.total, all.body.sessions.length);
  assert.ok(all.body.sessions.some(({ username }) => username === 'eve'));
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof ask>> = await ask(`?limit=2&cursor=${cursor}`);
    ids.push(...page.body.sessions.map(({ id }) => id));
    cursor = page.body.next_cursor;
  }
  assert.equal(
    ids,
    all.body.sessions.map(({ id }) => id),
  );
});
