/** That the tools of `/mcp` do what their routes allow for everybody who may come, and no more. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { isTool, toolName, toTool } from '../../../plugins/mcp/tools.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { apiToken, connected, post, request, said, toolNames, type Members } from './client.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('mcp: rights');
let server: TestServer;
let ann: { account: Account; token: string };
let root: { account: Account; token: string };
test.before(async () => {
  server = await TestServer.start({
    config: {
      plugins: { mcp: true },
      mcp: { calls_per_minute: 1000 }, // as many as there are tools, and more
      screenshots: { remote_url: 'https://pictures.example/{domain}' },
    },
  });
  ann = await server.user('ann');
  root = await server.admin();
});

// threat crossed-scopes: with the token of a login, no tool changes anything
test('the token of a login only reads', async () => {
  const client = await connected(server, ann.token);
  const { tools } = await client.listTools();
  assert.ok(tools.length > 15);
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  const { failed, value } = await said(client, 'domains_add', { domain_url: 'session.example' });
  assert.equal([failed, value['error'], value['scope']], [true, 'scope_required', 'domains:write']);
  assert.is((await server.ask('/api/domains', { token: ann.token })).body['total'], 0);
});

/** Names of tools without those that other plugins add to the feature. */
const ofDomains = (names: readonly string[]) => names.filter((name) => name.startsWith('domains_'));

// threat crossed-scopes: an API token opens the tools of its scopes
test('an API token has the tools of its scopes', async () => {
  const reader = await connected(server, (await apiToken(server, ann.account, ['domains:read'])).token);
  assert.equal(ofDomains(await toolNames(reader)), ['domains_list', 'domains_docker']);
  for (const [name, given, scope] of [
    ['domains_add', { domain_url: 'scope.example' }, 'domains:write'],
    ['hosting_plan', {}, 'info:read'],
  ] as const) {
    const { failed, value } = await said(reader, name, given);
    assert.equal([failed, value['error'], value['scope']], [true, 'scope_required', scope]);
  }
  const writer = await connected(
    server,
    (await apiToken(server, ann.account, ['domains:read', 'domains:write'])).token,
  );
  assert.equal(
    ofDomains(await toolNames(writer)),
    ['list', 'add', 'remove', 'suspend', 'setDocroot', 'addAlias', 'removeAlias', 'docker'].map(
      (name) => `domains_${name}`,
    ),
  );
  const { failed, value } = await said(writer, 'domains_add', { domain_url: 'scope.example' });
  assert.equal([failed, value['domain_url']], [false, 'scope.example']);
  assert.is((await said(writer, 'domains_remove', { domain_url: 'scope.example' })).failed, false);
});

// threat crossed-scopes: features and tokens end while a client is connected
test('what ends while a client is connected ends for its next request', async () => {
  const { account, token: session } = await server.user('bob');
  const { token, id } = await apiToken(server, account, ['domains:read', 'info:read']);
  const client = await connected(server, token);
  assert.ok((await toolNames(client)).includes('hosting_plan'));
  await server.hostkeep.core.accounts.setFeature('bob', 'info', false);
  assert.equal(ofDomains(await toolNames(client)), ['domains_list', 'domains_docker']);
  assert.not((await toolNames(client)).includes('hosting_plan'));
  const { failed, value } = await said(client, 'hosting_plan');
  assert.equal([failed, value['error'], value['status'], value['feature']], [true, 'feature_disabled', 403, 'info']);
  assert.equal(pick((await client.listResources()).resources, 'uri'), ['hostkeep:/api/domains']);
  await server.ask(`/api/account/tokens/${id}`, { token: session, method: 'DELETE' });
  await client.listTools().then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /authentication_required/),
  );
});

/** Everybody who may come, with what a tool may not do for them because its route does not. */
async function callers(): Promise<Record<string, { address: Address; token: string }>> {
  const { plans, accounts } = server.hostkeep.core;
  const { name: _, features: __, ...limits } = await plans.get('basic');
  await plans.create('nothing', limits, []);
  const nobody = await server.user('nobody', 'nothing');
  const basic = await server.user('carl', 'basic');
  await accounts.setFeature('carl', 'mysql', false);
  const scopes = ['domains:write', 'docker:read', 'mysql:read', 'search:read', 'twofa:read'];
  return {
    'a user without features': { address: 'user', token: nobody.token },
    'a user of a plan': { address: 'user', token: basic.token },
    'an API token of a user': { address: 'user', token: (await apiToken(server, basic.account, scopes)).token },
    'an API token without scopes': { address: 'user', token: (await apiToken(server, ann.account, [])).token },
    'an administrator': { address: 'admin', token: root.token },
    'an API token of an administrator': {
      address: 'admin',
      token: (await apiToken(server, root.account, ['accounts:read', 'plans:write'])).token,
    },
  };
}

// threat crossed-scopes: every tool is asked as everybody: never more than its route
test('a tool that is not listed is refused as its route refuses', async () => {
  for (const [who, { address, token }] of Object.entries(await callers())) {
    const listed = new Set(await toolNames(await connected(server, token, address)));
    const routes = server.hostkeep.node.routes().filter((route) => route.address === address && isTool(route));
    for (const route of routes.filter((each) => !listed.has(toolName(each)))) {
      const path = (route.paths[0] ?? '').replace(/[:*]\w+/g, 'x');
      const native = await server.ask(path, { address, token, method: route.method, ...(route.body && { body: {} }) });
      const names = Object.keys(route.params?.properties ?? {});
      const given = { name: toolName(route), arguments: Object.fromEntries(names.map((name) => [name, 'x'])) };
      const { body } = await post(server, request('tools/call', given), { address, token });
      const { isError, content } = body['result'] as { isError: boolean; content: { text: string }[] };
      const problem = JSON.parse(content[0]?.text ?? '') as Members;
      const where = `${who}, ${toolName(route)}`;
      assert.ok(isError, where);
      const isGuarded = route.method !== 'GET' && !token.startsWith('hk_');
      assert.is(problem['error'], isGuarded ? 'scope_required' : native.body['error'], where);
      assert.ok(isGuarded || native.status === 403, where);
    }
  }
});

test('every tool has a name and arguments that clients take', async () => {
  const validators = new AjvJsonSchemaValidator();
  for (const address of ['user', 'admin'] as const) {
    const routes = server.hostkeep.node.routes().filter((route) => route.address === address && isTool(route));
    const tools = routes.map(toTool);
    assert.is(new Set(tools.map(({ name }) => name)).size, tools.length);
    for (const [i, { name, inputSchema }] of tools.entries()) {
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      validators.getValidator(inputSchema as Parameters<typeof validators.getValidator>[0]);
      const { params, query, body } = routes[i] as RouteInfo;
      const given = [params, query, body].flatMap((part) => Object.keys(part?.properties ?? {}));
      assert.equal(Object.keys(inputSchema.properties ?? {}), given, `two arguments of ${name} share a name`);
    }
  }
});

test('the overview of an account is there to be read', async () => {
  const client = await connected(server, ann.token);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  assert.equal(uris.toSorted(), [
    'hostkeep:/api/dashboard',
    'hostkeep:/api/disk_inodes',
    'hostkeep:/api/domains',
    'hostkeep:/system/hosting/plan',
  ]);
  await server.ask('/api/dashboard', { token: ann.token }); // starts what its parts need, which may come late at first
  const { contents } = await client.readResource({ uri: 'hostkeep:/api/dashboard' });
  const [{ text = '' } = {}] = contents as { text?: string }[];
  assert.equal(JSON.parse(text), (await server.ask('/api/dashboard', { token: ann.token })).body);
  assert.equal((await client.listResourceTemplates()).resourceTemplates, []);
  const { token } = await apiToken(server, ann.account, []);
  const refused = await post(server, request('resources/read', { uri: 'hostkeep:/api/dashboard' }), { token });
  assert.equal((refused.body['error'] as { data: Members }).data['error'], 'scope_required');
});

test('an administrator has tools and resources of the own address', async () => {
  const client = await connected(server, root.token, 'admin');
  const { failed, value } = await said(client, 'accounts_account', { username: 'ann' });
  assert.equal([failed, value['username']], [false, 'ann']);
  for (const username of ['ann/usage', '../plans', 'ann?x', ' '])
    assert.equal((await said(client, 'accounts_account', { username })).failed, true, username);
  assert.ok((await client.listResources()).resources.some(({ uri }) => uri === 'hostkeep:/api/usage/memory'));
});
