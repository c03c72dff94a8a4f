import * as assert from '../../support/assert.ts';
import dnsCheck from '../../../plugins/dns-check/index.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { NameServer } from './name-server.ts';

const [domains] = await needs('domains');
const test = testSuite('where names lead');
const OWN = ['192.0.2.10', '2001:db8::10'];

let names: NameServer;
let server: TestServer;
test.before(async () => {
  names = await NameServer.start();
  const config = { 'dns-check': { addresses: OWN, resolvers: [names.address] } };
  server = await TestServer.start({ plugins: [domains, dnsCheck], config });
});
test.after(() => names.close());

interface Report {
  readonly expected: readonly string[];
  readonly names: readonly { readonly name: string; readonly state: string; readonly addresses: readonly string[] }[];
  readonly error?: string;
}

async function owner(username: string) {
  const { token } = await server.user(username);
  const post = (path: string, body: object) => server.ask(path, { method: 'POST', token, body });
  return {
    add: async (domain_url: string) => assert.is((await post('/api/domains/new', { domain_url })).status, 201),
    alias: async (domain_url: string, alias: string) =>
      assert.is((await post('/api/aliases', { domain_url, alias })).status, 201),
    check: async (domain: string) =>
      (await server.ask<Report>(`/api/dns-check?domain_url=${encodeURIComponent(domain)}`, { token })).body,
  };
}
const states = ({ names: all }: Report) => all.map(({ name, state }) => `${name} ${state}`);

// threat other-accounts: names are looked up for the account alone that has them, and no others
test("another account's domain, and what is none, is not looked up", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  await ann.add('ann.example');
  names.asked.length = 0;
  for (const name of ['ann.example', 'evil.example', 'a\nb.example', '127.0.0.1', 'localhost', '*'])
    assert.is((await bob.check(name)).error, 'domain_not_found', JSON.stringify(name));
  assert.is((await bob.check('x'.repeat(1100))).error, 'invalid_request');
  assert.equal(names.asked, []);
});

test('each name of a domain leads here, partly, elsewhere or nowhere', async () => {
  const { add, alias, check } = await owner('leads');
  await add('Shop.example');
  await alias('shop.example', 'other.example');
  await alias('shop.example', 'läden.example');
  names.addresses.set('shop.example', OWN);
  names.addresses.set('www.shop.example', ['192.0.2.10', '198.51.100.7']);
  names.addresses.set('other.example', ['198.51.100.7']);
  const report = await check('shop.example.');
  assert.equal(report.expected, OWN);
  assert.equal(states(report), [
    'shop.example here',
    'www.shop.example partly',
    'other.example elsewhere',
    'xn--lden-loa.example none',
  ]);
  assert.equal(report.names[0]?.addresses.toSorted(), OWN);
});

test('what was answered is not asked again at once, and what was not answered is', async () => {
  const { add, check } = await owner('twice');
  await add('twice.example');
  names.addresses.set('twice.example', ['192.0.2.10']);
  names.asked.length = 0;
  await Promise.all([check('twice.example'), check('twice.example')]);
  await check('TWICE.example');
  assert.is(names.asked.filter((name) => name === 'twice.example').length, 2, 'once for IPv4, once for IPv6');
});

// threat hostile-backend: a name server that answers with hundreds of addresses, or not at all, costs no more than its part
test('a name server that sends hundreds of addresses is cut short', async () => {
  const { add, check } = await owner('many');
  await add('many.example');
  names.addresses.set(
    'many.example',
    Array.from({ length: 60 }, (_, i) => `198.51.100.${i}`),
  );
  const [first] = (await check('many.example')).names;
  assert.ok((first?.addresses.length ?? 99) <= 32);
  assert.is(first?.state, 'elsewhere');
});
