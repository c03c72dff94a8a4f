import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import type { DomainPart } from '../../../kernel/contract/points/domain-directory.ts';
import { defineErrors } from '../../../kernel/errors.ts';
import domains from '../../../plugins/domains/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { pick } from '../../support/lists.ts';
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
  readonly error?: string;
}

async function owner(username: string, ...names: string[]) {
  const { account, token } = await server.user(username);
  for (const name of names) {
    const added = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } });
    assert.is(added.status, 201);
  }
  const put = (name: string, what: string, body: object) =>
    server.ask<Entry>(`/api/domains/${encodeURIComponent(name)}/${what}`, { method: 'PUT', token, body });
  return {
    account,
    token,
    suspend: (name: string, suspended: unknown = true) => put(name, 'suspended', { suspended }),
    docroot: (name: string, docroot: unknown) => put(name, 'docroot', { docroot }),
    spell: (name: string, shown_as: unknown) => put(name, 'shown-as', { shown_as }),
    list: async () => (await server.ask<{ domains: Entry[] }>('/api/domains', { token })).body.domains,
    /** The events of its domains, newest first. */
    told: async () => (await server.hostkeep.core.events.page(account.id, '', 0, 20)).lines,
  };
}

// threat other-accounts: nobody changes a domain of another account, or one that is none
test("another account's domain, and what is none, cannot be changed", async () => {
  const [ann, bob] = [await owner('ann', 'ann.example', 'müller.example'), await owner('bob', 'bob.example')];
  for (const name of ['ann.example', 'ann.example\n', 'a\r\nb.example', 'x'.repeat(300), '../bob.example', '*', ' '])
    for (const answer of [
      await bob.suspend(name),
      await bob.docroot(name, 'elsewhere'),
      await bob.spell(name, 'Ann.example'),
    ])
      assert.equal([answer.status, answer.body.error], [404, 'domain_not_found'], JSON.stringify(name));
  assert.equal(pick(await ann.list(), 'suspended'), [false, false]);
  assert.not(existsSync(join(bob.account.filesRoot, 'elsewhere')));
  assert.is((await ann.suspend('ANN.example.')).body.domain_url, 'ann.example', 'in another form it is the same name');
  assert.is((await ann.suspend('MÜLLER.example')).body.domain_url, 'xn--mller-kva.example');
});

test('a domain is suspended and served again, once each', async () => {
  const { suspend, list, told } = await owner('sus', 'sus.example');
  for (const bad of [1, 'true', null]) assert.is((await suspend('sus.example', bad)).body.error, 'invalid_request');
  assert.is((await suspend('sus.example')).body.suspended, true);
  assert.is((await suspend('sus.example')).status, 200);
  assert.is(served.get('sus.example'), '/var/www/html/sus.example suspended');
  assert.equal(pick(await list(), 'suspended'), [true]);
  assert.is((await suspend('sus.example', false)).body.suspended, false);
  assert.is(served.get('sus.example'), '/var/www/html/sus.example');
  const lines = await told();
  assert.match(lines[0] ?? '', /User 'sus' lifted the suspension of the domain sus\.example from IP/);
  assert.match(lines[1] ?? '', /User 'sus' suspended the domain sus\.example from IP/);
  assert.is(lines.filter((line) => / the domain /.test(line)).length, 3);
});

// threat reused-names: what an administrator suspended, its owner neither lifts nor removes and adds again
test('an administrator suspends a domain, which its owner cannot lift', async () => {
  const { token, suspend, list, told } = await owner('held', 'held.example', 'shop.held.example');
  const { token: admin } = await server.admin();
  const hold = (suspended: unknown, name = 'held.example', of = 'held', by = admin) =>
    server.ask<Entry>(`/api/accounts/${of}/domains/${name}/suspended`, {
      ...{ method: 'PUT', address: 'admin', token: by, body: { suspended } },
    });
  assert.is((await hold(true, 'held.example', 'held', token)).status, 401, 'not its owner');
  assert.is((await hold(1)).body.error, 'invalid_request');
  assert.is((await hold(true, 'sus.example')).body.error, 'domain_not_found', 'of another account');
  assert.is((await hold(true, 'held.example', 'nobody')).body.error, 'account_not_found');
  refuseNext();
  assert.is((await hold(true)).body.error, 'webserver_failed');
  assert.is((await list())[0]?.suspended_by_operator, false);

  assert.is((await hold(true)).body.suspended_by_operator, true);
  assert.is((await hold(true)).status, 200, 'once more');
  assert.is(served.get('held.example'), '/var/www/html/held.example suspended');
  await suspend('held.example');
  await suspend('held.example', false);
  assert.is(served.get('held.example'), '/var/www/html/held.example suspended');
  for (const with_subdomains of [true, false]) {
    const body = { domain_url: 'held.example', with_subdomains };
    const removed = await server.ask('/api/domains/delete', { method: 'POST', token, body });
    assert.is(removed.body['error'], with_subdomains ? 'domain_held' : 'domain_has_subdomains');
  }
  assert.is((await hold(false)).body.suspended_by_operator, false);
  assert.is(served.get('held.example'), '/var/www/html/held.example');
  const lines = (await told()).filter((line) => /administrator/.test(line));
  assert.is(lines.length, 2);
  assert.match(
    lines[0] ?? '',
    /User 'held' had the suspension of the domain held\.example lifted by the administrator 'root'/,
  );
});

test('nothing is stored, served or told if the web server refuses', async () => {
  const { suspend, docroot, list, told } = await owner('refused', 'refused.example');
  refuseNext();
  assert.is((await suspend('refused.example')).body.error, 'webserver_failed');
  assert.is(served.get('refused.example'), '/var/www/html/refused.example');
  refuseNext();
  assert.is((await docroot('refused.example', 'other')).body.error, 'webserver_failed');
  assert.is(served.get('refused.example'), '/var/www/html/refused.example');
  const [{ suspended, docroot: kept } = {}] = await list();
  assert.equal(
    [suspended, kept, (await told()).filter((line) => line.includes('refused.example')).length],
    [false, '/var/www/html/refused.example', 1],
  );
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
    assert.is((await docroot('roots.example', bad)).body.error, 'invalid_docroot', JSON.stringify(bad));
  for (const bad of ['', 7, 'a'.repeat(5000)]) assert.is((await docroot('roots.example', bad)).status, 400);
  assert.equal(pick(await list(), 'docroot'), ['/var/www/html/roots.example']);
});

test('another document root is made, served, kept and told; the files before it stay', async () => {
  const { account, docroot, list, told } = await owner('mover', 'mover.example');
  writeFileSync(join(account.filesRoot, 'mover.example/index.html'), 'before');
  const { body } = await docroot('mover.example', '/var/www/html/app/public/');
  assert.is(body.docroot, '/var/www/html/app/public');
  assert.ok(existsSync(join(account.filesRoot, 'app/public')));
  assert.is(readFileSync(join(account.filesRoot, 'mover.example/index.html'), 'utf8'), 'before');
  assert.is(served.get('mover.example'), '/var/www/html/app/public');
  assert.equal(await list(), [body]);
  const [line = ''] = await told();
  assert.match(line, /changed the document root of mover\.example to \/var\/www\/html\/app\/public from IP/);
});

test('the files root is served only for the one domain of an account', async () => {
  const { token, docroot } = await owner('whole', 'whole.example');
  assert.is((await docroot('whole.example', '/')).body.docroot, '/var/www/html');
  assert.is((await docroot('whole.example', 'whole.example')).status, 200);
  const add = { method: 'POST', token, body: { domain_url: 'sub.whole.example' } };
  assert.is((await server.ask('/api/domains/new', add)).status, 201);
  assert.is((await docroot('whole.example', '/')).body.error, 'invalid_docroot');
  assert.is((await docroot('sub.whole.example', '.')).body.error, 'invalid_docroot');
});

test('a domain that is suspended keeps that with another document root', async () => {
  const { suspend, docroot } = await owner('both', 'both.example');
  await suspend('both.example');
  assert.is((await docroot('both.example', 'new')).body.suspended, true);
  assert.is(served.get('both.example'), '/var/www/html/new suspended');
  const answers = await Promise.all([suspend('both.example', false), docroot('both.example', 'last')]);
  assert.equal(pick(answers, 'status'), [200, 200]);
  assert.is(served.get('both.example'), '/var/www/html/last', 'also both at once');
});

test('a domain that is removed during a change is not found, and stays removed', async () => {
  const { token, suspend, list } = await owner('quick', 'quick.example');
  during = async () => {
    during = undefined;
    await server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: 'quick.example' } });
  };
  assert.is((await suspend('quick.example')).body.error, 'domain_not_found');
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
    assert.is((await spell('myshop.example', bad)).body.error, 'invalid_domain', JSON.stringify(bad));
  assert.is((await spell('myshop.example', 'MyShop.example')).body.shown_as, 'MyShop.example');
  assert.is((await spell('bücher.example', 'BÜCHER.example')).body.shown_as, 'BÜCHER.example');
  assert.equal(pick(await list(), 'shown_as'), ['MyShop.example', 'BÜCHER.example']);
  assert.match((await told())[0] ?? '', /chose to write xn--bcher-kva\.example as BÜCHER\.example from IP/);
  assert.is((await spell('myshop.example', 'myshop.example')).body.shown_as, 'myshop.example');
});
