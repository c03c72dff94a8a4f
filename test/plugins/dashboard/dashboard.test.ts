import * as assert from '../../support/assert.ts';
import { definePlugin, type Plugin } from '../../../kernel/contract/plugin.ts';
import type { DashboardPart } from '../../../kernel/contract/points/dashboard-part.ts';
import { Type } from '../../../kernel/schema.ts';
import dashboard from '../../../plugins/dashboard/index.ts';
import { TestServer, type Person } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { testSuite } from '../../support/suite.ts';

const together = await needs('domains', 'hosting');
const test = testSuite('dashboard');

/** What the supplying plugin answers, or throws; changed by the tests. */
let part: DashboardPart | Error = {};
let asked = 0;
/** What another plugin has of the account's databases. */
let elsewhere = 0;
const supplier = definePlugin({
  name: 'supplier',
  features: [],
  routes: {
    nothing: { method: 'GET', path: '/api/nothing', access: 'user', summary: 'Nothing', reply: Type.Object({}) },
  },
  setup: () => ({
    handlers: { nothing: () => ({}) },
    provides: {
      dashboard: async () => {
        asked += 1;
        if (part instanceof Error) throw part;
        return part;
      },
    },
  }),
});
const second = definePlugin({
  name: 'second',
  features: [],
  routes: {},
  setup: () => ({ handlers: {}, provides: { dashboard: () => ({ db_usage: elsewhere }) } }),
});
const FULL: DashboardPart = {
  db_usage: 3,
  email_count: 4,
  ftp_count: 5,
  last_ip: '198.51.100.9',
  twofa_enabled: null,
  user_websites: [['a.example', 'WordPress']],
};

let server: TestServer;
test.before(async () => {
  server = await TestServer.start({
    plugins: [dashboard, ...together, supplier, second] as unknown as Plugin[],
    config: {
      external_features: ['emails'],
      hosting: { name_servers: ['ns1.node.test', 'ns2.node.test'], ip_address: '203.0.113.7' },
      dashboard: {
        title: 'Panel',
        custom_message: 'Maintenance on Sunday',
        how_to_topics: [{ title: 'Mail', link: 'https://help.test/mail' }],
        knowledge_base_link: 'https://help.test',
      },
    },
  });
  for (const feature of ['emails', 'ftp']) await server.hostkeep.core.plans.setFeature('standard', feature, true);
});
test.before.each(() => {
  part = FULL;
  asked = 0;
  elsewhere = 0;
});

const show = (by: Person) => by.asks('GET /api/dashboard', 200);
const addDomain = (by: Person, domain_url: string, more: object = {}) =>
  by.asks('POST /api/domains/new', { domain_url, ...more }, 201);
const toggle = (username: string, feature: string, on: boolean) =>
  server.hostkeep.core.accounts.setFeature(username, feature, on);

test('all members are there, from plan, configuration and parts', async () => {
  const full = await server.user('full', 'standard');
  await addDomain(full, 'full.co.uk');
  await addDomain(full, 'shop.full.co.uk', { docroot: 'shop' });
  const body = await show(full);
  const domainIds = (body['domains'] as { domain_id: number }[]).map((each) => each.domain_id);
  assert.equal(body, {
    cpu_limit: 200,
    custom_message: 'Maintenance on Sunday',
    db_limit: 10,
    db_usage: 3,
    domains: [
      { docroot: '/var/www/html/full.co.uk', domain_id: domainIds[0], domain_url: 'full.co.uk' },
      { docroot: '/var/www/html/shop', domain_id: domainIds[1], domain_url: 'shop.full.co.uk' },
    ],
    domains_limit: 10,
    email_count: 4,
    email_limit: 20,
    ftp_count: 5,
    ftp_limit: 5,
    how_to_guides: 'yes',
    how_to_topics: [{ title: 'Mail', link: 'https://help.test/mail' }],
    ip_address: '203.0.113.7',
    knowledge_base_link: 'https://help.test',
    last_ip: '198.51.100.9',
    locale: 'en',
    maindomains: [{ domain_url: 'full.co.uk', tld: 'co.uk' }],
    ns1: 'ns1.node.test',
    ns2: 'ns2.node.test',
    ns3: '',
    ns4: '',
    stale: [],
    subdomains: [{ domain_url: 'shop.full.co.uk', tld: 'co.uk', main_domain: 'full.co.uk' }],
    title: 'Panel',
    twofa_enabled: null,
    twofa_nag: 'True',
    user_features: ['dashboard', 'domains', 'emails', 'helpers', 'info'], // `ftp`, say, is the account's, but nobody provides it

    user_websites: [['a.example', 'WordPress']],
    websites_limit: 10,
  });
});

// asvs 8.2.3: members of missing features are empty
test('members of features that the account lacks are empty', async () => {
  const poor = await server.user('poor', 'standard');
  await addDomain(poor, 'poor.example');
  for (const feature of [
    ...['domains', 'mysql', 'postgresql', 'emails', 'ftp', 'websites', 'twofa', 'login_history', 'helpers', 'locale'],
  ])
    await toggle('poor', feature, false);
  const body = await poor.asks('GET /api/dashboard', 200, {
    domains: [],
    maindomains: [],
    subdomains: [],
    domains_limit: 0,
    db_usage: 0,
    db_limit: 0,
    email_count: 0,
    email_limit: 0,
    ftp_count: 0,
    ftp_limit: 0,
    user_websites: [],
    websites_limit: 0,
    last_ip: '',
    twofa_enabled: null,
    twofa_nag: 'False',
    how_to_guides: 'no',
    how_to_topics: [],
    knowledge_base_link: '',
    locale: '',
  });
  assert.not((body['user_features'] as string[]).includes('domains'));
});

test('a change is there on the next request, and of the own account only', async () => {
  const [ann, bea] = [await server.user('ann'), await server.user('bea')];
  const count = async (by: Person) => ((await show(by))['domains'] as unknown[]).length;
  for (let round = 1; round <= 3; round += 1) {
    assert.is(await count(ann), round - 1);
    await addDomain(ann, `change-${round}.example`);
    assert.is(await count(ann), round);
    assert.is(await count(bea), 0);
  }
  await ann.asks('POST /api/domains/delete', { domain_url: 'change-1.example' }, 200);
  assert.is(await count(ann), 2);
  const { accounts, plans } = server.hostkeep.core;
  await accounts.update('ann', { plan: 'basic' });
  await ann.asks('GET /api/dashboard', 200, { domains_limit: 1 });
  await plans.update('basic', { limits: { domains_limit: 7 } });
  await ann.asks('GET /api/dashboard', 200, { domains_limit: 7 });
  await plans.setFeature('basic', 'domains', false);
  await ann.asks('GET /api/dashboard', 200, { maindomains: [] });
  await plans.setFeature('basic', 'domains', true);
  assert.is(await count(ann), 2);
});

test('unchanged parts are not gathered again', async () => {
  const calm = await server.user('calm');
  for (let request = 0; request < 20; request += 1) await show(calm);
  assert.is(asked, 1);
});

test('databases of all kinds are counted together, for accounts that have one of them', async () => {
  const both = await server.user('both', 'standard');
  const has = (db_usage: number, db_limit: number) => both.asks('GET /api/dashboard', 200, { db_usage, db_limit });
  elsewhere = 2;
  await has(5, 10);
  part = { ...FULL, db_usage: 0 };
  await toggle('both', 'postgresql', true);
  await toggle('both', 'mysql', false);
  await has(2, 10);
  await toggle('both', 'postgresql', false);
  await has(0, 0);
});

test('a part that fails costs only its own members', async () => {
  const broken = await server.user('broken');
  part = new Error('the database is away');
  await addDomain(broken, 'broken.example');
  const { domains } = await broken.asks('GET /api/dashboard', 200, { db_usage: 0, stale: ['supplier'] });
  assert.is((domains as unknown[]).length, 1);
});

test('a part that fails later keeps the values that were known last, and is named', async () => {
  const lasting = await server.user('lasting');
  const kept = { db_usage: 3, user_websites: [['a.example', 'WordPress']] };
  await lasting.asks('GET /api/dashboard', 200, { ...kept, stale: [] });
  part = new Error('the database is away');
  await addDomain(lasting, 'lasting.example');
  await lasting.asks('GET /api/dashboard', 200, { ...kept, stale: ['supplier'] });
});

test('two-factor authentication that is on is neither hidden nor reminded of', async () => {
  part = { ...FULL, twofa_enabled: true };
  await (await server.user('safe')).asks('GET /api/dashboard', 200, { twofa_enabled: true, twofa_nag: 'False' });
});
