import * as assert from '../../support/assert.ts';
import { MOST_NAMES } from '../../../kernel/contract/points/web-server-part.ts';
import domains from '../../../plugins/domains/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { counted, pick } from '../../support/lists.ts';
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
}

/** Somebody with a domain, to whose changes the server answers so. */
async function owner(username: string, domain: string, plan?: string) {
  const { asks, tries, told } = await server.user(username, plan);
  await asks('POST /api/domains/new', { domain_url: domain }, 201);
  return {
    told,
    addDomain: (domain_url: string) => tries('POST /api/domains/new', { domain_url }),
    removeDomain: (domain_url: string) => tries('POST /api/domains/delete', { domain_url }),
    add: (alias: string, domain_url = domain) => tries('POST /api/aliases', { domain_url, alias }),
    remove: (alias: string) => tries(`DELETE /api/aliases/${encodeURIComponent(alias)}`),
    list: async () => (await asks<{ domains: Entry[] }>('GET /api/domains', 200)).domains,
  };
}
const aliases = async ({ list }: Pick<Awaited<ReturnType<typeof owner>>, 'list'>) => pick(await list(), 'aliases');

// threat shell-injection: an alias is a name that may be added as a domain, and nothing else
test('what may not be added as a domain is no alias either', async () => {
  const names = await owner('names', 'names.example');
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
    assert.is(await names.add(bad), '400 invalid_domain', JSON.stringify(bad));
  for (const bad of ['', 'a'.repeat(2000)]) assert.is(await names.add(bad), '400 invalid_request');
  assert.equal(await aliases(names), [[]]);
});

// threat other-accounts: a name belongs to one account, whether as a domain or as an alias
test('names of other accounts, and names above and below them, are refused', async () => {
  const [ann, bob] = [await owner('ann', 'ann.example'), await owner('bob', 'bob.example')];
  assert.equal([await ann.add('Ann-Too.example.'), await aliases(ann)], [201, [['ann-too.example']]]);
  const taken = '409 domain_exists';
  for (const name of ['ann.example', 'sub.ann.example', 'ann-too.example', 'ANN-TOO.example.', 'x.ann-too.example'])
    assert.equal([await bob.add(name), await bob.addDomain(name)], [taken, taken], name);
  await bob.add('deep.below.example');
  assert.is(await ann.addDomain('below.example'), taken, 'a domain above an alias of somebody else');
  assert.is(await bob.add('other.example', 'ann.example'), '404 domain_not_found');
  assert.is(await bob.remove('ann-too.example'), '404 alias_not_found');
  assert.is(await ann.add('ann-too.example'), taken, 'twice');
  assert.is(await ann.add('ann.example'), taken, 'the domain itself');
  assert.is(await ann.addDomain('ann-too.example'), taken);
});

test('of two accounts that ask for one alias at once exactly one gets it', async () => {
  const both = [await owner('first', 'first.example'), await owner('second', 'second.example')];
  const outcomes = await Promise.all([
    ...both.map(({ add }) => add('wanted.example')),
    both[0]?.addDomain('wanted.example'),
  ]);
  assert.is(outcomes.filter((each) => each === 201).length, 1);
  const names = (await Promise.all(both.map(({ list }) => list()))).flat();
  const kept = names
    .flatMap(({ domain_url: name, aliases }) => [name, ...aliases])
    .filter((name) => name === 'wanted.example');
  assert.is(kept.length, 1);
  for (const { domain_url: name, aliases } of names) assert.equal(served(name), aliases, 'what lost is not served');
});

// threat crowding-out: all names of a site stand in one file of the web server, whatever the plan allows
test('a domain has fifty aliases at most', async () => {
  await server.hostkeep.core.plans.create('endless', { limits: { names_limit: 0 } }, ['domains']);
  const { add, remove } = await owner('many', 'many.example', 'endless');
  for (let i = 0; i < MOST_NAMES; i += 1) assert.is(await add(`many-${i}.example`), 201);
  assert.is(await add('one-more.example'), '409 aliases_limit_reached');
  assert.is(served('many.example').length, MOST_NAMES);
  await remove('many-7.example');
  assert.is(await add('one-more.example'), 201);
});

// threat crowding-out: aliases count against the names of the plan, but not as domains
test('an alias counts as a name and not as a domain', async () => {
  const limits = { domains_limit: 1, names_limit: 3 };
  await server.hostkeep.core.plans.create('small', { limits }, ['domains']);
  const { add, remove, addDomain } = await owner('small', 'small.example', 'small');
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(`${name}-small.example`)));
  assert.equal(counted(outcomes), { 201: 2, '409 names_limit_reached': 2 });
  assert.is(await addDomain('sub.small.example'), '409 names_limit_reached');
  const [alias = ''] = served('small.example');
  await remove(alias);
  assert.is(await addDomain('sub.small.example'), 201);
});

test('an alias is served, listed, told and removed, or goes with its domain', async () => {
  const life = await owner('life', 'life.example');
  for (const [change, alias, left] of [
    ['add', 'z-life.example', ['z-life.example']],
    ['add', 'leben-ü.example', ['xn--leben--8ya.example', 'z-life.example']],
    ['remove', 'Leben-Ü.example.', ['z-life.example']],
  ] as const) {
    assert.is(await life[change](alias), change === 'add' ? 201 : 200, alias);
    assert.equal([await aliases(life), served('life.example')], [[left], left], alias);
  }
  const lines = await life.told('alias');
  assert.match(lines[0] ?? '', /User 'life' removed the alias xn--leben--8ya\.example of life\.example from IP/);
  assert.match(lines[1] ?? '', /added the alias xn--leben--8ya\.example of life\.example/);
  assert.is(await life.removeDomain('life.example'), 200);
  assert.is(await life.addDomain('z-life.example'), 201, 'its name is free again');
});

test('nothing is stored or served if the web server refuses', async () => {
  const refused = await owner('refused', 'refused.example');
  await refused.add('kept.example');
  webServer.refusesNext = true;
  assert.is(await refused.add('lost.example'), '502 webserver_failed');
  webServer.refusesNext = true;
  assert.is(await refused.remove('kept.example'), '502 webserver_failed');
  assert.equal([await aliases(refused), served('refused.example')], [[['kept.example']], ['kept.example']]);
});

test('administrators find a domain by part of an alias', async () => {
  const { add } = await owner('findable', 'findable.example');
  await add('seek-me.example');
  const admin = await server.admin();
  const { domains: found } = await admin.asks<{ domains: Entry[] }>('GET /api/domains?q=seek-m', 200);
  assert.equal(pick(found, 'domain_url'), ['findable.example']);
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
  assert.is(await remove('www.wide.example'), '502 webserver_failed');
  assert.equal(namesOf('wide.example'), ['wide-too.example']);
  await remove('www.wide.example');
  assert.equal(namesOf('wide.example'), ['www.wide.example', 'wide-too.example']);
  await add('www.wide.example');
  assert.equal(namesOf('wide.example'), ['wide-too.example', 'www.wide.example'], 'as an alias of its own, once');
});
