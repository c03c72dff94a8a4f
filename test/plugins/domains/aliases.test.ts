import * as assert from '../../support/assert.ts';
import domains from '../../../plugins/domains/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { pick } from '../../support/lists.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('aliases of domains');

const webServer = new NotedWebServer();
/** Returns at which further names a domain is served, but for its `www.`. */
const served = (name: string) => namesOf(name).filter((each) => each !== `www.${name}`);
const namesOf = (name: string) => webServer.served(name)?.names ?? [];

let server: TestServer;
test.before(async () => {
  server = await TestServer.start({
    plugins: [domains, webServer.plugin],
    config: { domains: { forbidden: ['localhost', 'verboten.example'], panel_hosts: ['panel.node.test'] } },
  });
});

interface Entry {
  readonly domain_url: string;
  readonly aliases: readonly string[];
  readonly error?: string;
}

async function owner(username: string, domain: string, plan?: string) {
  const { account, token } = await server.user(username, plan);
  const post = (path: string, body: object) => server.ask<Entry>(path, { method: 'POST', token, body });
  assert.is((await post('/api/domains/new', { domain_url: domain })).status, 201);
  return {
    account,
    addDomain: async (domain_url: string) => (await post('/api/domains/new', { domain_url })).body.error ?? 'added',
    removeDomain: async (domain_url: string) => (await post('/api/domains/delete', { domain_url })).body.error,
    add: async (alias: unknown, domain_url = domain) => (await post('/api/aliases', { domain_url, alias })).body,
    remove: async (alias: string) =>
      (await server.ask<Entry>(`/api/aliases/${encodeURIComponent(alias)}`, { method: 'DELETE', token })).body,
    list: async () => (await server.ask<{ domains: Entry[] }>('/api/domains', { token })).body.domains,
  };
}

// threat shell-injection: an alias is a name that may be added as a domain, and nothing else
test('what may not be added as a domain is no alias either', async () => {
  const { add, list } = await owner('names', 'names.example');
  for (const bad of [
    'example',
    '127.0.0.1',
    '*.example.com',
    'co.uk',
    'foo.localhost',
    'a.VERBOTEN.example.',
    'x.panel.node.test',
    'a.example b.example',
    'a.example;',
    'a.example {',
    '"a.example"',
    '$host.example',
    'a.example\nb.example',
    'a.example\r\n',
    '~^(.*)$',
    '_.example',
    'http://a.example',
  ])
    assert.is((await add(bad)).error, 'invalid_domain', JSON.stringify(bad));
  for (const bad of ['', 7, 'a'.repeat(2000)]) assert.is((await add(bad)).error, 'invalid_request');
  assert.equal(pick(await list(), 'aliases'), [[]]);
});

// threat other-accounts: a name belongs to one account, whether as a domain or as an alias
test('names of other accounts, and names above and below them, are refused', async () => {
  const [ann, bob] = [await owner('ann', 'ann.example'), await owner('bob', 'bob.example')];
  assert.equal((await ann.add('Ann-Too.example.')).aliases, ['ann-too.example']);
  for (const taken of ['ann.example', 'sub.ann.example', 'ann-too.example', 'ANN-TOO.example.', 'x.ann-too.example'])
    for (const refused of [(await bob.add(taken)).error, await bob.addDomain(taken)])
      assert.is(refused, 'domain_exists', taken);
  await bob.add('deep.below.example');
  assert.is(await ann.addDomain('below.example'), 'domain_exists', 'a domain above an alias of somebody else');
  assert.is((await bob.add('other.example', 'ann.example')).error, 'domain_not_found');
  assert.is((await bob.remove('ann-too.example')).error, 'alias_not_found');
  assert.is((await ann.add('ann-too.example')).error, 'domain_exists', 'twice');
  assert.is((await ann.add('ann.example')).error, 'domain_exists', 'the domain itself');
  assert.is(await ann.addDomain('ann-too.example'), 'domain_exists');
});

test('of two accounts that ask for one alias at once exactly one gets it', async () => {
  const both = [await owner('first', 'first.example'), await owner('second', 'second.example')];
  const answers = await Promise.all([
    ...both.map(({ add }) => add('wanted.example')),
    both[0]?.addDomain('wanted.example'),
  ]);
  const got = answers.filter((each) => each === 'added' || (typeof each === 'object' && each.error === undefined));
  assert.is(got.length, 1);
  const names = (await Promise.all(both.map(({ list }) => list()))).flat();
  const kept = names
    .flatMap(({ domain_url: name, aliases }) => [name, ...aliases])
    .filter((name) => name === 'wanted.example');
  assert.is(kept.length, 1);
  for (const { domain_url: name, aliases } of names) assert.equal(served(name), aliases, 'what lost is not served');
});

// threat crowding-out: aliases count against the names of the plan, but not as domains
test('an alias counts as a name and not as a domain', async () => {
  const limits = { domains_limit: 1, names_limit: 3 };
  await server.hostkeep.core.plans.create('small', { limits }, ['domains']);
  const { add, remove, addDomain } = await owner('small', 'small.example', 'small');
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(`${name}-small.example`)));
  assert.equal(answers.map(({ error = 'added' }) => error).toSorted(), [
    'added',
    'added',
    'names_limit_reached',
    'names_limit_reached',
  ]);
  assert.is(await addDomain('sub.small.example'), 'names_limit_reached');
  const [alias = ''] = served('small.example');
  await remove(alias);
  assert.is(await addDomain('sub.small.example'), 'added');
});

test('an alias is served, listed, told and removed, or goes with its domain', async () => {
  const { account, add, remove, list, removeDomain, addDomain } = await owner('life', 'life.example');
  assert.equal((await add('z-life.example')).aliases, ['z-life.example']);
  assert.equal((await add('leben-ü.example')).aliases, ['xn--leben--8ya.example', 'z-life.example']);
  assert.equal(served('life.example'), ['xn--leben--8ya.example', 'z-life.example']);
  assert.equal((await remove('Leben-Ü.example.')).aliases, ['z-life.example']);
  assert.equal(served('life.example'), ['z-life.example']);
  assert.equal(pick(await list(), 'aliases'), [['z-life.example']]);
  const { lines } = await server.hostkeep.core.events.page(account.id, 'alias', 0, 5);
  assert.match(lines[0] ?? '', /User 'life' removed the alias xn--leben--8ya\.example of life\.example from IP/);
  assert.match(lines[1] ?? '', /added the alias xn--leben--8ya\.example of life\.example/);
  assert.is(await removeDomain('life.example'), undefined);
  assert.is(await addDomain('z-life.example'), 'added', 'its name is free again');
});

test('nothing is stored or served if the web server refuses', async () => {
  const { add, remove, list } = await owner('refused', 'refused.example');
  await add('kept.example');
  webServer.refusesNext = true;
  assert.is((await add('lost.example')).error, 'webserver_failed');
  webServer.refusesNext = true;
  assert.is((await remove('kept.example')).error, 'webserver_failed');
  assert.equal([pick(await list(), 'aliases'), served('refused.example')], [[['kept.example']], ['kept.example']]);
});

test('administrators find a domain by part of an alias', async () => {
  const { add } = await owner('findable', 'findable.example');
  await add('seek-me.example');
  const { token } = await server.admin();
  const found = await server.ask<{ domains: Entry[] }>('/api/domains?q=seek-m', { address: 'admin', token });
  assert.equal(pick(found.body.domains, 'domain_url'), ['findable.example']);
});

test('a site has the name with www unless another one of the account has it', async () => {
  const { add, addDomain, remove } = await owner('wide', 'wide.example');
  await addDomain('other.example');
  await add('wide-too.example');
  assert.equal(namesOf('wide.example'), ['www.wide.example', 'wide-too.example']);
  await add('www.wide.example', 'other.example');
  assert.equal(namesOf('wide.example'), ['wide-too.example']);
  assert.equal(namesOf('other.example'), ['www.other.example', 'www.wide.example']);
  webServer.refusesNext = true;
  assert.is((await remove('www.wide.example')).error, 'webserver_failed');
  assert.equal(namesOf('wide.example'), ['wide-too.example']);
  await remove('www.wide.example');
  assert.equal(namesOf('wide.example'), ['www.wide.example', 'wide-too.example']);
  await add('www.wide.example');
  assert.equal(namesOf('wide.example'), ['wide-too.example', 'www.wide.example'], 'as an alias of its own, once');
});
