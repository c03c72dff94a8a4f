import * as assert from '../../support/assert.ts';
import siteAccess from '../../../plugins/site-access/index.ts';
import type { SiteAccess } from '../../../plugins/site-access/site-directives.ts';
import { counted } from '../../support/lists.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('access to sites');

const webServer = new NotedWebServer();
const served = (name: string) => webServer.served(name)?.parts?.['site-access'] as SiteAccess | undefined;

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, siteAccess, webServer.plugin] })));

interface Entry {
  readonly domain_url: string;
  readonly folders: readonly { readonly path: string; readonly users: readonly string[] }[];
  readonly blocked: readonly string[];
  readonly error_pages: readonly { readonly status: number; readonly path: string }[];
}
const PASSWORD = 'correct horse battery';

async function owner(username: string) {
  const own = await domainOwner(server, username);
  const put = (what: string, body: object, of: string) =>
    own.tries(`PUT /api/site-access/${encodeURIComponent(of)}/${what}`, body);
  return {
    ...own,
    user: (path: string, name = 'jane', password = PASSWORD, of = own.domain) =>
      put('users', { path, name, password }, of),
    removeUser: (path: string, name = 'jane', of = own.domain) =>
      own.tries(`DELETE /api/site-access/${of}/users?path=${encodeURIComponent(path)}&name=${name}`),
    block: (addresses: readonly string[], of = own.domain) => put('blocked', { addresses }, of),
    pages: (error_pages: readonly object[], of = own.domain) => put('error-pages', { error_pages }, of),
    list: async () => (await own.asks<{ sites: Entry[] }>('GET /api/site-access', 200)).sites,
    folders: async () => (await own.asks<{ sites: Entry[] }>('GET /api/site-access', 200)).sites[0]?.folders,
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
    assert.is(await user(`/a${mark}b`), '400 invalid_folder', about);
    assert.is(await user('/a', `a${mark}b`), '400 invalid_request', about);
    assert.match(String(await block([`192.0.${mark}2.7`])), /^400 (invalid_address_range|invalid_request)/, about);
    assert.is(await pages([{ status: 404, path: `/a${mark}b.html` }]), '400 invalid_error_page', about);
  }
  for (const path of ['', 'a', '/', '//', '/../x', '/a/../b', '/./a', '/a/.', `/${'a'.repeat(600)}`])
    assert.match(String(await user(path)), /^400 (invalid_folder|invalid_request)/, path);
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
    assert.is(await block([range]), '400 invalid_address_range', range);
  for (const path of [
    '/x.php',
    'https://x.example/a.html',
    '/.git/a.html',
    '/a/../b.html',
    '//x.html',
    '/a b.html',
    '@x',
  ])
    assert.is(await pages([{ status: 404, path }]), '400 invalid_error_page', path);
  for (const bad of [{ status: 200, path: '/a.html' }, { status: 404 }, { status: 404, path: '/a.html', x: 1 }])
    assert.is(await pages([bad]), '400 invalid_request');
  assert.match(
    String(await pages([404, 404].map((status) => ({ status, path: '/a.html' })))),
    /^400 invalid_error_page/,
  );
  for (const password of ['short', 'a'.repeat(73), 'with\nbreak here', 'ü'.repeat(40)])
    assert.match(String(await user('/a', 'jane', password)), /^400 /, password);
  assert.equal(await list(), [{ domain_url: 'marks.example', folders: [], blocked: [], error_pages: [] }]);
});

// threat other-accounts: access to a site is its owner's alone
test("another account's domain is not found", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  await ann.user('/private');
  for (const outcome of [
    await bob.user('/private', 'bob', PASSWORD, ann.domain),
    await bob.user('/private', 'bob', PASSWORD, 'ann.example\n'),
    await bob.removeUser('/private', 'jane', ann.domain),
    await bob.block([], ann.domain),
    await bob.pages([], ann.domain),
  ])
    assert.is(outcome, '404 domain_not_found');
  assert.equal(await ann.folders(), [{ path: '/private', users: ['jane'] }]);
});

// threat leaked-secrets: the password of a folder is in no answer, event or row, and its hash in no answer
test('a folder has users, whose passwords are served as hashes and never shown', async () => {
  const { told, user, removeUser, list, folders } = await owner('folders');
  await user('/private//area/');
  assert.equal(await folders(), [{ path: '/private/area', users: ['jane'] }]);
  const hash = () => served('folders.example')?.locks[0]?.users.find(({ name }) => name === 'jane')?.hash ?? '';
  const first = hash();
  assert.match(first, /^\$2b\$06\$[./A-Za-z0-9]{53}$/);
  await user('/private/area', 'bob');
  await user('/private/area', 'jane', 'another password');
  assert.not.equal(hash(), first);
  await user('/über uns');
  assert.equal(await folders(), [
    { path: '/private/area', users: ['bob', 'jane'] },
    { path: '/über uns', users: ['jane'] },
  ]);
  const { store } = server.hostkeep.core;
  const kept = JSON.stringify([await store.all('select * from site_access'), await list()]);
  const lines = await told('');
  for (const secret of [PASSWORD, 'another password']) assert.not.match(kept + lines.join('\n'), secret);
  assert.not.match(JSON.stringify(await list()) + lines.join('\n'), /\$2b/);
  assert.match(lines[0] ?? '', /User 'folders' set the password of jane for folders\.example\/über uns from IP/);
  assert.is(await removeUser('/private/area', 'nobody'), '404 folder_user_not_found');
  assert.equal([await removeUser('/private/area/', 'bob'), await removeUser('/private/area')], [200, 200]);
  assert.equal(await folders(), [{ path: '/über uns', users: ['jane'] }]);
  assert.is(served('folders.example')?.locks.length, 1);
});

// threat crowding-out: a site has so many protected folders, and a folder so many users
test('folders and users are limited', async () => {
  const { user, folders } = await owner('many');
  const outcomes = [];
  for (let i = 0; i < 52; i += 1) outcomes.push(await user('/a', `user${i}`));
  assert.equal(counted(outcomes), { 200: 50, '409 access_limit_reached': 2 });
  for (let i = 1; i < 20; i++) await user(`/f${i}`);
  assert.is(await user('/one-more'), '409 access_limit_reached');
  assert.is((await folders())?.length, 20);
});

test('addresses and error pages are replaced as lists, and told', async () => {
  const { asks, told, list } = await owner('lists');
  const blocked = ['192.0.2.7', '2001:db8::/32'];
  const addresses = [' 192.0.2.7', '2001:DB8::/32', '192.0.2.7'];
  const error_pages = [{ status: 404, path: '/errors/404.html' }];
  await asks('PUT /api/site-access/lists.example/blocked', { addresses }, 200, { blocked });
  await asks('PUT /api/site-access/lists.example/error-pages', { error_pages }, 200, { error_pages });
  assert.equal(served('lists.example'), { blocked, locks: [], errorPages: error_pages });
  await asks('PUT /api/site-access/lists.example/blocked', { addresses: [] }, 200, { blocked: [] });
  assert.equal((await list())[0]?.error_pages, error_pages);
  assert.is((await told('addresses')).length, 2);
});

test('nothing is stored or served if the web server refuses', async () => {
  const { user, block, list } = await owner('refused');
  await block(['192.0.2.7']);
  webServer.refusesNext = true;
  assert.is(await user('/private'), '502 webserver_failed');
  webServer.refusesNext = true;
  assert.is(await block([]), '502 webserver_failed');
  assert.equal((await list())[0], {
    domain_url: 'refused.example',
    folders: [],
    blocked: ['192.0.2.7'],
    error_pages: [],
  });
  assert.equal(served('refused.example')?.blocked, ['192.0.2.7']);
});

test('changes of one site at once are all made, and go with its domain', async () => {
  const { asks, domain, user, block, folders } = await owner('once');
  await Promise.all([user('/a', 'ann'), user('/a', 'bob'), user('/b', 'eve'), block(['192.0.2.7'])]);
  assert.equal(await folders(), [
    { path: '/a', users: ['ann', 'bob'] },
    { path: '/b', users: ['eve'] },
  ]);
  const { store } = server.hostkeep.core;
  await asks('POST /api/domains/delete', { domain_url: domain }, 200);
  const count = async () => (await store.all('select 1 from site_access where value like \'%"eve"%\'')).length;
  await until('its access goes with it', async () => (await count()) === 0);
});
