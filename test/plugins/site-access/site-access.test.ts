import * as assert from '../../support/assert.ts';
import siteAccess from '../../../plugins/site-access/index.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('access to sites');

const webServer = new NotedWebServer();
const served = (name: string) => webServer.served(name)?.access;

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, siteAccess, webServer.plugin] })));

interface Entry {
  readonly domain_url: string;
  readonly folders: readonly { readonly path: string; readonly users: readonly string[] }[];
  readonly blocked: readonly string[];
  readonly error_pages: readonly { readonly status: number; readonly path: string }[];
  readonly error?: string;
}
const PASSWORD = 'correct horse battery';

async function owner(username: string) {
  const { account, token } = await server.user(username);
  const domain = `${username}.example`;
  const add = { method: 'POST', token, body: { domain_url: domain } };
  assert.is((await server.ask('/api/domains/new', add)).status, 201);
  const ask = async (path: string, method: string, body?: object) =>
    (await server.ask<Entry>(`/api/site-access/${path}`, { method, token, ...(body && { body }) })).body;
  return {
    account,
    domain,
    user: (path: unknown, name: unknown = 'jane', password: unknown = PASSWORD, of = domain) =>
      ask(`${encodeURIComponent(of)}/users`, 'PUT', { path, name, password }),
    removeUser: (path: string, name = 'jane', of = domain) =>
      ask(`${of}/users?path=${encodeURIComponent(path)}&name=${name}`, 'DELETE'),
    block: (addresses: unknown, of = domain) => ask(`${of}/blocked`, 'PUT', { addresses }),
    pages: (error_pages: unknown, of = domain) => ask(`${of}/error-pages`, 'PUT', { error_pages }),
    list: async () => (await server.ask<{ sites: Entry[] }>('/api/site-access', { token })).body.sites,
  };
}

const MARKS = [
  '"',
  "'",
  '`',
  ';',
  '$uri',
  '{',
  '}',
  '\\',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '#',
  '*',
  '(',
  ')',
  '|',
  '^',
  '[',
  '%2f',
  '?',
  '<',
];

// threat shell-injection: paths, names, addresses and pages of a site's access hold nothing that a configuration understands
test('what a web server could take for its own syntax is refused in each field', async () => {
  const { user, block, pages, list } = await owner('marks');
  for (const mark of MARKS) {
    const about = JSON.stringify(mark);
    assert.is((await user(`/a${mark}b`)).error, 'invalid_folder', about);
    assert.is((await user('/a', `a${mark}b`)).error, 'invalid_request', about);
    assert.ok(
      ['invalid_address_range', 'invalid_request'].includes((await block([`192.0.${mark}2.7`])).error ?? ''),
      about,
    );
    assert.is((await pages([{ status: 404, path: `/a${mark}b.html` }])).error, 'invalid_error_page', about);
  }
  for (const path of ['', 'a', '/', '//', '/../x', '/a/../b', '/./a', '/a/.', 7, `/${'a'.repeat(600)}`])
    assert.ok(['invalid_folder', 'invalid_request'].includes((await user(path)).error ?? ''), String(path));
  for (const range of [
    'xx',
    '192.0.2',
    '192.0.2.7/33',
    '2001:db8::/129',
    '0x7f.1',
    '192.0.2.7 all',
    'all',
    'unix:',
    '::1%lo',
  ])
    assert.is((await block([range])).error, 'invalid_address_range', range);
  for (const path of [
    '/x.php',
    'https://x.example/a.html',
    '/.git/a.html',
    '/a/../b.html',
    '//x.html',
    '/a b.html',
    '@x',
  ])
    assert.is((await pages([{ status: 404, path }])).error, 'invalid_error_page', path);
  for (const bad of [
    [{ status: 200, path: '/a.html' }],
    [{ status: 404 }],
    'x',
    [{ status: 404, path: '/a.html', x: 1 }],
  ])
    assert.is((await pages(bad)).error, 'invalid_request');
  const twice = [404, 404].map((status) => ({ status, path: '/a.html' }));
  assert.is((await pages(twice)).error, 'invalid_error_page');
  for (const password of ['short', 'a'.repeat(73), 'with\nbreak here', 'ü'.repeat(40), 7])
    assert.ok((await user('/a', 'jane', password)).error, String(password));
  assert.equal(await list(), [{ domain_url: 'marks.example', folders: [], blocked: [], error_pages: [] }]);
});

// threat other-accounts: access to a site is its owner's alone
test("another account's domain is not found", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  await ann.user('/private');
  for (const answer of [
    await bob.user('/private', 'bob', PASSWORD, ann.domain),
    await bob.user('/private', 'bob', PASSWORD, 'ann.example\n'),
    await bob.removeUser('/private', 'jane', ann.domain),
    await bob.block([], ann.domain),
    await bob.pages([], ann.domain),
  ])
    assert.is(answer.error, 'domain_not_found');
  assert.equal((await ann.list())[0]?.folders, [{ path: '/private', users: ['jane'] }]);
});

// threat leaked-secrets: the password of a folder is in no answer, event or row, and its hash in no answer
test('a folder has users, whose passwords are served as hashes and never shown', async () => {
  const { account, user, removeUser, list } = await owner('folders');
  assert.equal((await user('/private//area/')).folders, [{ path: '/private/area', users: ['jane'] }]);
  const hash = () => served('folders.example')?.locks[0]?.users.find(({ name }) => name === 'jane')?.hash ?? '';
  const first = hash();
  assert.match(first, /^\$2b\$06\$[./A-Za-z0-9]{53}$/);
  await user('/private/area', 'bob');
  await user('/private/area', 'jane', 'another password');
  assert.not.equal(hash(), first);
  await user('/über uns');
  assert.equal((await list())[0]?.folders, [
    { path: '/private/area', users: ['bob', 'jane'] },
    { path: '/über uns', users: ['jane'] },
  ]);
  const { store, events } = server.hostkeep.core;
  const kept = JSON.stringify([await store.all('select * from site_access'), await list()]);
  const { lines } = await events.page(account.id, '', 0, 20);
  for (const secret of [PASSWORD, 'another password']) assert.not.match(kept + lines.join('\n'), secret);
  assert.not.match(JSON.stringify(await list()) + lines.join('\n'), /\$2b/);
  assert.match(lines[0] ?? '', /User 'folders' set the password of jane for folders\.example\/über uns from IP/);
  assert.is((await removeUser('/private/area', 'nobody')).error, 'folder_user_not_found');
  await removeUser('/private/area/', 'bob');
  assert.equal((await removeUser('/private/area')).folders, [{ path: '/über uns', users: ['jane'] }]);
  assert.is(served('folders.example')?.locks.length, 1);
});

// threat crowding-out: a site has so many protected folders, and a folder so many users
test('folders and users are limited', async () => {
  const { user, list } = await owner('many');
  const names = Array.from({ length: 52 }, (_, i) => `user${i}`);
  const answers = [];
  for (const name of names) answers.push((await user('/a', name)).error);
  assert.equal(answers.slice(-3), [undefined, 'access_limit_reached', 'access_limit_reached']);
  for (let i = 1; i < 20; i++) await user(`/f${i}`);
  assert.is((await user('/one-more')).error, 'access_limit_reached');
  assert.is((await list())[0]?.folders.length, 20);
});

test('addresses and error pages are replaced as lists, and told', async () => {
  const { account, block, pages, list } = await owner('lists');
  assert.equal((await block([' 192.0.2.7', '2001:DB8::/32', '192.0.2.7'])).blocked, ['192.0.2.7', '2001:db8::/32']);
  const shown = [{ status: 404, path: '/errors/404.html' }];
  assert.equal((await pages(shown)).error_pages, shown);
  assert.equal(served('lists.example'), { blocked: ['192.0.2.7', '2001:db8::/32'], locks: [], errorPages: shown });
  assert.equal((await block([])).blocked, []);
  assert.equal((await list())[0]?.error_pages, shown);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'addresses', 0, 9);
  assert.is(lines.length, 2);
});

test('nothing is stored or served if the web server refuses', async () => {
  const { user, block, list } = await owner('refused');
  await block(['192.0.2.7']);
  webServer.refusesNext = true;
  assert.is((await user('/private')).error, 'webserver_failed');
  webServer.refusesNext = true;
  assert.is((await block([])).error, 'webserver_failed');
  assert.equal((await list())[0], {
    domain_url: 'refused.example',
    folders: [],
    blocked: ['192.0.2.7'],
    error_pages: [],
  });
  assert.equal(served('refused.example')?.blocked, ['192.0.2.7']);
});

test('changes of one site at once are all made, and go with its domain', async () => {
  const { domain, user, block, list } = await owner('once');
  await Promise.all([user('/a', 'ann'), user('/a', 'bob'), user('/b', 'eve'), block(['192.0.2.7'])]);
  assert.equal((await list())[0]?.folders, [
    { path: '/a', users: ['ann', 'bob'] },
    { path: '/b', users: ['eve'] },
  ]);
  const { store, sessions, accounts } = server.hostkeep.core;
  const { token } = await sessions.open(await accounts.get('once'), '127.0.0.1', 'test', async () => {});
  await server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: domain } });
  const count = async () => (await store.all('select 1 from site_access where value like \'%"eve"%\'')).length;
  await until('its access goes with it', async () => (await count()) === 0);
});
