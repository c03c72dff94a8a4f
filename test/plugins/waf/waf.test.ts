import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import waf from '../../../plugins/waf/index.ts';
import directives from '../../../plugins/waf/site-directives.ts';
import { domainOwner } from '../../support/domain-owner.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('waf');

/** The program that the web server is. */
let program = 'nginx';
const webServer = new NotedWebServer(() => ({ host: '127.0.0.1', port: 9, name: program }));

const log = join(temporaryFolder(), 'waf.log');
let server: TestServer;
test.before(async () => {
  writeFileSync(log, '');
  server = await TestServer.start({ plugins: [domains, waf, webServer.plugin], config: { waf: { audit_log: log } } });
});

interface Site {
  readonly domain_url: string;
  readonly mode: string;
  readonly excluded_ids: readonly number[];
  readonly excluded_tags: readonly string[];
  readonly error?: string;
}
interface Page {
  readonly requests: readonly { readonly uri: string; readonly blocked: boolean; readonly rules: readonly unknown[] }[];
  readonly next_cursor: string | null;
  readonly error?: string;
}

async function owner(username: string) {
  const { account, token, domain } = await domainOwner(server, username);
  return {
    account,
    domain,
    token,
    set: async (body: object, of = domain) =>
      (await server.ask<Site>(`/api/site-firewall/${encodeURIComponent(of)}`, { method: 'PUT', token, body })).body,
    list: async () => (await server.ask<{ offered: boolean; sites: Site[] }>('/api/site-firewall', { token })).body,
    requests: async (query = '', of = domain) =>
      (await server.ask<Page>(`/api/site-firewall/${of}/requests?${query}`, { token })).body,
  };
}

let count = 0;
function entry(domain: string, uri: string, at = Date.now(), rule = 942_100, isBlocked = true): string {
  const id = `${domain}/${(at / 1000).toFixed(3)}/${String((count += 1)).padStart(32, '0')}`;
  const messages = [rule, 949_110].map((each) => ({
    message: 'found',
    details: { ruleId: String(each), tags: ['attack-x'] },
  }));
  const producer = { secrules_engine: isBlocked ? 'Enabled' : 'DetectionOnly' };
  const response = { http_code: isBlocked ? 403 : 200 };
  const request = { method: 'GET', uri };
  return `${JSON.stringify({ transaction: { client_ip: '192.0.2.7', unique_id: id, request, response, producer, messages } })}\n`;
}

// threat shell-injection: rules that a site leaves out hold nothing that a configuration understands
test('what a web server could take for its own syntax is refused in each field', async () => {
  const { set, list } = await owner('marks');
  for (const tag of ['a;b', "a'b", 'a"b', 'a b', 'a$b', 'a{', 'a\n', '\\', '', '-a', '/a', 'é', 'a'.repeat(65)])
    assert.ok(['invalid_waf_rule', 'invalid_request'].includes((await set({ excluded_tags: [tag] })).error ?? ''), tag);
  for (const id of [0, 1, 910_999, 1_000_000, 942_100.5, '942100; SecRuleEngine Off', -1])
    assert.is((await set({ excluded_ids: [id] })).error, 'invalid_request', String(id));
  for (const id of [949_110, 959_100, 980_130])
    assert.is((await set({ excluded_ids: [id] })).error, 'invalid_waf_rule', String(id));
  for (const mode of ['Off', 'DetectionOnly', '', 7])
    assert.is((await set({ mode })).error, 'invalid_request', String(mode));
  assert.equal((await list()).sites, [
    { domain_url: 'marks.example', mode: 'off', excluded_ids: [], excluded_tags: [] },
  ]);
});

// threat stolen-service: the process with rights takes no setting that a customer could not make
test('what renders directives checks settings again', () => {
  const part = { mode: 'on', excludedIds: [942_100], excludedTags: ['attack-sqli'] };
  assert.equal(directives.read(part), part);
  for (const wrong of [
    { mode: "on; '" },
    { excludedIds: ['1'] },
    { excludedIds: [949_110] },
    { excludedTags: ["a'"] },
    { excludedTags: Array.from({ length: 201 }, () => 'a') },
    { more: 1 },
  ])
    assert.throws(() => directives.read({ ...part, ...wrong }), undefined, JSON.stringify(wrong));
  const place = sitePlace({ followsNoLinks: true });
  assert.match(
    directives.nginx(directives.read(part), place).join('\n'),
    /SecRuleEngine On\n\s+SecRuleRemoveById 942100\n/,
  );
  assert.equal(directives.nginx({ mode: 'off', excludedIds: [], excludedTags: [] }, place), []);
  assert.equal(directives.caddy(directives.read(part), place), []);
});

test("another account's domain is not found", async () => {
  const [ann, bob] = [await owner('ann'), await owner('bob')];
  for (const answer of [await bob.set({ mode: 'on' }, ann.domain), await bob.requests('', ann.domain)])
    assert.is(answer.error, 'domain_not_found');
  assert.is((await ann.list()).sites[0]?.mode, 'off');
});

test('a firewall is switched on, and rules are left out', async () => {
  const { account, domain, set, list } = await owner('changes');
  assert.is((await list()).offered, true);
  await set({ mode: 'report' });
  await set({ excluded_ids: [942_100, 920_350, 942_100], excluded_tags: ['attack-rce'] });
  const wanted = { mode: 'report', excluded_ids: [920_350, 942_100], excluded_tags: ['attack-rce'] };
  assert.equal((await list()).sites, [{ domain_url: domain, ...wanted }]);
  const part = { mode: 'report', excludedIds: [920_350, 942_100], excludedTags: ['attack-rce'] };
  assert.equal(webServer.served(domain)?.parts, { waf: part });
  const { lines } = await server.hostkeep.core.events.page(account.id, 'firewall', 0, 9);
  assert.match(lines[0] ?? '', /User 'changes' set the firewall of changes\.example to report from IP/);
});

test('on a web server without the module no firewall is switched on', async () => {
  const { set, list } = await owner('caddy');
  program = 'caddy';
  assert.is((await list()).offered, false);
  assert.is((await set({ mode: 'on' })).error, 'waf_not_offered');
  assert.is((await set({ mode: 'off' })).mode, 'off');
  const findings = await server.hostkeep.plugins.gather('doctor');
  const found = findings.flatMap((part) => (part.plugin === 'waf' && part.ok ? part.value : []));
  assert.match(found[0]?.detail ?? '', /caddy has no such module/);
  program = 'nginx';
});

test('who moves an account is told that its sites need a firewall there', async () => {
  const moved = await owner('mia');
  const told = async () => {
    const [part] = (await server.hostkeep.plugins.gather('move')).filter(({ plugin }) => plugin === 'waf');
    return part?.ok === true ? part.value.leftToDo?.(moved.account, 'two') : undefined;
  };
  assert.equal(await told(), []);
  await moved.set({ mode: 'report' });
  assert.equal(await told(), ['see that two has a firewall, which sites of the account use']);
});

// threat half-made-changes: a firewall that the web server refuses is neither stored nor served
test('nothing is stored or served if the web server refuses', async () => {
  const { domain, set, list } = await owner('refused');
  await set({ mode: 'report' });
  webServer.refusesNext = true;
  assert.is((await set({ mode: 'on' })).error, 'webserver_failed');
  assert.is((await list()).sites[0]?.mode, 'report');
  assert.equal(webServer.served(domain)?.parts?.['waf'], { mode: 'report', excludedIds: [], excludedTags: [] });
});

// threat other-accounts: a site's list has its own requests alone, and none of an earlier owner of its name
test('each site lists its own requests, with filters and in pages', async () => {
  const [ann, bob] = [await owner('lists'), await owner('others')];
  const before = Date.now() - 60_000;
  appendFileSync(
    log,
    entry(ann.domain, '/earlier-owner', before) +
      entry(ann.domain, '/one?Q=1') +
      entry(bob.domain, '/of-bob') +
      'not of ModSecurity\n' +
      entry('nobody.example', '/nobody') +
      entry(ann.domain, '/two', Date.now(), 941_100, false) +
      entry(ann.domain, '/three'),
  );
  await until('the requests', async () => (await ann.requests()).requests.length === 3);
  const uris = async (query: string) => (await ann.requests(query)).requests.map(({ uri }) => uri);
  assert.equal(await uris(''), ['/three', '/two', '/one?Q=1']);
  assert.equal(
    (await bob.requests()).requests.map(({ uri }) => uri),
    ['/of-bob'],
  );
  assert.equal(await uris('text=?q='), ['/one?Q=1']);
  assert.equal(await uris('text=192.0.2'), ['/three', '/two', '/one?Q=1']);
  assert.equal(await uris('rule=941100'), ['/two']);
  assert.equal(await uris('action=reported'), ['/two']);
  assert.equal(await uris('action=blocked'), ['/three', '/one?Q=1']);
  const first = await ann.requests('limit=2');
  assert.is(first.requests.length, 2);
  const second = await ann.requests(`limit=2&cursor=${first.next_cursor}`);
  assert.equal([second.requests.map(({ uri }) => uri), second.next_cursor], [['/one?Q=1'], null]);
});

// threat crowding-out: an attack on a site takes as much of the disk as the last thousand requests
test('the newest thousand requests of a site are kept, and go with its domain', async () => {
  const { domain, token, requests } = await owner('crowd');
  appendFileSync(log, Array.from({ length: 2500 }, (_, i) => entry(domain, `/${i}`)).join(''));
  await until('the last one', async () => (await requests('limit=1')).requests[0]?.uri === '/2499');
  const { local } = server.hostkeep.core;
  const kept = async () =>
    (await local.all<{ n: number }>("select count(*) as n from waf_requests where uri glob '/[0-9]*'"))[0]?.n;
  assert.is(await kept(), 1000);
  await server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: domain } });
  await until('they go with it', async () => (await kept()) === 0);
});
