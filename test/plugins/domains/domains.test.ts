import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
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

interface Problem {
  error?: string;
  feature?: string;
  detail?: string;
  subdomains?: string[];
}
interface Entry extends Problem {
  domain_id: number;
  domain_url: string;
  docroot: string;
  created_at: string;
}

test('administrators find the owner of a domain by part of its name, page by page', async () => {
  const [{ token: admin }, { account, token }, { token: other }] = [
    await server.admin(),
    await server.user('finder'),
    await server.user('found'),
  ];
  for (const name of ['bücher.find.example', 'b.find.example', 'nothing.example']) await add(token, name);
  await add(other, 'a.find-me.example');
  interface Page {
    readonly domains: readonly { readonly domain_url: string; readonly username: string; readonly user_id: number }[];
    readonly next_cursor: string | null;
  }
  const find = (query: string) => server.ask<Page>(`/api/domains?${query}`, { address: 'admin', token: admin });
  assert.equal(
    (await find('q=FIND')).body.domains.map(({ domain_url: name, username }) => `${name} ${username}`),
    ['a.find-me.example found', 'b.find.example finder', 'xn--bcher-kva.find.example finder'],
  );
  assert.is((await find(`q=${encodeURIComponent('Bücher')}`)).body.domains[0]?.user_id, account.id);
  const first = (await find('q=find&limit=2')).body;
  assert.equal([first.domains.length, first.next_cursor], [2, 'b.find.example']);
  const last = (await find(`q=find&limit=2&cursor=${first.next_cursor}`)).body;
  assert.equal(
    [last.domains.map(({ domain_url: name }) => name), last.next_cursor],
    [['xn--bcher-kva.find.example'], null],
  );
  assert.equal((await find('q=%25')).body, { domains: [], next_cursor: null });
});

const add = (token: string, domain_url: unknown, docroot?: unknown) =>
  server.ask<Entry>('/api/domains/new', {
    method: 'POST',
    token,
    body: { domain_url, ...(docroot === undefined ? {} : { docroot }) },
  });
const remove = (token: string, domain_url: unknown, more: object = {}) =>
  server.ask<Problem>('/api/domains/delete', { method: 'POST', token, body: { domain_url, ...more } });
const list = async (token: string) =>
  (await server.ask<{ domains: Entry[]; total: number }>('/api/domains', { token })).body;
const names = async (token: string) => (await list(token)).domains.map((each) => each.domain_url);

test('names that are none, suffixes, forbidden names and the panel itself are refused', async () => {
  const { account, token } = await server.user('names');
  const bad = [
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
  ];
  for (const name of bad) {
    const { status, body } = await add(token, name);
    assert.is(status, 400, name);
    assert.is(body.error, 'invalid_domain', name);
  }
  for (const body of [
    {},
    { domain_url: 5 },
    { domain_url: '' },
    { domain_url: 'a'.repeat(2000) },
    { domain_url: 'a.example', docroot: 7 },
    [],
  ]) {
    assert.is(
      (await server.ask<Problem>('/api/domains/new', { method: 'POST', token, body })).body.error,
      'invalid_request',
    );
  }
  assert.equal(await names(token), []);
  assert.not(existsSync(account.filesRoot), 'a refused domain makes no folder');
});

test('names of well-known mail and login services are refused by default', async () => {
  const plain = await TestServer.start();
  const named = await plain.user('names');
  const addPlain = async (domain_url: string) =>
    (await plain.ask('/api/domains/new', { method: 'POST', token: named.token, body: { domain_url } })).body['error'];
  for (const name of ['google.com', 'mail.google.com', 'GMAIL.com'])
    assert.is(await addPlain(name), 'invalid_domain', name);
  assert.is(await addPlain('google.example'), undefined);
  const { token } = await server.user('lister');
  assert.is((await add(token, 'google.com')).status, 201);
});

test('document roots outside, through links or over files are refused', async () => {
  const { account, token } = await server.user('roots');
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
  ]) {
    const { status, body } = await add(token, 'roots.example', docroot);
    assert.is(status, 400, JSON.stringify(docroot));
    assert.is(body.error, 'invalid_docroot', JSON.stringify(docroot));
  }
  assert.equal(readdirSync(elsewhere), []);
  assert.equal(await names(token), []);
});

test('a domain is added with its folder, listed by name and logged', async () => {
  const { account, token } = await server.user('adder');
  const { status, body } = await add(token, 'Zoo.Example.');
  assert.is(status, 201);
  assert.is(body.domain_url, 'zoo.example');
  assert.is(body.docroot, '/var/www/html/zoo.example');
  assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(existsSync(join(account.filesRoot, 'zoo.example')));
  assert.is(
    (await add(token, 'bücher.example', '/var/www/html/shop/public/')).body.docroot,
    '/var/www/html/shop/public',
  );
  assert.is(
    (await add(token, 'ape.example', 'shop/public')).body.docroot,
    '/var/www/html/shop/public',
    'an existing folder, also of another domain, is fine',
  );
  const { domains, total } = await list(token);
  assert.is(total, 3);
  assert.equal(
    domains.map((each) => each.domain_url),
    ['ape.example', 'xn--bcher-kva.example', 'zoo.example'],
  );
  assert.equal(domains[2], body);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'domain', 0, 10);
  assert.match(lines[2] ?? '', /User 'adder' added the domain zoo\.example from IP 127\.0\.0\.1$/);
});

test('only the first domain of an account may be served from the files root', async () => {
  const { token } = await server.user('rooted');
  for (const docroot of ['/var/www/html', '/var/www/html/', '/', '.']) {
    assert.is((await add(token, 'root.example', docroot)).body.docroot, '/var/www/html', docroot);
    assert.is((await remove(token, 'root.example')).status, 200);
  }
  assert.is((await add(token, 'shop.example')).status, 201);
  for (const docroot of ['/var/www/html', '/', './']) {
    const { status, body } = await add(token, 'root.example', docroot);
    assert.is(status, 400, docroot);
    assert.is(body.error, 'invalid_docroot');
  }
  await remove(token, 'shop.example');
  const both = await Promise.all([add(token, 'root.example', '/'), add(token, 'roots.example', '/')]);
  assert.equal(both.map(({ status }) => status).toSorted(), [201, 400], 'also of two at once');
});

test('a name can be taken only once, by any account and in any form', async () => {
  const [first, second] = [await server.user('owner'), await server.user('rival')];
  await add(first.token, 'müller.example');
  for (const name of ['müller.example', 'XN--MLLER-KVA.example.', 'shop.müller.example', 'a.b.xn--mller-kva.example']) {
    const { status, body } = await add(second.token, name);
    assert.is(status, 409, name);
    assert.is(body.error, 'domain_exists', name);
  }
  const repeated = (await add(first.token, 'müller.example')).body;
  assert.equal([repeated.error, repeated.detail], ['domain_exists', 'you have xn--mller-kva.example already']);
  assert.is((await add(first.token, 'shop.müller.example')).status, 201);
  await add(first.token, 'deep.below.example');
  assert.is(
    (await add(second.token, 'below.example')).body.error,
    'domain_exists',
    "a domain above somebody else's is taken alike",
  );
  assert.is((await add(second.token, 'deep-below.example')).status, 201, 'labels count, not letters');
  assert.is((await add(second.token, 'low.example')).status, 201);
  assert.equal(await names(second.token), ['deep-below.example', 'low.example']);
});

// threat shared-cache: no account sees or deletes another's domains
// asvs 8.2.2: domains of another account cannot be named
test("one account cannot see or delete what is another's", async () => {
  const [mine, other] = [await server.user('mine'), await server.user('theirs')];
  await add(mine.token, 'private.example');
  for (const name of ['private.example', 'unknown.example', 'not a name']) {
    const { status, body } = await remove(other.token, name);
    assert.is(status, 404, name);
    assert.is(body.error, 'domain_not_found');
  }
  assert.equal(await names(other.token), []);
  assert.equal(await names(mine.token), ['private.example']);
});

test('deleting frees the name, keeps the files and is done once', async () => {
  const { account, token } = await server.user('eraser');
  await add(token, 'gone.example');
  writeFileSync(join(account.filesRoot, 'gone.example/index.html'), 'hello');
  const { status, body } = await remove(token, 'GONE.example.');
  assert.is(status, 200);
  assert.equal(body, { domain_url: 'gone.example', deleted: true });
  assert.is((await remove(token, 'gone.example')).status, 404);
  assert.is(readFileSync(join(account.filesRoot, 'gone.example/index.html'), 'utf8'), 'hello');
  assert.equal(await names(token), []);
  assert.is((await add((await server.user('heir')).token, 'gone.example')).status, 201);
});

test('domains are grouped by suffix', async () => {
  const { token } = await server.user('grouped');
  for (const name of ['mail.grouped.co.uk', 'grouped.co.uk', 'x.mail.grouped.co.uk', 'grouped.github.io'])
    assert.is((await add(token, name)).status, 201, name);
  const { body } = await server.ask('/api/docker_domains', { token });
  assert.equal(body, {
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

async function limited(
  username: string,
  domainsLimit: number,
  more: { names_limit?: number } = {},
): Promise<{ account: Account; token: string }> {
  const { plans } = server.hostkeep.core;
  const { features, limits } = await plans.get('standard');
  const own = { ...limits, domains_limit: domainsLimit, ...more };
  await plans.create(`limit_${username}`, { limits: own }, [...features]);
  return server.user(username, `limit_${username}`);
}

test('the limit counts domains, not subdomains of own ones', async () => {
  const { account, token } = await limited('limited', 2);
  const status = async (name: string) => (await add(token, name)).status;
  assert.is(await status('sub.one.example'), 201);
  assert.is(await status('two.example'), 201);
  const refused = await add(token, 'three.example');
  assert.is(refused.status, 409);
  assert.is(refused.body.error, 'domain_limit_reached');
  assert.not(existsSync(join(account.filesRoot, 'three.example')));
  assert.is(await status('one.example'), 201, 'takes the place of its own subdomain');
  assert.is(await status('a.two.example'), 201);
  assert.is(await status('a-b.two.example'), 201);
  assert.is(await status('c.a.two.example'), 201);
  assert.is(await status('three.example'), 409);
  assert.is((await remove(token, 'two.example')).status, 409, 'what is below it would count');
  assert.is(await status('three.example'), 409);
  assert.is((await remove(token, 'two.example', { with_subdomains: true })).status, 200);
  assert.is(await status('three.example'), 201);
  assert.equal(await names(token), ['one.example', 'sub.one.example', 'three.example']);
});

test("the list shows the plan's limits from the next request on", async () => {
  const { token } = await limited('teller', 3, { names_limit: 7 });
  const limits = async () => {
    const { body } = await server.ask<{ domains_limit: number; names_limit: number }>('/api/domains', { token });
    return [body.domains_limit, body.names_limit];
  };
  assert.equal(await limits(), [3, 7]);
  await server.hostkeep.core.plans.update('limit_teller', { limits: { domains_limit: 0 } });
  assert.equal(await limits(), [0, 7]);
  await server.hostkeep.core.accounts.update('teller', { plan: null });
  assert.is((await server.ask('/api/domains', { token })).status, 403);
});

test('a domain is deleted after its subdomains, or with them, so that the limit holds', async () => {
  const { account, token } = await limited('pruner', 1);
  for (const name of ['top.example', 'b.top.example', 'a.b.top.example', 'c.top.example'])
    assert.is((await add(token, name)).status, 201, name);
  assert.is((await add((await server.user('neighbour')).token, 'top-b.example')).status, 201);
  const refused = await remove(token, 'top.example');
  assert.is(refused.status, 409);
  assert.is(refused.body.error, 'domain_has_subdomains');
  assert.match(refused.body.detail ?? '', /a\.b\.top\.example, b\.top\.example and c\.top\.example/);
  assert.equal(refused.body.subdomains, ['a.b.top.example', 'b.top.example', 'c.top.example']);
  assert.is((await remove(token, 'b.top.example', { with_subdomains: false })).body.error, 'domain_has_subdomains');
  assert.is((await remove(token, 'top.example', { with_subdomains: 'yes' })).status, 400);
  assert.is((await list(token)).total, 4);
  assert.is((await add(token, 'other.example')).body.error, 'domain_limit_reached');
  assert.equal((await remove(token, 'B.top.example.', { with_subdomains: true })).body, {
    domain_url: 'b.top.example',
    deleted: true,
  });
  assert.equal(await names(token), ['c.top.example', 'top.example']);
  assert.is((await remove(token, 'c.top.example')).status, 200, 'one by one, from below');
  assert.is((await remove(token, 'top.example', { with_subdomains: true })).status, 200, 'also where there are none');
  assert.is((await add(token, 'other.example')).status, 201);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'removed', 0, 10);
  assert.equal(lines.map((line) => /removed the domain (\S+)/.exec(line)?.[1]).toSorted(), [
    'a.b.top.example',
    'b.top.example',
    'c.top.example',
    'top.example',
  ]);
});

// threat race-conditions: deletions and additions below a domain do not exceed the limit
test('subdomains that are added while their parent is deleted never exceed the limit', async () => {
  const { token } = await limited('shuffler', 1);
  for (let round = 0; round < 8; round += 1) {
    assert.is((await add(token, 'mix.example')).status, 201);
    await Promise.all([
      ...['a', 'b'].map((label) => add(token, `${label}.mix.example`)),
      remove(token, 'mix.example', { with_subdomains: round % 2 === 0 }),
      ...['c', 'd'].map((label) => add(token, `${label}.mix.example`)),
    ]);
    const { body } = await server.ask<{ maindomains: unknown[] }>('/api/docker_domains', { token });
    assert.ok(body.maindomains.length <= 1, `round ${round}: ${(await names(token)).join(' ')}`);
    for (const name of (await names(token)).toSorted((a, b) => b.length - a.length)) await remove(token, name);
  }
});

// threat race-conditions: concurrent requests do not exceed the limit of domains
// asvs 2.3.2: concurrent requests do not exceed a limit of the plan
test('20 requests at once never exceed the limit', async () => {
  const { token } = await limited('racer', 3);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => add(token, `race-${i}.example`)));
  assert.is(answers.filter(({ status }) => status === 201).length, 3);
  assert.is(answers.filter(({ body }) => body.error === 'domain_limit_reached').length, 17);
  assert.is((await list(token)).total, 3);
});

// threat race-conditions: concurrent requests do not exceed the limit of names
test('every name counts against its own limit, also of many at once', async () => {
  const { account, token } = await limited('namer', 2, { names_limit: 5 });
  assert.is((await add(token, 'name.example')).status, 201);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => add(token, `n${i}.name.example`)));
  assert.is(answers.filter(({ status }) => status === 201).length, 4);
  const refused = answers.filter(({ body }) => body.error === 'names_limit_reached');
  assert.is(refused.length, 16);
  assert.is(refused[0]?.status, 409);
  assert.is((await add(token, 'second.example')).body.error, 'names_limit_reached');
  assert.not(existsSync(join(account.filesRoot, 'second.example')));
  await remove(token, (await names(token)).find((name) => name.startsWith('n')) ?? '');
  assert.is((await add(token, 'second.example')).status, 201);
  await server.hostkeep.core.plans.update('limit_namer', { limits: { names_limit: 0 } });
  assert.is((await add(token, 'more.name.example')).status, 201, '0 is unlimited');
});

// threat race-conditions: of two accounts, one gets a contested name
// asvs 2.3.4: a domain cannot be taken twice
test('of two accounts that ask for one name at once exactly one gets it', async () => {
  const [one, two] = [await server.user('twin_a'), await server.user('twin_b')];
  for (let round = 0; round < 10; round += 1) {
    const name = `twin-${round}.example`;
    const answers = await Promise.all([add(one.token, name), add(two.token, round % 2 === 0 ? name : `sub.${name}`)]);
    assert.equal(answers.map(({ status }) => status).toSorted(), [201, 409]);
  }
  assert.is((await list(one.token)).total + (await list(two.token)).total, 10);
});

test('a list is new after every change, and a toggle holds from the next request on', async () => {
  const { account, token } = await server.user('polling');
  for (let round = 0; round < 5; round += 1) {
    await add(token, `poll-${round}.example`);
    assert.is((await list(token)).total, round + 1);
  }
  const { accounts } = server.hostkeep.core;
  await accounts.setFeature(account.username, 'domains', false);
  assert.is((await server.ask('/api/domains', { token })).status, 403);
  await accounts.setFeature(account.username, 'domains', undefined);
  assert.is((await list(token)).total, 5);
});

test('domains go with their account', async () => {
  const { account, token } = await server.user('leaver');
  await add(token, 'leaver.example');
  await server.hostkeep.core.accounts.remove(account.username);
  assert.is((await add((await server.user('taker')).token, 'leaver.example')).status, 201);
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
  const { token } = await server.user('paul');
  const names = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'].map((name) => `paul-${name}`);
  for (const domain_url of names) {
    const { status } = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url } });
    assert.is(status, 201);
  }
  interface Page {
    readonly domains: readonly { readonly domain_url: string }[];
    readonly total: number;
    readonly next_cursor?: string | null;
  }
  const page = async (query: string) => (await server.ask<Page>(`/api/domains${query}`, { token })).body;
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { domains, total, next_cursor: next = null }: Page = await page(`?limit=2&cursor=${cursor}`);
    assert.is(total, names.length);
    assert.ok(domains.length <= 2);
    seen.push(...domains.map(({ domain_url: name }) => name));
    cursor = next;
  }
  assert.equal(seen, names);
  assert.equal(Object.keys(await page('')), ['domains', 'total', 'domains_limit', 'names_limit']);
  assert.is((await server.ask('/api/domains?limit=0', { token })).status, 400);
});
