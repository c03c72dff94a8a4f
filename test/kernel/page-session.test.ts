import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import * as assert from '../support/assert.ts';
import type { Address } from '../../kernel/contract/route-spec.ts';
import { allPlugins, PASSWORD, TestServer, type Answer } from '../support/hostkeep.ts';
import { selfSigned } from '../support/certificate.ts';
import { probePlugin } from '../support/probe.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('page sessions');
const ADDRESSES = ['user', 'admin'] as const;
const NAMES = { user: 'paula', admin: 'root' } as const;
/** What the browser adds to a request of a page from our own origin, and what the page itself adds. */
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', 'hostkeep-page': '1' };
let server: TestServer;
test.before(async () => {
  server = await TestServer.start({ plugins: [...(await allPlugins()), probePlugin()] });
  await server.account(NAMES.user);
  await server.account(NAMES.admin, '', 'admin');
});

function logIn(address: Address, headers: Record<string, string> = SAME_ORIGIN, of = server): Promise<Answer<object>> {
  const body = { username: NAMES[address], password: PASSWORD };
  return of.ask('/api/login', { method: 'POST', address, headers, body });
}

/** Logs a page in and returns what the browser sends back. */
async function cookieOf(address: Address): Promise<string> {
  const { status, headers } = await logIn(address);
  assert.is(status, 200);
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const read = async (address: Address, headers: Record<string, string>, token?: string) =>
  (await server.ask('/api/account/2fa', { address, headers, ...(token !== undefined && { token }) })).status;

// asvs 3.3.2, 3.3.4: the cookie of a page is SameSite=Strict and HttpOnly
// asvs 14.3.3: a page never sees the token of its session
test('a login of a page sets a cookie that scripts cannot read, and answers no token', async () => {
  for (const address of ADDRESSES) {
    const { status, headers, body } = await logIn(address);
    assert.is(status, 200);
    assert.is((body as { token?: string }).token, '');
    assert.match(
      headers.get('set-cookie') ?? '',
      new RegExp(`^hostkeep-${address}=[\\w.-]+; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict$`),
    );
    assert.is(await read(address, { ...SAME_ORIGIN, cookie: await cookieOf(address) }), 200);
  }
});

test('an API client gets its token and no cookie, as before', async () => {
  const { status, headers, body } = await logIn('user', {});
  assert.equal([status, headers.get('set-cookie')], [200, null]);
  assert.match((body as { token: string }).token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
});

// asvs 3.5.1-3: a page of another origin can do nothing with the cookie
test('the cookie counts only in requests of our own pages', async () => {
  for (const address of ADDRESSES) {
    const cookie = await cookieOf(address);
    const url = new URL(server.hostkeep.url(address));
    const page = { 'hostkeep-page': '1', cookie };
    const own = { ...page, origin: url.origin };
    assert.is(await read(address, own), 200, 'browsers that send Origin only');
    const refused: Record<string, Record<string, string>> = {
      'no header of ours': { 'sec-fetch-site': 'same-origin', origin: url.origin, cookie },
      'another value': { ...own, 'hostkeep-page': 'true' },
      'another site': { ...page, 'sec-fetch-site': 'cross-site' },
      'a subdomain': { ...page, 'sec-fetch-site': 'same-site' },
      'an address bar': { ...page, 'sec-fetch-site': 'none' },
      'another site that knows our origin': { ...own, 'sec-fetch-site': 'cross-site' },
      'an unknown word': { ...own, 'sec-fetch-site': 'Same-Origin' },
      'neither Sec-Fetch-Site nor Origin': page,
      'another origin': { ...page, origin: 'https://evil.example' },
      'another port': { ...page, origin: `http://${url.hostname}:1` },
      'another scheme': { ...page, origin: url.origin.replace('http:', 'https:') },
      'a longer name': { ...page, origin: `${url.origin}.evil.example` },
      'an opaque origin': { ...page, origin: 'null' },
      'the cookie of the other address': {
        ...own,
        cookie: cookie.replace(address, address === 'user' ? 'admin' : 'user'),
      },
      'two cookies of one name': { ...own, cookie: `${cookie}; ${cookie}` },
      'a planted one beside it': { ...own, cookie: `hostkeep-${address}=planted; ${cookie}` },
      'an empty one': { ...own, cookie: `hostkeep-${address}=` },
      'the name that needs HTTPS': { ...own, cookie: `__Host-${cookie}` },
    };
    for (const [what, headers] of Object.entries(refused)) assert.is(await read(address, headers), 401, what);
  }
});

test("a cross-site login with the pages' header is refused before the password", async () => {
  for (const address of ADDRESSES)
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      const { status, headers, body } = await logIn(address, { 'hostkeep-page': '1', 'sec-fetch-site': site });
      assert.equal([status, (body as { error?: string }).error], [403, 'foreign_origin']);
      assert.is(headers.get('set-cookie'), null);
    }
});

test('a request with a token and a cookie is a request with a token', async () => {
  const cookie = await cookieOf('user');
  const headers = { ...SAME_ORIGIN, cookie };
  const other = await server.user('otto');
  assert.is(await read('user', headers, 'not.a.token'), 401, 'a bad token is not saved by the cookie');
  const { body } = await server.ask<{ username: string }>('/probe/mine', { headers, token: other.token });
  assert.is(body.username, 'otto');
  const { headers: reply } = await server.ask('/api/logout', { method: 'POST', headers, token: other.token });
  assert.is(reply.get('set-cookie'), null, 'its logout leaves the cookie alone');
  assert.is(await read('user', headers), 200);
});

// asvs 7.2.4: each login of a page opens a new session
test('a login takes over no session that was planted before', async () => {
  const planted = await cookieOf('user');
  const { headers } = await logIn('user', { ...SAME_ORIGIN, cookie: planted });
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  assert.is.not(cookie, planted);
  const logout = await server.ask('/api/logout', { method: 'POST', headers: { ...SAME_ORIGIN, cookie } });
  assert.is(logout.status, 200);
  assert.is(await read('user', { ...SAME_ORIGIN, cookie: planted }), 200, 'they are two sessions');
});

test('a logout clears the cookie, and its session ends at once', async () => {
  for (const address of ADDRESSES) {
    const headers = { ...SAME_ORIGIN, cookie: await cookieOf(address) };
    const reply = await server.ask('/api/logout', { method: 'POST', address, headers });
    assert.is(reply.headers.get('set-cookie'), `hostkeep-${address}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`);
    assert.is(await read(address, headers), 401);
  }
});

test('the cookie opens what the token opens, and nothing else', async () => {
  await server.account('barbara', 'basic');
  const { headers } = await server.ask('/api/login', {
    method: 'POST',
    headers: SAME_ORIGIN,
    body: { username: 'barbara', password: PASSWORD },
  });
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const page = { ...SAME_ORIGIN, cookie };
  assert.is((await server.ask('/api/docker_stats', { headers: page })).status, 403);
  const [, value = ''] = cookie.split('=');
  assert.is((await server.ask('/api/account/sessions', { token: value })).status, 401, 'the value is no token');
  const token = await server.token(await server.hostkeep.core.accounts.get('barbara'));
  assert.is((await server.ask('/api/account/sessions', { token })).status, 200);
  for (const wrong of [token, `${value.slice(0, -2)}xx`, value.slice(0, 20), 'x'])
    assert.is(await read('user', { ...SAME_ORIGIN, cookie: `hostkeep-user=${wrong}` }), 401, 'no login has made it');
  const onAdmin = { ...page, cookie: cookie.replace('hostkeep-user', 'hostkeep-admin') };
  assert.is((await server.ask('/api/plans', { address: 'admin', headers: onAdmin })).status, 401);
  const described = await server.ask<{ paths: object }>('/openapi.json', { headers: page });
  assert.ok('/api/domains' in described.body.paths, 'guest routes that read a token read the cookie as well');
});

// asvs 3.3.1, 3.3.3: under HTTPS the cookie is Secure, and its name begins with __Host-
test('under HTTPS the cookie is Secure and bound to the host', async () => {
  const cookie = /^__Host-hostkeep-user=[\w.-]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict; Secure$/;
  const secure = await TestServer.start({ config: { tls: { ...selfSigned('localhost'), hsts_seconds: 0 } } });
  await secure.account(NAMES.user);
  const sent = request(`${secure.hostkeep.url('user')}/api/login`, {
    method: 'POST',
    headers: { ...SAME_ORIGIN, 'content-type': 'application/json' },
    rejectUnauthorized: false,
    agent: false,
  });
  sent.end(JSON.stringify({ username: NAMES.user, password: PASSWORD }));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  assert.match(answer.headers['set-cookie']?.[0] ?? '', cookie);
  await secure.close();
  const behind = await TestServer.start({ config: { trusted_proxies: ['127.0.0.1'] } });
  await behind.account(NAMES.user);
  const forwarded = await logIn('user', { ...SAME_ORIGIN, 'x-forwarded-proto': 'https' }, behind);
  assert.match(forwarded.headers.get('set-cookie') ?? '', cookie);
  const plain = await logIn('user', SAME_ORIGIN, behind);
  assert.match(plain.headers.get('set-cookie') ?? '', /^hostkeep-user=/);
  await behind.close();
  const untrusted = await logIn('user', { ...SAME_ORIGIN, 'x-forwarded-proto': 'https' });
  assert.match(untrusted.headers.get('set-cookie') ?? '', /^hostkeep-user=/, 'anybody can send that header');
});
