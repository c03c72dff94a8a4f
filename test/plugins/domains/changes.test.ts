import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-part.ts';
import { defineErrors } from '../../../kernel/errors.ts';
import domains from '../../../plugins/domains/index.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { pick } from '../../support/lists.ts';
import type { Outcome } from '../../support/scenario.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('changes of domains');
const refuse = defineErrors({ webserver_failed: [502, 'The web server refused the change'] });

/** What a web server was told, domain by domain, and what it does in the midst of a change. */
const served = new Map<string, string>();
let during: ((domain: DomainPart) => unknown) | undefined;
const webServer = definePlugin({
  name: 'server',
  features: [],
  routes: {},
  setup: ({ gather }) => ({
    handlers: {},
    provides: {
      siteChanged: async (domain) => {
        const [part] = await gather('siteRules', [domain.id]);
        if (part?.ok !== true) throw new Error('no rules');
        await during?.(domain);
        served.set(
          domain.name,
          `${domain.docroot}${part.value.get(domain.id)?.isSuspended === true ? ' suspended' : ''}`,
        );
      },
    },
  }),
});
/** Has the web server refuse the next change. */
const refuseNext = () =>
  void (during = () => {
    during = undefined;
    throw refuse.webserver_failed('the server refuses');
  });

let server: TestServer;
test.before(async () => void (server = await TestServer.start({ plugins: [domains, webServer] })));

interface Entry {
  readonly domain_url: string;
  readonly shown_as: string;
  readonly docroot: string;
  readonly suspended: boolean;
  readonly suspended_by_operator: boolean;
}

/** Somebody with domains, each change of which says what is to come of it. */
async function owner(username: string, ...names: string[]) {
  const own = await server.user(username);
  for (const domain_url of names) await own.asks('POST /api/domains/new', { domain_url }, 201);
  const put = (name: string, what: string, body: object, is: Outcome, has: object = {}) =>
    own.asks(`PUT /api/domains/${encodeURIComponent(name)}/${what}`, body, is, { ...has });
  return {
    ...own,
    suspend: (name: string, suspended: unknown, is: Outcome = 200, has: object = { suspended }) =>
      put(name, 'suspended', { suspended }, is, is === 200 ? has : {}),
    docroot: (name: string, docroot: unknown, is: Outcome = 200, has?: object) =>
      put(name, 'docroot', { docroot }, is, has),
    spell: (name: string, shown_as: unknown, is: Outcome = 200) =>
      put(name, 'shown-as', { shown_as }, is, is === 200 ? { shown_as } : {}),
    list: async () => (await own.asks<{ domains: Entry[] }>('GET /api/domains', 200)).domains,
  };
}

// threat other-accounts: nobody changes a domain of another account, or one that is none
test("another account's domain, and what is none, cannot be changed", async () => {
  const [ann, bob] = [await owner('ann', 'ann.example', 'müller.example'), await owner('bob', 'bob.example')];
  for (const name of ['ann.example', 'ann.example\n', 'a\r\nb.example', 'x'.repeat(300), '../bob.example', '*', ' ']) {
    await bob.suspend(name, true, '404 domain_not_found');
    await bob.docroot(name, 'elsewhere', '404 domain_not_found');
    await bob.spell(name, 'Ann.example', '404 domain_not_found');
  }
  assert.equal(pick(await ann.list(), 'suspended'), [false, false]);
  assert.not(existsSync(join(bob.account.filesRoot, 'elsewhere')));
  await ann.suspend('ANN.example.', true, 200, { domain_url: 'ann.example' }); // in another form it is the same name
  await ann.suspend('MÜLLER.example', true, 200, { domain_url: 'xn--mller-kva.example' });
});

test('a domain is suspended and served again, once each', async () => {
  const { suspend, list, told } = await owner('sus', 'sus.example');
  await suspend('sus.example', true);
  await suspend('sus.example', true);
  assert.is(served.get('sus.example'), '/var/www/html/sus.example suspended');
  assert.equal(pick(await list(), 'suspended'), [true]);
  await suspend('sus.example', false);
  assert.is(served.get('sus.example'), '/var/www/html/sus.example');
  const lines = await told('');
  assert.match(lines[0] ?? '', /User 'sus' lifted the suspension of the domain sus\.example from IP/);
  assert.match(lines[1] ?? '', /User 'sus' suspended the domain sus\.example from IP/);
  assert.is(lines.filter((line) => / the domain /.test(line)).length, 3);
});

// threat reused-names: what an administrator suspended, its owner neither lifts nor removes and adds again
test('an administrator suspends a domain, which its owner cannot lift', async () => {
  const { asks, token, suspend, list, told } = await owner('held', 'held.example', 'shop.held.example');
  const hold = (by: Pick<Person, 'asks'>, suspended: boolean, is: Outcome = 200, of = 'held/domains/held.example') =>
    by.asks(
      `PUT /api/accounts/${of}/suspended`,
      { suspended },
      is,
      is === 200 ? { suspended_by_operator: suspended } : {},
    );
  const admin = await server.admin();
  await hold(server.with(token, 'admin'), true, 401); // its owner
  await hold(admin, true, '404 domain_not_found', 'held/domains/sus.example'); // of another account
  await hold(admin, true, '404 account_not_found', 'nobody/domains/held.example');
  refuseNext();
  await hold(admin, true, '502 webserver_failed');
  assert.is((await list())[0]?.suspended_by_operator, false);

  await hold(admin, true);
  await hold(admin, true); // once more
  assert.is(served.get('held.example'), '/var/www/html/held.example suspended');
  await suspend('held.example', true);
  await suspend('held.example', false);
  assert.is(served.get('held.example'), '/var/www/html/held.example suspended');
  for (const [with_subdomains, is] of [
    [true, '409 domain_held'],
    [false, '409 domain_has_subdomains'],
  ] as const)
    await asks('POST /api/domains/delete', { domain_url: 'held.example', with_subdomains }, is);
  await hold(admin, false);
  assert.is(served.get('held.example'), '/var/www/html/held.example');
  const lines = await told('administrator');
  assert.is(lines.length, 2);
  assert.match(
    lines[0] ?? '',
    /User 'held' had the suspension of the domain held\.example lifted by the administrator 'root'/,
  );
});

test('nothing is stored, served or told if the web server refuses', async () => {
  const { suspend, docroot, list, told } = await owner('refused', 'refused.example');
  refuseNext();
  await suspend('refused.example', true, '502 webserver_failed');
  assert.is(served.get('refused.example'), '/var/www/html/refused.example');
  refuseNext();
  await docroot('refused.example', 'other', '502 webserver_failed');
  assert.is(served.get('refused.example'), '/var/www/html/refused.example');
  const [{ suspended, docroot: kept } = {}] = await list();
  assert.equal([suspended, kept, (await told('refused.example')).length], [false, '/var/www/html/refused.example', 1]);
});

test('document roots outside, through links or over files stay refused', async () => {
  const { account, docroot, list } = await owner('roots', 'roots.example');
  writeFileSync(join(account.filesRoot, 'plain'), 'x');
  mkdirSync(join(account.filesRoot, 'folder'));
  symlinkSync('/etc', join(account.filesRoot, 'link'));
  for (const bad of [
    '../x',
    '/etc',
    '/var/www/html/../../x',
    'a/../../b',
    'a\u0000b',
    'a\nb',
    'plain',
    'plain/x',
    'link/x',
  ])
    await docroot('roots.example', bad, '400 invalid_docroot');
  for (const bad of ['', 'a'.repeat(5000)]) await docroot('roots.example', bad, '400 invalid_request');
  assert.equal(pick(await list(), 'docroot'), ['/var/www/html/roots.example']);
});

test('another document root is made, served, kept and told; the files before it stay', async () => {
  const { account, docroot, list, told } = await owner('mover', 'mover.example');
  writeFileSync(join(account.filesRoot, 'mover.example/index.html'), 'before');
  const moved = { docroot: '/var/www/html/app/public' };
  const body = await docroot('mover.example', '/var/www/html/app/public/', 200, moved);
  assert.ok(existsSync(join(account.filesRoot, 'app/public')));
  assert.is(readFileSync(join(account.filesRoot, 'mover.example/index.html'), 'utf8'), 'before');
  assert.is(served.get('mover.example'), '/var/www/html/app/public');
  assert.equal(await list(), [body]);
  const [line = ''] = await told('');
  assert.match(line, /changed the document root of mover\.example to \/var\/www\/html\/app\/public from IP/);
});

test('the files root is served only for the one domain of an account', async () => {
  const { asks, docroot } = await owner('whole', 'whole.example');
  await docroot('whole.example', '/', 200, { docroot: '/var/www/html' });
  await docroot('whole.example', 'whole.example');
  await asks('POST /api/domains/new', { domain_url: 'sub.whole.example' }, 201);
  await docroot('whole.example', '/', '400 invalid_docroot');
  await docroot('sub.whole.example', '.', '400 invalid_docroot');
});

test('a domain that is suspended keeps that with another document root', async () => {
  const { suspend, docroot } = await owner('both', 'both.example');
  await suspend('both.example', true);
  await docroot('both.example', 'new', 200, { suspended: true });
  assert.is(served.get('both.example'), '/var/www/html/new suspended');
  await Promise.all([suspend('both.example', false), docroot('both.example', 'last')]);
  assert.is(served.get('both.example'), '/var/www/html/last', 'also both at once');
});

test('a domain that is removed during a change is not found, and stays removed', async () => {
  const { asks, suspend, list } = await owner('quick', 'quick.example');
  during = async () => {
    during = undefined;
    await asks('POST /api/domains/delete', { domain_url: 'quick.example' }, 200);
  };
  await suspend('quick.example', true, '404 domain_not_found');
  assert.equal(await list(), []);
});

test('a name is shown in the case that its owner chose, and never as another name', async () => {
  const { spell, list, told } = await owner('case', 'myshop.example', 'bücher.example');
  assert.equal(pick(await list(), 'shown_as'), ['myshop.example', 'bücher.example']);
  for (const bad of [
    'other.example',
    'myshop.example.',
    ' myshop.example',
    'mуshop.example',
    'ｍyshop.example',
    '<b>',
    'a\nb',
  ])
    await spell('myshop.example', bad, '400 invalid_domain');
  await spell('myshop.example', 'MyShop.example');
  await spell('bücher.example', 'BÜCHER.example');
  assert.equal(pick(await list(), 'shown_as'), ['MyShop.example', 'BÜCHER.example']);
  assert.match((await told(''))[0] ?? '', /chose to write xn--bcher-kva\.example as BÜCHER\.example from IP/);
  await spell('myshop.example', 'myshop.example');
});
