import * as assert from '../../support/assert.ts';
import webserverConf from '../../../plugins/webserver-conf/index.ts';
import directives from '../../../plugins/webserver-conf/site-directives.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('settings of sites');

/** Whether the web server can list folders. */
let followsNoLinks = false;
const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 80, followsNoLinks }));

let server: TestServer;
test.before(
  async () => void (server = await TestServer.start({ plugins: [domains, webserverConf, webServer.plugin] })),
);

interface Entry {
  readonly domain_url: string;
  readonly index_files: readonly string[];
  readonly caching: readonly { readonly kind: string; readonly seconds: number }[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly folder_listing: boolean;
  readonly upload_mib: number | null;
  readonly error?: string;
}
interface Listed {
  readonly sites: readonly Entry[];
  readonly upload_limit_mib: number;
  readonly offers_folder_listing: boolean;
}
const UNSET = { index_files: [], caching: [], headers: [], folder_listing: false, upload_mib: null };

async function owner(username: string) {
  const { account, token, domain } = await domainOwner(server, username);
  return {
    account,
    domain,
    token,
    set: async (body: object, of = domain) =>
      (await server.ask<Entry>(`/api/site-settings/${encodeURIComponent(of)}`, { method: 'PUT', token, body })).body,
    list: async () => (await server.ask<Listed>('/api/site-settings', { token })).body,
  };
}

const MARKS = ['$', '${x}', '{', '}', '{env.HOME}', '\\', '`', '\n', '\r\n', '\t', '\0', '\u007f', 'é', '\u2028'];

// threat shell-injection: index files and headers of a site hold nothing that a configuration understands
test('what a web server could take for its own syntax is refused in each field', async () => {
  const { set, list } = await owner('marks');
  const isRefused = async (body: object, about: string) =>
    assert.ok(['invalid_site_settings', 'invalid_request'].includes((await set(body)).error ?? ''), about);
  for (const mark of [...MARKS, ' ', '/', ';', '"', "'", '#', '*']) {
    await isRefused({ index_files: [`a${mark}b.html`] }, JSON.stringify(mark));
    await isRefused({ headers: [{ name: `X-A${mark}b`, value: 'x' }] }, JSON.stringify(mark));
  }
  for (const mark of MARKS) await isRefused({ headers: [{ name: 'X-A', value: `a${mark}b` }] }, JSON.stringify(mark));
  for (const name of ['', '.htaccess', '../index.html', '-x', 'a'.repeat(101)])
    await isRefused({ index_files: [name] }, name);
  for (const caching of [
    [{ kind: 'all', seconds: 1 }],
    [{ kind: 'images', seconds: -1 }],
    [{ kind: 'images', seconds: 1.5 }],
    [{ kind: 'images', seconds: 31_536_001 }],
    [{ kind: 'images' }],
    [1, 2].map((seconds) => ({ kind: 'images', seconds })),
  ])
    await isRefused({ caching }, JSON.stringify(caching));
  const header = { name: 'X-A', value: 'x' };
  for (const headers of [[header, { ...header, name: 'x-a' }], [{ ...header, value: ' ' }], [{ ...header, more: 1 }]])
    await isRefused({ headers }, JSON.stringify(headers));
  await isRefused({ upload_mib: 0 }, 'upload');
  await isRefused({ nobody: 1 }, 'another member');
  assert.equal((await list()).sites, [{ domain_url: 'marks.example', ...UNSET }]);
});

// threat other-accounts: no header of a site speaks for other names, ports or answers, or to a server in front
test('headers on which the security of others depends are refused', async () => {
  const { set } = await owner('headers');
  for (const name of [
    ...['Set-Cookie', 'Strict-Transport-Security', 'Public-Key-Pins', 'Alt-Svc', 'Clear-Site-Data', 'NEL', 'Report-To'],
    ...[
      'Connection',
      'Content-Length',
      'Transfer-Encoding',
      'Content-Encoding',
      'Upgrade',
      'Trailer',
      'Location',
      'Host',
    ],
    ...['Server', 'Date', 'Via', 'WWW-Authenticate', 'Proxy-Authenticate', 'Refresh', 'Expect-CT', 'Early-Data', 'Age'],
    ...['X-Accel-Redirect', 'x-accel-buffering', 'X-Sendfile', 'X-LiteSpeed-Location', 'X-Forwarded-For', 'X-Real-IP'],
  ])
    assert.is((await set({ headers: [{ name, value: 'x' }] })).error, 'invalid_site_settings', name);
  const headers = [
    { name: 'Content-Security-Policy', value: "default-src 'self'; img-src https: data:" },
    { name: 'Permissions-Policy', value: 'geolocation=(self "https://maps.example")' },
    { name: 'access-control-allow-origin', value: '*' },
    { name: 'X-Frame-Options', value: 'DENY' },
    { name: 'Link', value: '</a.css>; rel=preload; as=style' },
  ];
  assert.equal((await set({ headers })).headers, headers);
});

// threat stolen-service: the process with rights takes no setting that a customer could not make
test('what renders directives checks settings again', () => {
  const part = { index: [], caching: [], headers: [], listsFolders: false };
  assert.equal(directives.read(part), part);
  for (const wrong of [
    { index: ['a;b'] },
    { index: ['/etc/passwd'] },
    { caching: [{ kind: 'x"', seconds: 1 }] },
    { caching: [{ kind: 'images', seconds: '1; return 200' }] },
    { headers: [{ name: 'Set-Cookie', value: 'x' }] },
    { headers: [{ name: 'X-A', value: 'a$b' }] },
    { headers: [{ name: 'X-A', value: '{env.SECRET}' }] },
    { listsFolders: 'on' },
    { more: 1 },
  ])
    assert.throws(() => directives.read({ ...part, ...wrong }), undefined, JSON.stringify(wrong));
  const listed = { ...part, listsFolders: true };
  for (const render of [directives.nginx, directives.caddy]) {
    assert.equal(render(listed, sitePlace()), []);
    assert.ok(render(listed, sitePlace({ followsNoLinks: true })).length > 0);
  }
});

test("another account's domain is not found", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  await ann.set({ index_files: ['start.html'] });
  assert.is((await bob.set({ index_files: ['x.html'] }, ann.domain)).error, 'domain_not_found');
  assert.is((await bob.set({}, 'ann.example\n')).error, 'domain_not_found');
  assert.equal((await ann.list()).sites[0]?.index_files, ['start.html']);
});

test('settings are changed one by one, served, stored and told', async () => {
  const { account, domain, set, list } = await owner('changes');
  assert.equal((await set({ index_files: ['start.html', 'start.html', 'home.php'] })).index_files, [
    'start.html',
    'home.php',
  ]);
  const caching = [
    { kind: 'images', seconds: 86_400 },
    { kind: 'pages', seconds: 0 },
  ];
  await set({ caching });
  await set({ headers: [{ name: ' Referrer-Policy', value: 'same-origin ' }], upload_mib: 20 });
  const headers = [{ name: 'Referrer-Policy', value: 'same-origin' }];
  const wanted = { index_files: ['start.html', 'home.php'], caching, headers, folder_listing: false, upload_mib: 20 };
  assert.equal((await list()).sites, [{ domain_url: domain, ...wanted }]);
  const part = { index: wanted.index_files, caching, headers, listsFolders: false };
  assert.equal(webServer.served(domain), { names: [`www.${domain}`], parts: { 'webserver-conf': part }, bodyMib: 20 });
  assert.is((await set({ upload_mib: null })).upload_mib, null);
  assert.is(webServer.served(domain)?.bodyMib, undefined);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'served', 0, 9);
  assert.is(lines.length, 4);
  assert.match(lines[0] ?? '', /User 'changes' changed how changes\.example is served from IP/);
});

// threat half-made-changes: settings that the web server refuses are neither stored nor served
test('nothing is stored or served if the web server refuses', async () => {
  const { domain, set, list } = await owner('refused');
  await set({ index_files: ['start.html'] });
  webServer.refusesNext = true;
  assert.is((await set({ index_files: ['other.html'] })).error, 'webserver_failed');
  assert.equal((await list()).sites[0]?.index_files, ['start.html']);
  const part = webServer.served(domain)?.parts?.['webserver-conf'];
  assert.equal(part, { index: ['start.html'], caching: [], headers: [], listsFolders: false });
});

test('an upload is as large as the plan allows, also when it allows less than before', async () => {
  const { domain, set, list } = await owner('uploads');
  const { plans } = server.hostkeep.core;
  const limit = (mib: number) => plans.update('developer', { limits: { upload_limit_mib: mib } });
  await limit(100);
  assert.is((await list()).upload_limit_mib, 100);
  assert.is((await set({ upload_mib: 101 })).error, 'invalid_site_settings');
  assert.is((await set({ upload_mib: 100 })).upload_mib, 100);
  await limit(30);
  await set({ index_files: [] });
  assert.is(webServer.served(domain)?.bodyMib, 30);
});

// threat served-links: folders are listed only by a server that follows no link of a customer
test('folders are listed only where the web server follows no links', async () => {
  const { set, list } = await owner('folders');
  assert.is((await list()).offers_folder_listing, false);
  assert.is((await set({ folder_listing: true })).error, 'folder_listing_not_offered');
  followsNoLinks = true;
  assert.is((await list()).offers_folder_listing, true);
  assert.is((await set({ folder_listing: true })).folder_listing, true);
  followsNoLinks = false;
  assert.is((await set({ folder_listing: false })).folder_listing, false);
});

test('changes of one site at once are all made, and go with its domain', async () => {
  const { domain, token, set, list } = await owner('once');
  await Promise.all([set({ index_files: ['gone.html'] }), set({ upload_mib: 3 }), set({ caching: [] })]);
  const [site] = (await list()).sites;
  assert.equal([site?.index_files, site?.upload_mib], [['gone.html'], 3]);
  const { store } = server.hostkeep.core;
  await server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: domain } });
  const count = async () => (await store.all("select 1 from site_settings where value like '%gone.html%'")).length;
  await until('its settings go with it', async () => (await count()) === 0);
});
