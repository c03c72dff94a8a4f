import * as assert from '../../support/assert.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { defineErrors } from '../../../kernel/errors.ts';
import temporaryLinks from '../../../plugins/temporary-links/index.ts';
import { needs } from '../../support/needs.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('temporary links');
const refuse = defineErrors({ webserver_failed: [502, 'The web server refused the change'] });
const PREVIEW = 'preview.node.test';

/** At which previews domains are served, and whether the web server refuses. */
const served = new Map<string, readonly string[]>();
let refuses = false;
const webServer = definePlugin({
  name: 'server',
  features: [],
  routes: {},
  setup: ({ gather }) => ({
    handlers: {},
    provides: {
      webServer: () => ({ host: '127.0.0.1', port: 8081 }),
      siteChanged: async ({ id, name }) => {
        const parts = await gather('siteRules', [id]);
        const previews = parts.flatMap((part) => (part.ok ? (part.value.get(id)?.previews ?? []) : []));
        if (refuses && previews[0] !== served.get(name)?.[0]) throw refuse.webserver_failed('the server refuses');
        served.set(name, previews);
      },
    },
  }),
});

let server: TestServer;
test.before(async () => {
  server = await TestServer.start({
    plugins: [domains, temporaryLinks, webServer],
    config: { 'temporary-links': { preview_domain: PREVIEW, check_seconds: 1, hours: 5 } },
  });
});

interface Entry {
  readonly domain_url: string;
  readonly url: string;
  readonly expires_at: string;
}

async function owner(username: string, on = server) {
  const { account, domain, asks, tries, told } = await domainOwner(on, username);
  return {
    account,
    told,
    make: (domain_url = domain) => asks<Entry>('POST /api/temporary-links', { domain_url }, 201),
    triesToMake: (domain_url = domain) => tries('POST /api/temporary-links', { domain_url }),
    remove: (name = domain) => tries(`DELETE /api/temporary-links/${encodeURIComponent(name)}`),
    list: async () => (await asks<{ links: Entry[] }>('GET /api/temporary-links', 200)).links,
    domain: (what: 'new' | 'delete', domain_url: string) => tries(`POST /api/domains/${what}`, { domain_url }),
    alias: (alias: string) => tries('POST /api/aliases', { domain_url: domain, alias }),
  };
}
const hostOf = ({ url }: Entry) => new URL(url).hostname;

test('without a preview domain there are none', async () => {
  const plain = await TestServer.start({ plugins: [domains, temporaryLinks, webServer] });
  const { triesToMake, list } = await owner('plain', plain);
  assert.is(await triesToMake(), '409 temporary_links_not_offered');
  assert.equal(await list(), []);
});

// threat other-accounts: a temporary link shows a site of the account alone, and its name is nobody's domain
test("nobody shows other accounts' domains, or has names below the preview domain", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  for (const name of ['ann.example', 'ann.example\n', 'a\r\nb', '*', PREVIEW]) {
    assert.is(await bob.triesToMake(name), '404 domain_not_found', JSON.stringify(name));
    assert.is(await bob.remove(name), '404 domain_not_found', JSON.stringify(name));
  }
  const name = hostOf(await ann.make());
  for (const reserved of [name, PREVIEW, `x.${PREVIEW}`, 'node.test', `${PREVIEW.toUpperCase()}.`]) {
    assert.is(await bob.domain('new', reserved), '400 invalid_domain', reserved);
    assert.is(await bob.alias(reserved), '400 invalid_domain', reserved);
  }
  assert.equal([await bob.list(), await bob.remove()], [[], '404 temporary_link_not_found']);
});

test('a link is random, served, listed, renewed and removed, and no event has its name', async () => {
  const { make, list, remove, told } = await owner('life');
  const link = await make('LIFE.example.');
  assert.match(link.url, /^http:\/\/[a-z0-9]{20}\.preview\.node\.test:8081\/$/);
  const hours = (Date.parse(link.expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 4.9 && hours <= 5, `${hours} hours`);
  assert.equal([await list(), served.get('life.example')], [[link], [hostOf(link)]]);
  const next = await make();
  assert.not.equal(next.url, link.url);
  assert.equal([await list(), served.get('life.example')], [[next], [hostOf(next)]]);
  assert.is(await remove(), 200);
  assert.equal([await list(), served.get('life.example')], [[], []]);
  const lines = (await told('temporary')).join('\n');
  assert.match(lines, /removed a temporary link to life\.example[^]*made a temporary link to life\.example/);
  assert.not.match(lines, /preview\.node\.test/);
});

test('nothing is stored or served if the web server refuses', async () => {
  const { make, triesToMake, list, remove } = await owner('refused');
  const link = await make();
  refuses = true;
  const failed = [await triesToMake(), await remove()];
  refuses = false;
  assert.equal(failed, ['502 webserver_failed', '502 webserver_failed']);
  assert.equal([await list(), served.get('refused.example')], [[link], [hostOf(link)]]);
});

test('an expired link is in no list and no rule at once, and is removed by the clock', async () => {
  const { account, make, list, told } = await owner('past');
  await make();
  const { store } = server.hostkeep.core;
  await store.write((tx) => tx.run('update temporary_links set expires_at = 1 where account_id = ?', account.id));
  assert.equal(await list(), []);
  await until('it is served no longer', () => served.get('past.example')?.length === 0);
  await until('it is told', async () => (await told('expired')).length > 0);
  assert.match((await told('expired'))[0] ?? '', /The server removed the expired temporary link to past\.example/);
  assert.is((await store.all('select 1 from temporary_links where account_id = ?', account.id)).length, 0);
});

test('links go with their domain and their account', async () => {
  const { make, domain } = await owner('gone');
  await make();
  const { store, accounts } = server.hostkeep.core;
  const count = async () => (await store.all("select 1 from temporary_links where name like '%'")).length;
  const before = await count();
  await domain('delete', 'gone.example');
  await until('it goes with the domain', async () => (await count()) === before - 1);
  await domain('new', 'gone.example');
  await make();
  await accounts.remove('gone');
  assert.is(await count(), before - 1);
});
