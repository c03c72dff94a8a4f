import * as assert from '../../support/assert.ts';
import redirects from '../../../plugins/redirects/index.ts';
import type { SiteRedirects } from '../../../plugins/redirects/site-directives.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { pick } from '../../support/lists.ts';

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
  readonly target: string;
  readonly error?: string;
}

const OWN = 'shop.example';
async function owner(username: string, domain = `${username}.example`): Promise<string> {
  const { token } = await server.user(username);
  const added = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: domain } });
  assert.is(added.status, 201);
  return token;
}
const add = (token: string, body: object) =>
  server.ask<Entry>('/api/redirects', { method: 'POST', token, body: { domain_url: OWN, ...body } });
const remove = (token: string, id: number) => server.ask<Entry>(`/api/redirects/${id}`, { method: 'DELETE', token });
const list = async (token: string) =>
  (await server.ask<{ redirects: Entry[] }>('/api/redirects', { token })).body.redirects;

// threat shell-injection: paths and targets of redirects hold nothing that a web server's configuration understands
// asvs 1.3.3: paths and targets of redirects hold nothing that a web server's configuration understands
test('what a web server could take for its own syntax is refused in path and target', async () => {
  const token = await owner('shop', OWN);
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
    const { status, body } = await add(token, { path: `/a${mark}b`, target: 'https://other.example/' });
    assert.equal([status, body.error], [400, 'invalid_redirect'], `path with ${JSON.stringify(mark)}`);
  }
  for (const mark of [...marks, '(', ')', '*', '|', '^', '<', '%', '%zz', '%0d%0a', '%2f'])
    for (const target of [`https://other.example/a${mark}b`, `/a${mark}b`, `https://other${mark}.example/`]) {
      const { status, body } = await add(token, { path: '/a', target });
      assert.equal([status, body.error], [400, 'invalid_redirect'], `target ${JSON.stringify(target)}`);
    }
  assert.equal(await list(token), []);
});

test('other schemes, credentials and addresses that browsers read as hosts are refused', async () => {
  const { token } = await server.user('other-shop');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'targets.example' } });
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
  for (const target of targets)
    assert.is((await add(token, { domain_url: 'targets.example', path: '/a', target })).status, 400, target);
  for (const path of ['', 'a', '//a', '/a//b', '/a?b', '/a#b', 'http://targets.example/a', '/%zz', '/%41'])
    assert.is((await add(token, { domain_url: 'targets.example', path, target: '/b' })).status, 400, path);
  for (const body of [
    { path: '/a', target: '/b', status: 303 },
    { path: '/a', target: '/b', match: 'regex' },
    { path: '/a', target: '/b', keep_path: true },
    { path: '/a', target: '/b?x', keep_query: true },
    { path: '/a', target: '/b#x', keep_path: true, match: 'prefix' },
  ])
    assert.is((await add(token, { domain_url: 'targets.example', ...body })).status, 400, JSON.stringify(body));
});

test('a redirect that leads back to itself is refused', async () => {
  const token = await owner('circle');
  const circle = async (path: string, target: string, more: object = {}) =>
    (await add(token, { domain_url: 'circle.example', path, target, ...more })).status;
  assert.is(await circle('/a', '/a'), 400);
  assert.is(await circle('/a', 'https://CIRCLE.example:8443/a?x'), 400);
  assert.is(await circle('/', '/b', { match: 'prefix' }), 400);
  assert.is(await circle('/a', '/a/b', { match: 'prefix', keep_path: true }), 400);
  assert.is(await circle('/a', '/b'), 201);
  assert.is(await circle('/b', '/c', { match: 'prefix', keep_path: true }), 201);
  assert.is(await circle('/c', '/a'), 400, 'by two others');
  assert.is(await circle('/c', '/ab'), 201);
});

test("another account's domain and redirect are not found", async () => {
  const token = await owner('ann');
  const { token: foreign } = await server.user('bob');
  const body = { domain_url: 'ann.example', path: '/a', target: '/b' };
  const { redirect_id: id } = (await add(token, body)).body;
  assert.is((await add(foreign, { ...body, path: '/c' })).body.error, 'domain_not_found');
  assert.is((await remove(foreign, id)).body.error, 'redirect_not_found');
  assert.equal(await list(foreign), []);
  assert.is((await list(token)).length, 1);
  assert.is((await add(token, body)).body.error, 'redirect_exists');
});

// threat crowding-out: a plan limits the redirects of each domain
test('a domain has as many redirects as the plan allows, however many come at once', async () => {
  await server.hostkeep.core.plans.create('few', { limits: { redirects_limit: 2 } }, ['domains', 'redirects']);
  const { token } = await server.user('few', 'few');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'few.example' } });
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => add(token, { domain_url: 'few.example', path: `/${name}`, target: '/z' })),
  );
  assert.equal(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409]);
  assert.is(served('few.example').length, 2);
  assert.is((await list(token)).length, 2);
});

test('nothing is stored, served or told if the web server refuses', async () => {
  const token = await owner('refused');
  const body = { domain_url: 'refused.example', path: '/a', target: '/b' };
  const { redirect_id: id } = (await add(token, body)).body;
  webServer.refusesNext = true;
  assert.is((await add(token, { ...body, path: '/c' })).body.error, 'webserver_failed');
  webServer.refusesNext = true;
  assert.is((await remove(token, id)).body.error, 'webserver_failed');
  assert.equal(pick(await list(token), 'path'), ['/a']);
  assert.equal(pick(served('refused.example'), 'from'), ['/a']);
  const { id: accountId } = await server.hostkeep.core.accounts.get('refused');
  const { lines } = await server.hostkeep.core.events.page(accountId, '', 0, 10);
  assert.is(lines.filter((line) => /redirect/.test(line)).length, 1);
});

test('paths and targets are kept as browsers send them, and listed', async () => {
  const token = await owner('kept');
  const body = { domain_url: 'KEPT.example.', match: 'prefix', status: 308, keep_path: true, keep_query: true };
  const added = await add(token, { ...body, path: '/über uns/', target: 'HTTPS://Bücher.example/ä' });
  assert.is(added.status, 201);
  const { redirect_id: id, created_at: _, ...entry } = added.body as Entry & { created_at: string };
  assert.equal(entry, {
    domain_url: 'kept.example',
    path: '/%C3%BCber%20uns',
    match: 'prefix',
    target: 'https://xn--bcher-kva.example/%C3%A4',
    status: 308,
    keep_path: true,
    keep_query: true,
  });
  assert.equal(await list(token), [added.body]);
  assert.equal((await remove(token, id)).body, { redirect_id: id, deleted: true });
  assert.equal(served('kept.example'), []);
  assert.is((await remove(token, id)).status, 404);
});

test('a main address is served before it is stored, and goes with its domain', async () => {
  const token = await owner('led');
  const lead = (to: string | null) =>
    server.ask('/api/main-addresses/led.example', { method: 'PUT', token, body: { main_address: to } });
  const listed = async () => (await server.ask('/api/main-addresses', { token })).body;
  const main_address = 'www.led.example';
  const entry = { domain_url: 'led.example', addresses: ['led.example', main_address], main_address };
  webServer.refusesNext = true;
  assert.is((await lead(main_address)).body['error'], 'webserver_failed');
  assert.equal(await listed(), { sites: [{ ...entry, main_address: null }] });
  assert.equal((await lead(main_address)).body, entry);
  assert.equal(part('led.example')?.main, { to: main_address, from: ['led.example'] });
  assert.equal(await listed(), { sites: [entry] });
  assert.equal((await lead(null)).body['main_address'], null);
  assert.is(part('led.example')?.main ?? null, null);
  await lead(main_address);
  await server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: 'led.example' } });
  await until('it is forgotten', async () => {
    const { store } = server.hostkeep.core;
    return (await store.all('select 1 from main_addresses')).length === 0;
  });
});

test('the redirects of a removed domain and of a removed account go with them', async () => {
  const token = await owner('gone');
  const count = async () =>
    (await server.hostkeep.core.store.get<{ n: number }>('select count(*) as n from redirects'))?.n ?? 0;
  const before = await count();
  const body = { domain_url: 'gone.example', path: '/a', target: '/b' };
  const domain = (path: string) =>
    server.ask(`/api/domains/${path}`, { method: 'POST', token, body: { domain_url: 'gone.example' } });
  await add(token, body);
  await domain('delete');
  assert.is((await domain('new')).status, 201);
  assert.equal(await list(token), []);
  assert.is(await count(), before);
  await add(token, body);
  await server.hostkeep.core.accounts.remove('gone');
  assert.is(await count(), before);
});
