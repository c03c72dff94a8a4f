import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import proxiedPaths from '../../../plugins/proxied-paths/index.ts';
import type { ProxyRule } from '../../../plugins/proxied-paths/site-directives.ts';
import { archivedPart, atDomain, outcome, putBack, refusal, siteOwner } from '../../support/carried.ts';
import { fakeEngine, json } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { needs } from '../../support/needs.ts';
import { NotedWebServer } from '../../support/noted-web-server.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [domains, containers, control, webserverConf] = await needs(
  'domains',
  'containers',
  'container-control',
  'webserver-conf',
);
const test = testSuite('proxied paths');

/** The containers of an engine, which a test changes. */
interface Listed {
  readonly owner: string;
  readonly network: string;
  readonly address: string;
  readonly state?: string;
}
let listed: Record<string, Listed> = {};
let isAway = false;
const web = { owner: 'ann', network: 'ann_default', address: '172.18.0.2' };
const webServer = new NotedWebServer();
let server: TestServer;
let ann: Awaited<ReturnType<typeof siteOwner>>;
let bob: Awaited<ReturnType<typeof siteOwner>>;
test.before(async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  await fakeEngine(socket, (path, response) => {
    if (isAway) return void response.destroy();
    if (path !== '/containers/json') return json(response, {});
    const all = Object.entries(listed).map(([name, { owner, network, address, state = 'running' }], i) => ({
      ...{ Id: String(i + 1).padStart(64, '0'), Names: [`/${name}`], Image: 'x', State: state },
      Labels: { 'hostkeep.account': owner },
      Ports: [{ PrivatePort: 3000, Type: 'tcp' }],
      NetworkSettings: { Networks: { [network]: { IPAddress: address } } },
    }));
    json(response, all);
  });
  const plugins = [domains, containers, control, webserverConf, proxiedPaths, webServer.plugin];
  server = await TestServer.start({ plugins, config: { containers: { socket } } });
  [ann, bob] = [await siteOwner(server, 'ann'), await siteOwner(server, 'bob')];
});
test.before.each(() => {
  listed = { web };
  isAway = false;
});

const PATH = '/api/proxied-paths/ann.example';
const app = { path: '/app', container: 'web', port: 3000, strips_path: true };
const set = (...paths: object[]) => outcome(ann, 'PUT', PATH, { paths });
const served = (domain = 'ann.example') =>
  (webServer.served(domain)?.parts?.['proxied-paths'] ?? []) as readonly ProxyRule[];
/** Changes what the engine lists, as a restart of a container does, and resolves once the site has the address. */
async function changes(next: typeof listed, address: string, what: string): Promise<void> {
  listed = next;
  const { store, events, accounts } = server.hostkeep.core;
  const account = await accounts.get('ann');
  const data = { container: 'web', container_id: '1' };
  const event = { type: 'container.restarted', account, text: 'restarted web', ip: '', data };
  await store.write((tx) => events.record(tx, event as never)); // its type is that of another plugin
  await until(what, () => served()[0]?.address === address);
}
const states = async () => {
  const { body } = await ann('GET', '/api/proxied-paths');
  const { sites } = body as { sites: readonly { paths: readonly { state: string }[] }[] };
  return sites.flatMap(({ paths }) => paths.map(({ state }) => state));
};

test('refused: other accounts, other containers, hostile paths', async () => {
  listed = { web, theirs: { ...web, owner: 'bob' } };
  assert.is(await outcome(bob, 'PUT', PATH, { paths: [] }), '404 domain_not_found');
  assert.is(await outcome(bob, 'PUT', '/api/proxied-paths/bob.example', { paths: [app] }), '404 container_not_found');
  assert.is(await set({ ...app, container: 'theirs' }), '404 container_not_found');
  assert.is(await set({ ...app, container: 'none' }), '404 container_not_found');
  for (const path of ['app', '/app/', '/a b', '/a"b', '/.env', '/a/../b', '/a;b'])
    assert.is(await set({ ...app, path }), '400 invalid_proxied_path', path);
  assert.is(await set(app, app), '400 invalid_proxied_path');
  for (const change of [{ port: 0 }, { port: '80' }, { more: 1 }, { path: '' }])
    assert.is(await set({ ...app, ...change }), '400 invalid_request', JSON.stringify(change));
  assert.equal([served(), await states()], [[], []]);
  isAway = true;
  assert.is(await set(app), '503 containers_unavailable');
});

test('what the web server refuses is not kept', async () => {
  await set(app);
  // whoever has it served: also those who follow the containers
  webServer.refuses = ({ parts }) => JSON.stringify(parts).includes('"path":"/"');
  assert.is(await set({ ...app, path: '/' }), '502 webserver_failed');
  webServer.refuses = () => false;
  assert.equal(await states(), ['served']);
  assert.equal(await set(), { domain_url: 'ann.example', paths: [] });
  assert.equal(served(), []);
});

test('a container answers for a path while its address is that of no other account', async () => {
  assert.equal(await set(app), { domain_url: 'ann.example', paths: [{ ...app, state: 'served' }] });
  const rule = { path: '/app', port: 3000, stripsPath: true };
  assert.equal(served(), [{ ...rule, address: '172.18.0.2' }]);
  const { body } = await ann('GET', '/api/proxied-paths');
  assert.equal((body as Record<string, unknown>)['containers'], [{ name: 'web', ports: [3000] }]);
  for (const [what, changed, state] of [
    ['it has stopped', { web: { ...web, state: 'exited', address: '' } }, 'stopped'],
    [
      'another account joins the network',
      { web, other: { ...web, owner: 'bob', address: '172.18.0.3' } },
      'unreachable',
    ],
    [
      'so does one that does not run',
      { web, other: { ...web, owner: 'bob', address: '', state: 'exited' } },
      'unreachable',
    ],
    ['it is on the network of all', { web: { ...web, network: 'bridge' } }, 'unreachable'],
    ['its network is somewhere else', { web: { ...web, address: '203.0.113.9' } }, 'unreachable'],
  ] as const) {
    listed = changed;
    assert.equal(await set(app), { domain_url: 'ann.example', paths: [{ ...app, state }] }, what);
    await until(what, () => served()[0]?.address === ''); // who follows the containers may have asked before
  }
  listed = {};
  assert.equal(await states(), ['missing']);
});

test('a site follows its containers by itself', async () => {
  await set(app);
  await changes({ web: { ...web, address: '172.18.0.9' } }, '172.18.0.9', 'it has moved');
  await changes({ web: { ...web, state: 'exited', address: '' } }, '', 'it has stopped');
  assert.equal(await states(), ['stopped']);
  await changes({ web }, '172.18.0.2', 'it is back');
  isAway = true;
  const other = await ann('PUT', '/api/site-settings/ann.example', { index_files: ['start.html'] });
  assert.equal([other.status, served()[0]?.address], [200, '172.18.0.2'], 'the engine is away');
});

test('paths come along in archives, those without their container are told', async () => {
  listed = { web, worker: { ...web, address: '172.18.0.5' }, own: { ...web, owner: 'bob', network: 'b' } };
  await set(app, { ...app, path: '/jobs', container: 'worker' });
  const saved = atDomain(await archivedPart<object[]>(server, 'ann', 'proxied-paths'), 'ann', 'bob');
  assert.match(await refusal(server, 'bob', 'proxied-paths', [{ ...saved[0], paths: 1 }]), /paths must be array/);
  listed = { web: { ...web, owner: 'bob' } };
  assert.equal(await putBack(server, 'bob', 'proxied-paths', saved), {
    missing: ['/jobs of bob.example: there is no container worker'],
    next: [],
  });
  assert.equal(
    served('bob.example').map(({ path }) => path),
    ['/app'],
  );
  await server.hostkeep.core.plans.setFeature('developer', 'webserver_conf', false);
  assert.is(await outcome(ann, 'GET', '/api/proxied-paths'), '403 feature_disabled');
});
