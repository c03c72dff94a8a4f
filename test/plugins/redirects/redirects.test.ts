import * as assert from '../../support/assert.ts';
import redirects from '../../../plugins/redirects/index.ts';
import type { SiteRedirects } from '../../../plugins/redirects/site-directives.ts';
import { needs } from '../../support/needs.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { counted, pick } from '../../support/lists.ts';

const [domains] = await needs('domains');
const test = testSuite('redirects');

const webServer = new NotedWebServer();
const part = (name: string) => webServer.served(name)?.parts?.['redirects'] as SiteRedirects | undefined;
const served = (name: string) => part(name)?.redirects ?? [];

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, redirects, webServer.plugin] })));

interface Entry {
  readonly redirect_id: number;
  readonly path: string;
}

const ADD = 'POST /api/redirects';
const list = async (by: Person) => (await by.asks<{ redirects: Entry[] }>('GET /api/redirects', 200)).redirects;
// threat shell-injection: paths and targets of redirects hold nothing that a web server's configuration understands
// asvs 1.3.3: paths and targets of redirects hold nothing that a web server's configuration understands
test('what a web server could take for its own syntax is refused in path and target', async () => {
  const { domain: domain_url, ...shop } = await domainOwner(server, 'shop');
  const marks = ['"', "'", '`', ';', '$uri', '${x}', '{', '}', '{env.HOME}', '{$HOME}', '\\', '\n', '\r\n', '\t', '\0'];
  const bad = [
    ...marks,
    '(',
    ')',
    '*',
    '|',
    '^',
    '[',
    ']',
    '<',
    '>',
    '&',
    '%',
    '%0d%0a',
    '%00',
    '%22',
    '%24',
    '%2f',
    '\u2028x"',
  ];
  for (const mark of bad) {
    const redirect = { domain_url, path: `/a${mark}b`, target: 'https://other.example/' };
    await shop.asks(ADD, redirect, '400 invalid_redirect');
  }
  for (const mark of [...marks, '(', ')', '*', '|', '^', '<', '%', '%zz', '%0d%0a', '%2f'])
    for (const target of [`https://other.example/a${mark}b`, `/a${mark}b`, `https://other${mark}.example/`])
      await shop.asks(ADD, { domain_url, path: '/a', target }, '400 invalid_redirect');
  assert.equal(await list(shop), []);
});

test('other schemes, credentials and addresses that browsers read as hosts are refused', async () => {
  const own = await domainOwner(server, 'other-shop', { domain: 'targets.example' });
  const targets = [
    '',
    'x',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://x.example/',
    '//evil.example/',
    '/\\evil.example',
    '/a//b',
    'https://user:word@x.example/',
    'https://',
    'https:evil.example',
    'https://x.example./',
    'https://[::1]/',
    ' https://x.example/',
  ];
  const paths = ['', 'a', '//a', '/a//b', '/a?b', '/a#b', 'http://targets.example/a', '/%zz', '/%41'];
  for (const each of [
    ...targets.map((target) => ({ path: '/a', target })),
    ...paths.map((path) => ({ path, target: '/b' })),
    { path: '/a', target: '/b', status: 303 },
    { path: '/a', target: '/b', match: 'regex' },
    { path: '/a', target: '/b', keep_path: true },
    { path: '/a', target: '/b?x', keep_query: true },
    { path: '/a', target: '/b#x', keep_path: true, match: 'prefix' },
  ])
    await own.asks(ADD, { domain_url: own.domain, ...each }, 400);
});

test('a redirect that leads back to itself is refused', async () => {
  const { asks, domain: domain_url } = await domainOwner(server, 'circle');
  for (const [path, target, is, more] of [
    ['/a', '/a', 400],
    ['/a', 'https://CIRCLE.example:8443/a?x', 400],
    ['/', '/b', 400, { match: 'prefix' }],
    ['/a', '/a/b', 400, { match: 'prefix', keep_path: true }],
    ['/a', '/b', 201],
    ['/b', '/c', 201, { match: 'prefix', keep_path: true }],
    ['/c', '/a', 400], // by two others
    ['/c', '/ab', 201],
  ] as const)
    await asks(ADD, { domain_url, path, target, ...more }, is);
});

test("another account's domain and redirect are not found", async () => {
  const [ann, bob] = [await domainOwner(server, 'ann'), await server.user('bob')];
  const body = { domain_url: 'ann.example', path: '/a', target: '/b' };
  const { redirect_id: id } = await ann.asks<Entry>(ADD, body, 201);
  await bob.rows(
    [ADD, { ...body, path: '/c' }, '404 domain_not_found'],
    [`DELETE /api/redirects/${id}`, '404 redirect_not_found'],
    ['GET /api/redirects', 200, { redirects: [] }],
  );
  assert.is((await list(ann)).length, 1);
  await ann.asks(ADD, body, '409 redirect_exists');
});

// threat crowding-out: a plan limits the redirects of each domain
test('a domain has as many redirects as the plan allows, however many come at once', async () => {
  await server.hostkeep.core.plans.create('few', { limits: { redirects_limit: 2 } }, ['domains', 'redirects']);
  const few = await domainOwner(server, 'few', { plan: 'few' });
  const outcomes = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => few.tries(ADD, { domain_url: few.domain, path: `/${name}`, target: '/z' })),
  );
  assert.equal(counted(outcomes), { 201: 2, '409 redirects_limit_reached': 2 });
  assert.is(served('few.example').length, 2);
  assert.is((await list(few)).length, 2);
});

test('nothing is stored, served or told if the web server refuses', async () => {
  const { domain: domain_url, ...own } = await domainOwner(server, 'refused');
  const body = { domain_url, path: '/a', target: '/b' };
  const { redirect_id: id } = await own.asks<Entry>(ADD, body, 201);
  webServer.refusesNext = true;
  await own.asks(ADD, { ...body, path: '/c' }, '502 webserver_failed');
  webServer.refusesNext = true;
  await own.asks(`DELETE /api/redirects/${id}`, '502 webserver_failed');
  assert.equal(pick(await list(own), 'path'), ['/a']);
  assert.equal(pick(served('refused.example'), 'from'), ['/a']);
  assert.is((await own.told('redirect')).length, 1);
});

test('paths and targets are kept as browsers send them, and listed', async () => {
  const kept = await domainOwner(server, 'kept');
  const how = { match: 'prefix', status: 308, keep_path: true, keep_query: true };
  const asked = { domain_url: 'KEPT.example.', path: '/über uns/', target: 'HTTPS://Bücher.example/ä', ...how };
  const entry = { path: '/%C3%BCber%20uns', target: 'https://xn--bcher-kva.example/%C3%A4', ...how };
  const added = await kept.asks<Entry>(ADD, asked, 201, { domain_url: 'kept.example', ...entry });
  assert.equal(Object.keys(added).length, 9);
  assert.equal(await list(kept), [added]);
  const { redirect_id } = added;
  await kept.asks(`DELETE /api/redirects/${redirect_id}`, 200, { redirect_id, deleted: true });
  assert.equal(served('kept.example'), []);
  await kept.asks(`DELETE /api/redirects/${redirect_id}`, 404);
});

test('a main address is served before it is stored, and goes with its domain', async () => {
  const { asks, rows, domain: domain_url } = await domainOwner(server, 'led');
  const [ADDRESS, main_address] = ['PUT /api/main-addresses/led.example', 'www.led.example'] as const;
  const entry = { domain_url, addresses: [domain_url, main_address], main_address };
  webServer.refusesNext = true;
  await rows(
    [ADDRESS, { main_address: 'new.example' }, '400 invalid_main_address /main_address'],
    [ADDRESS, { main_address }, '502 webserver_failed'],
    ['GET /api/main-addresses', 200, { sites: [{ ...entry, main_address: null }] }],
    [ADDRESS, { main_address }, 200, entry, { events: ['redirect.main_address_set'] }],
    ['GET /api/main-addresses', 200, { sites: [entry] }],
  );
  assert.equal(part(domain_url)?.main, { to: main_address, from: [domain_url] });
  await asks(ADDRESS, { main_address: null }, 200, { main_address: null });
  assert.is(part(domain_url)?.main ?? null, null);
  await rows([ADDRESS, { main_address }, 200], ['POST /api/domains/delete', { domain_url }, 200]);
  await until('it is forgotten', async () => {
    const { store } = server.hostkeep.core;
    return (await store.all('select 1 from main_addresses')).length === 0;
  });
});

test('the redirects of a removed domain and of a removed account go with them', async () => {
  const { domain: domain_url, ...own } = await domainOwner(server, 'gone');
  const count = async () =>
    (await server.hostkeep.core.store.get<{ n: number }>('select count(*) as n from redirects'))?.n ?? 0;
  const before = await count();
  const body = { domain_url, path: '/a', target: '/b' };
  await own.rows(
    [ADD, body, 201],
    ['POST /api/domains/delete', { domain_url }, 200],
    ['POST /api/domains/new', { domain_url }, 201],
    ['GET /api/redirects', 200, { redirects: [] }],
  );
  assert.is(await count(), before);
  await own.asks(ADD, body, 201);
  await server.hostkeep.core.accounts.remove('gone');
  assert.is(await count(), before);
});
