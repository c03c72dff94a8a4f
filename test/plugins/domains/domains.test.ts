import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeInfo } from '../../../kernel/contract/node-info.ts';
import { NewNames } from '../../../plugins/domains/names/new-names.ts';
import type { DomainsConfig } from '../../../plugins/domains/schema.ts';
import * as assert from '../../support/assert.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testConfig, TestServer, type Person } from '../../support/hostkeep.ts';
import { counted, pick } from '../../support/lists.ts';
import type { Outcome } from '../../support/scenario.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domains');
let server: TestServer;
test.before(
  async () =>
    void (server = await TestServer.start({
      config: {
        domains: { forbidden: ['localhost', 'Verboten.example'], panel_hosts: ['panel.node.test'] },
        admin_hosts: ['admin.node.test'],
      },
    })),
);

interface Entry {
  domain_id: number;
  domain_url: string;
  docroot: string;
  created_at: string;
}

/** Adds a domain, and resolves with what came of it; `remove` does the same. */
const add = (by: Person, domain_url: string, docroot?: string) =>
  by.tries('POST /api/domains/new', { domain_url, ...(docroot !== undefined && { docroot }) });
const remove = (by: Person, domain_url: string, more: object = {}) =>
  by.tries('POST /api/domains/delete', { domain_url, ...more });
/** Adds domains, one after another, and asserts what comes of each. */
async function adding(by: Person, outcomes: Readonly<Record<string, Outcome>>): Promise<void> {
  for (const [domain_url, is] of Object.entries(outcomes)) await by.asks('POST /api/domains/new', { domain_url }, is);
}
const list = (by: Person) => by.asks<{ domains: Entry[]; total: number }>('GET /api/domains', 200);
const names = async (by: Person) => pick((await list(by)).domains, 'domain_url');

test('administrators find the owner of a domain by part of its name, page by page', async () => {
  const [admin, finder, found] = [await server.admin(), await server.user('finder'), await server.user('found')];
  await adding(finder, { 'bücher.find.example': 201, 'b.find.example': 201, 'nothing.example': 201 });
  await adding(found, { 'a.find-me.example': 201 });
  interface Page {
    readonly domains: readonly { readonly domain_url: string; readonly username: string; readonly user_id: number }[];
    readonly next_cursor: string | null;
  }
  const find = (query: string) => admin.asks<Page>(`GET /api/domains?${query}`, 200);
  assert.equal(
    (await find('q=FIND')).domains.map(({ domain_url: name, username }) => `${name} ${username}`),
    ['a.find-me.example found', 'b.find.example finder', 'xn--bcher-kva.find.example finder'],
  );
  assert.is((await find(`q=${encodeURIComponent('Bücher')}`)).domains[0]?.user_id, finder.account.id);
  const first = await find('q=find&limit=2');
  assert.equal([first.domains.length, first.next_cursor], [2, 'b.find.example']);
  const last = await find(`q=find&limit=2&cursor=${first.next_cursor}`);
  assert.equal([pick(last.domains, 'domain_url'), last.next_cursor], [['xn--bcher-kva.find.example'], null]);
  await admin.asks('GET /api/domains?q=%25', 200, { domains: [], next_cursor: null });
});

test('the host name of the server is refused', () => {
  const tls = { cert: '', key: '', host_name: 'own.node.test', hsts_seconds: 0 };
  const node = { config: testConfig(server.data, { tls }) } as NodeInfo;
  const own = new NewNames({ config: { forbidden: [], panel_hosts: [] } as unknown as DomainsConfig, node });
  for (const name of ['own.node.test', 'www.own.node.test', 'node.test'])
    assert.throws(() => own.read(name, { path: '/domain_url' }), /is reserved on this server/);
  assert.is(own.read('other.test', { path: '/domain_url' }), 'other.test');
});

test('names that are none, suffixes, forbidden names and the panel itself are refused', async () => {
  const own = await server.user('names');
  for (const name of [
    'example',
    '127.0.0.1',
    'a..example',
    '-a.example',
    '*.example.com',
    'co.uk',
    'github.io',
    'b.kobe.jp',
    'foo.localhost',
    'verboten.example',
    'a.VERBOTEN.example.',
    'panel.node.test',
    'x.admin.node.test',
    'node.test',
    'https://a.example',
  ])
    await adding(own, { [name]: '400 invalid_domain' });
  for (const body of [{ domain_url: '' }, { domain_url: 'a'.repeat(2000) }, []])
    await own.asks('POST /api/domains/new', body, '400 invalid_request');
  assert.equal(await names(own), []);
  assert.not(existsSync(own.account.filesRoot), 'a refused domain makes no folder');
});

test('names of well-known mail and login services are refused by default', async () => {
  const plain = await TestServer.start();
  const named = await plain.user('names');
  for (const name of ['google.com', 'mail.google.com', 'GMAIL.com'])
    await adding(named, { [name]: '400 invalid_domain' });
  await adding(named, { 'google.example': 201 });
  await adding(await server.user('lister'), { 'google.com': 201 });
});

test('document roots outside, through links or over files are refused', async () => {
  const own = await server.user('roots');
  const { account } = own;
  mkdirSync(account.filesRoot, { recursive: true });
  writeFileSync(join(account.filesRoot, 'plain'), 'x');
  const elsewhere = temporaryFolder();
  symlinkSync(elsewhere, join(account.filesRoot, 'link'));
  symlinkSync('/nowhere', join(account.filesRoot, 'dangling'));
  for (const docroot of [
    '../x',
    '/etc',
    '/var/www/html/../../x',
    '/var/www/html2',
    'a/../../b',
    'a\u0000b',
    'a\nb',
    'plain',
    'plain/x',
    'link',
    'link/x',
    '/var/www/html/link',
    'dangling',
    `${'a'.repeat(256)}`,
    '\ud800',
  ])
    await own.asks('POST /api/domains/new', { domain_url: 'roots.example', docroot }, '400 invalid_docroot');
  assert.equal(readdirSync(elsewhere), []);
  assert.equal(await names(own), []);
});

test('a domain is added with its folder, listed by name and logged', async () => {
  const own = await server.user('adder');
  const docroot = '/var/www/html/zoo.example';
  const made = { domain_url: 'zoo.example', docroot, created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ };
  const zoo = await own.asks<Entry>('POST /api/domains/new', { domain_url: 'Zoo.Example.' }, 201, made);
  assert.ok(existsSync(join(own.account.filesRoot, 'zoo.example')));
  const shop = { docroot: '/var/www/html/shop/public' };
  const [bücher, ape] = [
    { domain_url: 'bücher.example', docroot: '/var/www/html/shop/public/' },
    { domain_url: 'ape.example', docroot: 'shop/public' },
  ];
  await own.rows(
    ['POST /api/domains/new', bücher, 201, shop],
    ['POST /api/domains/new', ape, 201, shop], // an existing folder, also of another domain, is fine
  );
  const { domains, total } = await list(own);
  assert.is(total, 3);
  assert.equal(pick(domains, 'domain_url'), ['ape.example', 'xn--bcher-kva.example', 'zoo.example']);
  assert.equal(domains[2], zoo);
  assert.match((await own.told('domain'))[2] ?? '', /User 'adder' added the domain zoo\.example from IP 127\.0\.0\.1$/);
});

test('only the first domain of an account may be served from the files root', async () => {
  const own = await server.user('rooted');
  for (const docroot of ['/var/www/html', '/var/www/html/', '/', '.'])
    await own.rows(
      ['POST /api/domains/new', { domain_url: 'root.example', docroot }, 201, { docroot: '/var/www/html' }],
      ['POST /api/domains/delete', { domain_url: 'root.example' }, 200],
    );
  await adding(own, { 'shop.example': 201 });
  for (const docroot of ['/var/www/html', '/', './'])
    await own.asks('POST /api/domains/new', { domain_url: 'root.example', docroot }, '400 invalid_docroot');
  await remove(own, 'shop.example');
  const both = await Promise.all([add(own, 'root.example', '/'), add(own, 'roots.example', '/')]);
  assert.equal(both.toSorted(), [201, '400 invalid_docroot'], 'also of two at once');
});

test('a name can be taken only once, by any account and in any form', async () => {
  const [first, second] = [await server.user('owner'), await server.user('rival')];
  await adding(first, { 'müller.example': 201 });
  await adding(second, {
    'müller.example': '409 domain_exists',
    'XN--MLLER-KVA.example.': '409 domain_exists',
    'shop.müller.example': '409 domain_exists',
    'a.b.xn--mller-kva.example': '409 domain_exists',
  });
  const detail = 'the account has xn--mller-kva.example already';
  await first.asks('POST /api/domains/new', { domain_url: 'müller.example' }, '409 domain_exists', { detail });
  await adding(first, { 'shop.müller.example': 201, 'deep.below.example': 201 });
  await adding(second, {
    'below.example': '409 domain_exists', // a domain above somebody else's is taken alike
    'deep-below.example': 201, // labels count, not letters
    'low.example': 201,
  });
  assert.equal(await names(second), ['deep-below.example', 'low.example']);
});

// threat shared-cache: no account sees or deletes another's domains
// asvs 8.2.2: domains of another account cannot be named
test("one account cannot see or delete what is another's", async () => {
  const [mine, other] = [await server.user('mine'), await server.user('theirs')];
  await adding(mine, { 'private.example': 201 });
  for (const name of ['private.example', 'unknown.example', 'not a name'])
    assert.is(await remove(other, name), '404 domain_not_found', name);
  assert.equal([await names(other), await names(mine)], [[], ['private.example']]);
});

test('deleting frees the name, keeps the files and is done once', async () => {
  const own = await server.user('eraser');
  await adding(own, { 'gone.example': 201 });
  const page = join(own.account.filesRoot, 'gone.example/index.html');
  writeFileSync(page, 'hello');
  const gone = { domain_url: 'gone.example', deleted: true };
  await own.asks('POST /api/domains/delete', { domain_url: 'GONE.example.' }, 200, gone);
  assert.is(await remove(own, 'gone.example'), '404 domain_not_found');
  assert.is(readFileSync(page, 'utf8'), 'hello');
  assert.equal(await names(own), []);
  await adding(await server.user('heir'), { 'gone.example': 201 });
});

test('domains are grouped by suffix', async () => {
  const own = await server.user('grouped');
  for (const name of ['mail.grouped.co.uk', 'grouped.co.uk', 'x.mail.grouped.co.uk', 'grouped.github.io'])
    await adding(own, { [name]: 201 });
  await own.asks('GET /api/docker_domains', 200, {
    maindomains: [
      { domain_url: 'grouped.co.uk', tld: 'co.uk' },
      { domain_url: 'grouped.github.io', tld: 'github.io' },
    ],
    subdomains: [
      { domain_url: 'mail.grouped.co.uk', tld: 'co.uk', main_domain: 'grouped.co.uk' },
      { domain_url: 'x.mail.grouped.co.uk', tld: 'co.uk', main_domain: 'grouped.co.uk' },
    ],
  });
});

async function limited(username: string, domains_limit: number, more: { names_limit?: number } = {}): Promise<Person> {
  const { plans } = server.hostkeep.core;
  const { features, limits } = await plans.get('standard');
  const own = { ...limits, domains_limit, ...more };
  await plans.create(`limit_${username}`, { limits: own }, [...features]);
  return server.user(username, `limit_${username}`);
}

test('the limit counts domains, not subdomains of own ones', async () => {
  const own = await limited('limited', 2);
  await adding(own, { 'sub.one.example': 201, 'two.example': 201, 'three.example': '409 domain_limit_reached' });
  assert.not(existsSync(join(own.account.filesRoot, 'three.example')));
  await adding(own, {
    'one.example': 201, // takes the place of its own subdomain
    'a.two.example': 201,
    'a-b.two.example': 201,
    'c.a.two.example': 201,
    'three.example': 409,
  });
  assert.is(await remove(own, 'two.example'), '409 domain_has_subdomains', 'what is below it would count');
  await adding(own, { 'three.example': 409 });
  assert.is(await remove(own, 'two.example', { with_subdomains: true }), 200);
  await adding(own, { 'three.example': 201 });
  assert.equal(await names(own), ['one.example', 'sub.one.example', 'three.example']);
});

test("the list shows the plan's limits from the next request on", async () => {
  const own = await limited('teller', 3, { names_limit: 7 });
  await own.asks('GET /api/domains', 200, { domains_limit: 3, names_limit: 7 });
  await server.hostkeep.core.plans.update('limit_teller', { limits: { domains_limit: 0 } });
  await own.asks('GET /api/domains', 200, { domains_limit: 0, names_limit: 7 });
  await server.hostkeep.core.accounts.update('teller', { plan: null });
  await own.asks('GET /api/domains', 403);
});

test('a domain is deleted after its subdomains, or with them, so that the limit holds', async () => {
  const own = await limited('pruner', 1);
  await adding(own, { 'top.example': 201, 'b.top.example': 201, 'a.b.top.example': 201, 'c.top.example': 201 });
  await adding(await server.user('neighbour'), { 'top-b.example': 201 });
  await own.asks('POST /api/domains/delete', { domain_url: 'top.example' }, '409 domain_has_subdomains', {
    detail: /a\.b\.top\.example, b\.top\.example and c\.top\.example/,
    subdomains: ['a.b.top.example', 'b.top.example', 'c.top.example'],
  });
  assert.is(await remove(own, 'b.top.example', { with_subdomains: false }), '409 domain_has_subdomains');
  assert.is((await list(own)).total, 4);
  await adding(own, { 'other.example': '409 domain_limit_reached' });
  await own.asks('POST /api/domains/delete', { domain_url: 'B.top.example.', with_subdomains: true }, 200, {
    domain_url: 'b.top.example',
    deleted: true,
  });
  assert.equal(await names(own), ['c.top.example', 'top.example']);
  assert.is(await remove(own, 'c.top.example'), 200, 'one by one, from below');
  assert.is(await remove(own, 'top.example', { with_subdomains: true }), 200, 'also where there are none');
  await adding(own, { 'other.example': 201 });
  const lines = await own.told('removed');
  assert.equal(lines.map((line) => /removed the domain (\S+)/.exec(line)?.[1]).toSorted(), [
    'a.b.top.example',
    'b.top.example',
    'c.top.example',
    'top.example',
  ]);
});

// threat race-conditions: deletions and additions below a domain do not exceed the limit
test('subdomains that are added while their parent is deleted never exceed the limit', async () => {
  const own = await limited('shuffler', 1);
  for (let round = 0; round < 8; round += 1) {
    await adding(own, { 'mix.example': 201 });
    await Promise.all([
      ...['a', 'b'].map((label) => add(own, `${label}.mix.example`)),
      remove(own, 'mix.example', { with_subdomains: round % 2 === 0 }),
      ...['c', 'd'].map((label) => add(own, `${label}.mix.example`)),
    ]);
    const { maindomains } = await own.asks<{ maindomains: unknown[] }>('GET /api/docker_domains', 200);
    assert.ok(maindomains.length <= 1, `round ${round}: ${(await names(own)).join(' ')}`);
    for (const name of (await names(own)).toSorted((a, b) => b.length - a.length)) await remove(own, name);
  }
});

// threat race-conditions: concurrent requests do not exceed the limit of domains
// asvs 2.3.2: concurrent requests do not exceed a limit of the plan
test('20 requests at once never exceed the limit', async () => {
  const own = await limited('racer', 3);
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => add(own, `race-${i}.example`)));
  assert.equal(counted(outcomes), { 201: 3, '409 domain_limit_reached': 17 });
  assert.is((await list(own)).total, 3);
});

// threat race-conditions: concurrent requests do not exceed the limit of names
test('every name counts against its own limit, also of many at once', async () => {
  const own = await limited('namer', 2, { names_limit: 5 });
  await adding(own, { 'name.example': 201 });
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => add(own, `n${i}.name.example`)));
  assert.equal(counted(outcomes), { 201: 4, '409 names_limit_reached': 16 });
  await adding(own, { 'second.example': '409 names_limit_reached' });
  assert.not(existsSync(join(own.account.filesRoot, 'second.example')));
  await remove(own, (await names(own)).find((name) => name.startsWith('n')) ?? '');
  await adding(own, { 'second.example': 201 });
  await server.hostkeep.core.plans.update('limit_namer', { limits: { names_limit: 0 } });
  await adding(own, { 'more.name.example': 201 }); // 0 is unlimited
});

// threat race-conditions: of two accounts, one gets a contested name
// asvs 2.3.4: a domain cannot be taken twice
test('of two accounts that ask for one name at once exactly one gets it', async () => {
  const [one, two] = [await server.user('twin_a'), await server.user('twin_b')];
  for (let round = 0; round < 10; round += 1) {
    const name = `twin-${round}.example`;
    const outcomes = await Promise.all([add(one, name), add(two, round % 2 === 0 ? name : `sub.${name}`)]);
    assert.equal(counted(outcomes), { 201: 1, '409 domain_exists': 1 });
  }
  assert.is((await list(one)).total + (await list(two)).total, 10);
});

test('a list is new after every change, and a toggle holds from the next request on', async () => {
  const own = await server.user('polling');
  for (let round = 0; round < 5; round += 1) {
    await adding(own, { [`poll-${round}.example`]: 201 });
    assert.is((await list(own)).total, round + 1);
  }
  const { accounts } = server.hostkeep.core;
  await accounts.setFeature('polling', 'domains', false);
  await own.asks('GET /api/domains', 403);
  await accounts.setFeature('polling', 'domains', undefined);
  assert.is((await list(own)).total, 5);
});

test('domains go with their account', async () => {
  await adding(await server.user('leaver'), { 'leaver.example': 201 });
  await server.hostkeep.core.accounts.remove('leaver');
  await adding(await server.user('taker'), { 'leaver.example': 201 });
});

test('the list of 360 domains is short over the wire', async () => {
  const { account, token } = await server.user('many');
  await server.hostkeep.core.store.write(async (tx) => {
    for (let i = 0; i < 360; i += 1) {
      const label = `customer-${i}-${(i * 7919) % 1000}`;
      await tx.run(
        `insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at)
          values (?, ?, ?, ?, 1, 'active', '', ?)`,
        account.id,
        `${label}.example`,
        `example.${label}`,
        `${label}.example`,
        Date.now() + i * 86_400_000,
      );
    }
  });
  const { headers, body } = await server.ask<{ total: number }>('/api/domains', {
    token,
    headers: { 'accept-encoding': 'br' },
  });
  assert.equal([body.total, headers.get('content-encoding')], [360, 'br']);
  assert.ok(Number(headers.get('content-length')) <= 8192, headers.get('content-length') ?? '');
});

test('domains come page by page to who asks so, and all at once otherwise', async () => {
  const own = await server.user('paul');
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => `paul-${name}.example`);
  for (const name of all) await adding(own, { [name]: 201 });
  interface Page {
    readonly domains: readonly { readonly domain_url: string }[];
    readonly next_cursor?: string | null;
  }
  const seen: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const line = `GET /api/domains?limit=2&cursor=${cursor}` as const;
    const page: Page = await own.asks<Page>(line, 200, { total: all.length });
    seen.push(pick(page.domains, 'domain_url'));
    cursor = page.next_cursor ?? null;
  }
  assert.equal(seen, [all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  assert.equal(Object.keys(await list(own)), ['domains', 'total', 'domains_limit', 'names_limit']);
});
