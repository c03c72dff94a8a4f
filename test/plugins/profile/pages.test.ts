import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { installedPlugins } from '../../../kernel/host/discovery.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { declaredCodes, fail } from '../../../kernel/errors.ts';
import { countryFinding, CountryDatabase } from '../../../plugins/profile/country.ts';
import { isLink } from '../../../plugins/profile/favorites.ts';
import { createLog } from '../../../kernel/log.ts';
import type { DashboardPart } from '../../../kernel/contract/points/dashboard-part.ts';
import { addDemoContent } from '../../support/demo-content.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { counted } from '../../support/lists.ts';
import { testSuite } from '../../support/suite.ts';
import { enableTwofa, logIn } from '../../support/account-client.ts';

const test = testSuite('profile: pages');
let server: TestServer;
test.before(async () => void (server = await TestServer.start({ config: { trusted_proxies: ['127.0.0.1'] } })));

const FAVORITE = { link: '/files', title: 'Files' };
test('the log is paged newest first, searched in any case, and shown whole on demand', async () => {
  const gil = await server.user('gil');
  const { account } = gil;
  const { events, store } = server.hostkeep.core;
  await store.write(async (tx) => {
    for (let i = 1; i <= 59; i += 1)
      await events.record(tx, {
        type: 'logout',
        account,
        text: `did ${i === 30 ? "Ünique 100%_ 'quoted'\r\n[x] User" : `thing ${i}`}`,
        ip: '203.0.113.5',
      });
  });
  const page = (query: string) =>
    gil.asks<{ log_content: string[] } & Record<string, unknown>>(`GET /api/account/activity?${query}`, 200);
  const none = {
    log_content: [],
    current_page: 1,
    items_per_page: 25,
    total_pages: 1,
    total_lines: 0,
    show_all: false,
  };
  const { log_content: first, ...rest } = await page('');
  assert.is(first.length, 25);
  assert.match(first[0] ?? '', /User 'gil' did thing 59 from IP 203\.0\.113\.5$/);
  assert.equal(rest, {
    current_page: 1,
    items_per_page: 25,
    total_pages: 3,
    total_lines: 60,
    search_term: '',
    show_all: false,
  });
  assert.is((await page('page=3')).log_content.length, 10);
  assert.equal(await page('page=9'), {
    ...none,
    ...{ current_page: 9, total_pages: 3, total_lines: 60, search_term: '' },
  });
  const all = await page('show_all=true&page=2');
  assert.is(all.log_content.length, 60);
  assert.equal([all['current_page'], all['items_per_page'], all['total_pages'], all['show_all']], [1, 60, 1, true]);
  assert.is((await page('show_all=false')).log_content.length, 25);
  const found = await page('search=DID%20THING&page=2');
  assert.equal([found.log_content.length, found['total_lines'], found['search_term']], [25, 58, 'DID THING']);
  const one = await page(`search=${encodeURIComponent("ünique 100%_ 'QUOTED'")}`);
  assert.is(one.log_content.length, 1);
  assert.match(one.log_content[0] ?? '', /'quoted'\\x0d\\x0a\[x\] User from IP/);
  assert.equal(await page('search=nothing+like+it'), { ...none, search_term: 'nothing like it' });
  assert.equal((await page('search=nothing+like+it&show_all=true'))['total_pages'], 1);
  for (const [text, length] of [
    ['True', 60],
    ['1', 60],
    ['False', 25],
    ['0', 25],
  ] as const)
    assert.is((await page(`show_all=${text}`)).log_content.length, length, text);
  for (const query of [
    ...['page=0', 'page=-1', 'page=x', 'page=1.5', 'page=1&page=2', 'show_all=', 'show_all=TRUE', 'show_all=yes'],
    `search=${'x'.repeat(256)}`,
  ])
    await gil.asks(`GET /api/account/activity?${query}`, 400);
  await (await server.user('hal')).asks('GET /api/account/activity?show_all=true', 200, { total_lines: 1 });
});

test('the login history has the last 20 with their countries, of this account only', async () => {
  const { account, asks } = await server.user('ida');
  const addresses = ['8.8.8.8', '2001:4860:4860::8888', '10.1.2.3', '203.0.113.7', 'fe80::1%eth0'];
  for (const from of addresses) assert.is((await logIn(server, 'ida', { from })).status, 200);
  await logIn(server, 'ida', { from: '9.9.9.9', password: 'wrong' });
  interface Login {
    readonly country_code: string;
    readonly ip: string;
    readonly login_time: string;
    readonly login_at: string;
  }
  const body = await asks<Login[]>('GET /api/account/login-history', 200);
  assert.equal(
    body.map(({ ip, country_code }) => [ip, country_code]),
    [
      ['fe80::1', ''],
      ['203.0.113.7', ''],
      ['10.1.2.3', ''],
      ['2001:4860:4860::8888', 'US'],
      ['8.8.8.8', 'US'],
    ],
  );
  assert.match(body[0]?.login_time ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.is(body[0]?.login_at.slice(0, 19), body[0]?.login_time.replace(' ', 'T'));
  assert.match(body[0]?.login_at ?? '', /Z$/);
  await server.hostkeep.core.store.write(async (tx) => {
    for (let i = 0; i < 120; i += 1)
      await tx.run(
        'insert into login_history (account_id, at, ip) values (?, ?, ?)',
        account.id,
        Date.now(),
        '192.0.2.1',
      );
  });
  await logIn(server, 'ida', { from: '192.0.2.2' });
  const later = await asks<Login[]>('GET /api/account/login-history', 200);
  assert.equal([later.length, later[0]?.ip], [20, '192.0.2.2']);
  const { store } = server.hostkeep.core;
  assert.is((await store.all('select 1 from login_history where account_id = ?', account.id)).length, 100);
  assert.equal(await (await server.user('jon')).asks('GET /api/account/login-history', 200), []);
});

test('languages are those installed, English first, and errors speak the chosen one', async () => {
  const { token } = await server.user('kim');
  assert.equal((await server.ask('/api/account/language', { token })).body, {
    locales: ['en', 'de', 'fr'],
    current: 'en',
  });
  for (const locale of ['xx', '', 'DE', '../de', 'constructor']) {
    const answer = await server.ask<{ error: string; errors: { path: string }[] }>('/api/account/language', {
      method: 'PUT',
      token,
      body: { locale },
    });
    assert.is(answer.status, 400);
    assert.is(answer.body.errors[0]?.path, '/locale');
  }
  assert.equal((await server.ask('/api/account/language', { method: 'PUT', token, body: { locale: 'de' } })).body, {
    locales: ['en', 'de', 'fr'],
    current: 'de',
  });
  assert.is((await server.ask('/api/account/language', { token })).body['current'], 'de');
  assert.is(
    (await server.ask('/api/account/sessions/x', { method: 'DELETE', token })).body['title'],
    'Sitzung nicht gefunden',
  );
});

test('every language has every title and description, wherever they stand', async () => {
  const plugins = await Promise.all(installedPlugins().map((each) => each.load()));
  const codesIn = new Map(
    plugins.map(({ name, errors }) => [`plugins/${name}`, errors === undefined ? [] : declaredCodes(errors)]),
  );
  codesIn.set('config', Object.keys(fail));
  const folders = ['config', ...readdirSync(join(projectDir, 'plugins')).map((name) => `plugins/${name}`)];
  type Texts = Record<string, Record<string, unknown>>;
  const read = (folder: string, file: string): Texts => {
    const path = join(projectDir, folder, file);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Texts) : {};
  };
  const eventsIn = new Map(plugins.map(({ name, events = {} }) => [`plugins/${name}`, events]));
  const ofPlugins = new Set([...eventsIn.values()].flatMap((events) => Object.keys(events)));
  const all = Object.entries(server.hostkeep.node.events());
  eventsIn.set('config', Object.fromEntries(all.filter(([type]) => !ofPlugins.has(type))));
  const features = folders.flatMap((folder) => Object.keys(read(folder, 'features.json')));
  assert.is(new Set(features).size, features.length, 'each feature is described in one place');
  for (const locale of ['de', 'fr']) {
    const parts = folders.map((folder) => read(folder, `locales/${locale}.json`));
    for (const [i, folder] of folders.entries())
      assert.equal(
        Object.keys(parts[i]?.['errors'] ?? {}).toSorted(),
        (codesIn.get(folder) ?? []).toSorted(),
        `${folder} ${locale}`,
      );
    for (const [i, folder] of folders.entries()) {
      const [told, known] = [(parts[i]?.['events'] ?? {}) as Record<string, string>, eventsIn.get(folder) ?? {}];
      assert.equal(Object.keys(told).toSorted(), Object.keys(known).toSorted(), `events of ${folder} ${locale}`);
      for (const [type, text] of Object.entries(told))
        for (const [, member = '', words = ''] of text.matchAll(/\{(\w+)\??([^}]*)/g)) {
          const schema = known[type]?.data?.properties[member] as { readonly enum?: readonly string[] } | undefined;
          assert.ok(schema, `${type} ${locale}: ${member}`);
          const named = [...words.matchAll(/(\w+)=/g)].map(([, value = '']) => value);
          assert.equal(named, schema?.enum ?? [], `${type} ${locale}: a word for each value of ${member}`);
        }
    }
    const translated = parts.flatMap((part) => Object.entries(part['features'] ?? {}));
    assert.equal(translated.map(([name]) => name).toSorted(), features.toSorted(), locale);
    for (const [, text] of translated) assert.equal(Object.keys(text as object), ['title', 'description']);
  }
});

test("events are told in the account's language, and to programs as they ask", async () => {
  const { account, token } = await server.user('hans');
  const { accounts, tokens } = server.hostkeep.core;
  await accounts.setFeature('hans', 'waf', true, '203.0.113.5');
  interface Page {
    readonly events: readonly {
      readonly type: string;
      readonly summary: string;
      readonly ip: string;
      readonly data: object;
    }[];
    readonly next_cursor: string | null;
  }
  const page = async (query = '', as = token, language = '') =>
    (await server.ask<Page>(`/api/account/events${query}`, { token: as, headers: { 'accept-language': language } }))
      .body;
  const [granted] = (await page()).events;
  assert.match(granted?.summary ?? '', /^Was granted |^Granted |^Got /, granted?.summary);
  await accounts.update('hans', { locale: 'de' });
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { events, next_cursor: next }: Page = await page(`?limit=1&cursor=${cursor}`);
    assert.is(events.length, 1);
    seen.push(events[0]?.summary ?? '');
    cursor = next;
  }
  assert.equal(seen, [
    'Tarif, E-Mail-Adresse oder Sprache des Kontos geändert',
    'Funktion waf freigegeben',
    'Konto angelegt',
  ]);
  assert.equal(
    (await page('?search=WAF')).events.map(({ type, ip }) => [type, ip]),
    [['feature.toggled', '203.0.113.5']],
  );
  const wanted = { name: 'script', scopes: ['activity:read'], networks: [], expiresAt: Date.now() + 60_000 };
  const script = await tokens.make(account, wanted, '');
  assert.is((await page('?search=waf', script.token)).events[0]?.summary, granted?.summary);
  const told = async (language: string) => (await page('?search=waf', script.token, language)).events[0]?.summary;
  assert.equal([await told('de-AT'), await told('it')], ['Funktion waf freigegeben', granted?.summary]);
  await accounts.setFeature('hans', 'waf', false, '203.0.113.5');
  assert.is((await page('?limit=1')).events[0]?.summary, 'Funktion waf entzogen');
  await accounts.setFeature('hans', 'waf', undefined, '203.0.113.5');
  assert.is((await page('?limit=1')).events[0]?.summary, 'Funktion waf wie im Tarif');
  const { token: other } = await server.user('otto');
  assert.not.match(JSON.stringify(await page('', other)), /waf/);
  assert.is((await server.ask('/api/account/events?cursor=1', { token })).status, 400);
});

// asvs 1.2.2: favorites are http(s) links or paths
// asvs 1.2.3: replies are JSON written by JSON.stringify
test('favorites refuse what is no link or no title', async () => {
  const { asks } = await server.user('leo');
  for (const body of [
    { link: '', title: 'x' },
    { link: '/x', title: '' },
    { link: 'javascript:alert(1)', title: 'x' },
    { link: 'ftp://example.com/', title: 'x' },
    { link: 'files', title: 'x' },
    { link: '//example.com', title: 'x' },
    { link: '/\\example.com', title: 'x' },
    { link: 'https://', title: 'x' },
    { link: `/${'x'.repeat(2048)}`, title: 'x' },
    { link: '/x', title: 'x'.repeat(256) },
    { link: '/x\n', title: 'x' },
    { link: '/x', title: 'x\r\ny' },
    { link: '/x', title: 'x\u2028y' },
    { link: '/x\u0000', title: 'x' },
    { link: '/x', title: 'x', position: -1 },
    { link: '/x', title: 'x', position: 50 },
  ])
    await asks('PUT /api/favorites', body, '400 invalid_request');
  assert.equal(await asks('GET /api/favorites', 200), []);
  for (const link of [
    '/',
    '/files?path=/a b',
    'http://example.com',
    'HTTPS://EXAMPLE.com:8443/ä#x',
    `/${'ü'.repeat(2047)}`,
  ])
    assert.ok(isLink(link), link);
});

test('favorites are added, renamed and removed, and each account has its own', async () => {
  const [mia, nat] = [await server.user('mia'), await server.user('nat')];
  const put = (body: object) => mia.asks<unknown[]>('PUT /api/favorites', body, 200);
  const drop = (link: string, by = mia) => by.asks<unknown[]>('DELETE /api/favorites', { link }, 200);
  const example = { link: 'https://example.com/', title: 'Éxample "x"' };
  assert.equal(await put(FAVORITE), [FAVORITE]);
  assert.equal(await put(example), [FAVORITE, example]);
  assert.equal((await put({ ...FAVORITE, title: 'My files' }))[0], { ...FAVORITE, title: 'My files' });
  assert.equal(await nat.asks('GET /api/favorites', 200), []);
  assert.equal(await drop('/files', nat), []);
  assert.is((await drop('/unknown')).length, 2);
  assert.is((await drop('/files')).length, 1);
  assert.equal(await mia.asks('GET /api/favorites', 200), [example]);
});

test('favorites have the order that the account gives them', async () => {
  const olga = await server.user('olga');
  const titles = (list: { title: string }[]) => list.map(({ title }) => title).join('');
  const put = async (title: string, position?: number) =>
    titles(
      await olga.asks(
        'PUT /api/favorites',
        { link: `/${title}`, title, ...(position !== undefined && { position }) },
        200,
      ),
    );
  for (const title of ['a', 'b', 'c']) await put(title);
  assert.is(await put('d'), 'abcd');
  assert.is(await put('d', 0), 'dabc');
  assert.is(await put('d', 2), 'abdc');
  assert.is(await put('a', 49), 'bdca', 'beyond the end is the end');
  assert.is(await put('e', 1), 'bedca', 'a new one, at a place');
  assert.is(await put('c'), 'bedca', 'without a place it stays where it is');
  await olga.asks('DELETE /api/favorites', { link: '/d' }, 200);
  assert.is(await put('f'), 'becaf');
  assert.is(titles(await olga.asks('GET /api/favorites', 200)), 'becaf');
  assert.ok((await olga.told('moved the favorite d')).length > 0);
});

test('there is room for 50 favorites, also when two come at once', async () => {
  const oli = await server.user('oli');
  const put = (i: number) => oli.tries('PUT /api/favorites', { link: `/${i}`, title: String(i) });
  const outcomes = await Promise.all(Array.from({ length: 55 }, (_, i) => put(i)));
  assert.equal(counted(outcomes), { 200: 50, '409 favorites_full': 5 });
  const kept = await oli.asks<{ link: string }[]>('GET /api/favorites', 200);
  assert.is(kept.length, 50);
  await oli.asks('PUT /api/favorites', { link: kept[7]?.link, title: 'renamed' }, 200);
});

test('the dashboard gets previous login, language and second factor by feature', async () => {
  const { account, token } = await server.user('pia');
  const { accounts } = server.hostkeep.core;
  const part = async (): Promise<DashboardPart> => {
    const parts = await server.hostkeep.plugins.gather('dashboard', await accounts.get('pia'));
    const own = parts.flatMap((part) => (part.ok && ['login', 'profile'].includes(part.plugin) ? [part.value] : []));
    return Object.assign({}, ...own) as DashboardPart;
  };
  assert.equal(await part(), { last_ip: '', locale: 'en', twofa_enabled: null });
  await logIn(server, 'pia', { from: '192.0.2.10' });
  await logIn(server, 'pia', { from: '192.0.2.11' });
  await enableTwofa(server, token);
  assert.equal(await part(), { last_ip: '192.0.2.10', locale: 'en', twofa_enabled: true });
  for (const feature of ['login_history', 'locale', 'twofa'])
    await accounts.setFeature(account.username, feature, false);
  assert.equal(await part(), { last_ip: '', locale: '', twofa_enabled: null });
});

test('users are counted without admins, and the demo has favorites and a history', async () => {
  const demo = await server.account('demo');
  const other = await server.account('other', 'basic');
  const { plugins, core } = server.hostkeep;
  const [counts] = (await plugins.gather('counts')).filter(({ plugin }) => plugin === 'login');
  assert.ok(counts?.ok === true && counts.value.users === (await core.accounts.count('user')));
  const filled = await addDemoContent(server, { demo, other });
  for (const name of ['login', 'profile']) {
    const part = filled.find(({ plugin }) => plugin === name);
    assert.ok(part?.ok === true, name);
  }
  const { asks } = await server.as(demo);
  assert.is((await asks<unknown[]>('GET /api/favorites', 200)).length, 5);
  const history = await asks<{ login_time: string }[]>('GET /api/account/login-history', 200);
  assert.ok(history.length >= 5 && new Set(history.map(({ login_time }) => login_time.slice(0, 10))).size >= 4);
  const { total_lines: lines } = await asks<{ total_lines: number }>('GET /api/account/activity', 200);
  assert.ok(lines >= 20, 'with what other plugins add');
});

test('the country database is found, and its absence costs only the countries', async () => {
  const finding = await countryFinding();
  assert.ok(finding.ok);
  assert.match(finding.detail, /geo-whois-asn-country-mmdb \d/);
  const lookup = await new CountryDatabase(createLog('silent')).lookup();
  assert.is(lookup('8.8.8.8'), 'US');
  for (const ip of [
    'not an address',
    '',
    '127.0.0.1',
    '10.0.0.1',
    '172.16.3.3',
    '192.168.1.1',
    '203.0.113.24',
    '::1',
    'fd00::1',
    '2001:db8::1',
  ])
    assert.is(lookup(ip), '', ip);
});
