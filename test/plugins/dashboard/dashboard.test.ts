import * as assert from '../../support/assert.ts';
import { definePlugin, type Plugin } from '../../../kernel/contract/plugin.ts';
import type { DashboardPart } from '../../../kernel/contract/points/dashboard-part.ts';
import { Type } from '../../../kernel/schema.ts';
import dashboard from '../../../plugins/dashboard/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
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

const show = async (token: string) => (await server.ask('/api/dashboard', { token })).body;
const toggle = (username: string, feature: string, on: boolean) =>
  server.hostkeep.core.accounts.setFeature(username, feature, on);

test('all members are there, from plan, configuration and parts', async () => {
  const { token } = await server.user('full', 'standard');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'full.co.uk' } });
  await server.ask('/api/domains/new', {
    method: 'POST',
    token,
    body: { domain_url: 'shop.full.co.uk', docroot: 'shop' },
  });
  const body = await show(token);
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
  const { account, token } = await server.user('poor', 'standard');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'poor.example' } });
  for (const feature of [
    'domains',
    'mysql',
    'postgresql',
    'emails',
    'ftp',
    'websites',
    'twofa',
    'login_history',
    'helpers',
    'locale',
  ])
    await toggle(account.username, feature, false);
  const body = await show(token);
  const empty = {
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
  };
  for (const [name, value] of Object.entries(empty)) assert.equal(body[name], value, name);
  assert.not((body['user_features'] as string[]).includes('domains'));
});

test('a change is there on the next request, and of the own account only', async () => {
  const [ann, bea] = [await server.user('ann'), await server.user('bea')];
  const count = async (token: string) => ((await show(token))['domains'] as unknown[]).length;
  for (let round = 1; round <= 3; round += 1) {
    assert.is(await count(ann.token), round - 1);
    await server.ask('/api/domains/new', {
      method: 'POST',
      token: ann.token,
      body: { domain_url: `change-${round}.example` },
    });
    assert.is(await count(ann.token), round);
    assert.is(await count(bea.token), 0);
  }
  await server.ask('/api/domains/delete', {
    method: 'POST',
    token: ann.token,
    body: { domain_url: 'change-1.example' },
  });
  assert.is(await count(ann.token), 2);
  await server.hostkeep.core.accounts.update('ann', { plan: 'basic' });
  assert.is((await show(ann.token))['domains_limit'], 1);
  await server.hostkeep.core.plans.update('basic', { limits: { domains_limit: 7 } });
  assert.is((await show(ann.token))['domains_limit'], 7);
  await server.hostkeep.core.plans.setFeature('basic', 'domains', false);
  assert.equal((await show(ann.token))['maindomains'], []);
  await server.hostkeep.core.plans.setFeature('basic', 'domains', true);
  assert.is(await count(ann.token), 2);
});

test('unchanged parts are not gathered again', async () => {
  const { token } = await server.user('calm');
  for (let request = 0; request < 20; request += 1) await show(token);
  assert.is(asked, 1);
});

test('databases of all kinds are counted together, for accounts that have one of them', async () => {
  const { account, token } = await server.user('both', 'standard');
  const counts = async () => {
    const { db_usage: used, db_limit: limit } = await show(token);
    return [used, limit];
  };
  elsewhere = 2;
  assert.equal(await counts(), [5, 10]);
  part = { ...FULL, db_usage: 0 };
  await toggle(account.username, 'postgresql', true);
  await toggle(account.username, 'mysql', false);
  assert.equal(await counts(), [2, 10]);
  await toggle(account.username, 'postgresql', false);
  assert.equal(await counts(), [0, 0]);
});

test('a part that fails costs only its own members', async () => {
  const { token } = await server.user('broken');
  part = new Error('the database is away');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'broken.example' } });
  const body = await show(token);
  assert.is(body['db_usage'], 0);
  assert.equal(body['stale'], ['supplier']);
  assert.is((body['domains'] as unknown[]).length, 1);
});

test('a part that fails later keeps the values that were known last, and is named', async () => {
  const { token } = await server.user('lasting');
  assert.equal([(await show(token))['db_usage'], (await show(token))['stale']], [3, []]);
  part = new Error('the database is away');
  await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'lasting.example' } });
  const body = await show(token);
  assert.equal([body['db_usage'], body['user_websites']], [3, [['a.example', 'WordPress']]]);
  assert.equal(body['stale'], ['supplier']);
});

test('two-factor authentication that is on is neither hidden nor reminded of', async () => {
  const { token } = await server.user('safe');
  part = { ...FULL, twofa_enabled: true };
  const body = await show(token);
  assert.is(body['twofa_enabled'], true);
  assert.is(body['twofa_nag'], 'False');
});
