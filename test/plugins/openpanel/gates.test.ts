/** Every path of OpenPanel is asked as every kind of client: never more than what the operations behind it give the same one. */
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { missing, translated, type Translated } from '../../../plugins/openpanel/table.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('openpanel: gates');
type Body = Record<string, unknown>;
let server: TestServer;
let off: TestServer;
test.before(async () => {
  const screenshots = { remote_url: 'https://pictures.example/{domain}' };
  server = await TestServer.start({ config: { plugins: { openpanel: true }, screenshots } });
  off = await TestServer.start({ config: { screenshots } });
});

const apiToken = async (account: Account, scopes: readonly string[], networks: readonly string[] = []) => {
  const wanted = { name: 'script', scopes, networks, expiresAt: Date.now() + 600_000 };
  return (await server.hostkeep.core.tokens.make(account, wanted, '127.0.0.1')).token;
};

/** Tokens by what their clients are; `undefined` for guests. */
async function clients(): Promise<Record<string, string | undefined>> {
  const { plans, accounts, sessions } = server.hostkeep.core;
  const { name: _, features: __, ...limits } = await plans.get('basic');
  await plans.create('nothing', limits, []);
  const [ann, root] = [await server.user('ann'), await server.admin()];
  const [gone, suspended] = [await server.user('gone'), await server.user('sue')];
  await sessions.endOthers(gone.account, '', '127.0.0.1');
  await accounts.suspend('sue');
  return {
    'a guest': undefined,
    'a token that is none': 'a.b.c',
    'a session that has ended': gone.token,
    'a suspended customer': suspended.token,
    'a customer': ann.token,
    'a customer without features': (await server.user('ned', 'nothing')).token,
    "a customer's API token for something else": await apiToken(ann.account, ['locale:read']),
    "a customer's API token that only reads": await apiToken(ann.account, [
      'domains:read',
      'account:read',
      'docker:read',
    ]),
    "a customer's API token from elsewhere": await apiToken(ann.account, ['domains:read'], ['192.0.2.0/24']),
    'an administrator': root.token,
    "an administrator's API token for something else": await apiToken(root.account, ['locks:read']),
    "an administrator's API token that only reads": await apiToken(root.account, ['accounts:read', 'plans:read']),
  };
}

const isRefusal = (status: number) => status === 401 || status === 403;
/** Bodies fit, so that nothing but a gate refuses. */
const bodyOf = ({ takes, choices = {} }: Translated['row']) => {
  const required = takes?.filter((each) => each.endsWith('!')).map((each) => each.slice(0, -1));
  return required && Object.fromEntries(required.map((name) => [name, choices[name]?.[0] ?? 'x']));
};
const filled = (path: string) => path.replace(/:\w+/g, 'x').replace(/\*\w+$/, 'x/y');

interface Refusal {
  readonly status: number;
  readonly error: unknown;
}
const ask = async (address: Address, operation: string, token: string | undefined, body?: unknown) => {
  const [method = '', path = ''] = operation.split(' ');
  const options = { address, method, ...(token !== undefined && { token }), ...(body !== undefined && { body }) };
  const answer = await server.ask<Body>(filled(path), options);
  return { status: answer.status, error: answer.body['error'] };
};

// threat crossed-scopes: a form adds no rights to what the operation behind it gives the same client
test('a path that calls a refusing operation refuses, in the same way', async () => {
  const native = new Map<string, RouteInfo>();
  for (const route of server.hostkeep.node.routes())
    for (const path of route.paths) native.set(`${route.address} ${route.method} ${path}`, route);
  let [refused, open] = [0, 0];
  for (const [client, token] of Object.entries(await clients()))
    for (const { row, spec } of translated.filter(({ row: { access } }) => access !== 'guest')) {
      const address = spec.address as Address;
      const sure = row.steps.filter((step) => step.if === undefined);
      const refusals: (Refusal | undefined)[] = [];
      for (const { calls } of sure.length > 0 ? sure : row.steps) {
        const route = native.get(`${address} ${calls}`);
        assert.ok(route !== undefined, `${calls} on the ${address} address`);
        const answer = await ask(address, calls, token, route.body === undefined ? undefined : {});
        refusals.push(isRefusal(answer.status) ? answer : undefined);
      }
      if (refusals.every((each) => each === undefined)) {
        open += 1;
        continue;
      }
      for (const path of [spec.path].flat()) {
        const where = `${client}: ${spec.method} ${address} ${path}`;
        const answer = await ask(address, `${spec.method} ${path}`, token, bodyOf(row));
        if (sure.length > 0 && refusals[0] !== undefined) assert.equal(answer, refusals[0], where);
        else assert.ok(answer.status >= 400, `${where}: ${answer.status}`);
        refused += 1;
      }
    }
  assert.ok(refused > 400 && open > 50, `${refused} refused, ${open} open`);
});

test('what is not here is known to nobody without a session', async () => {
  const { token: user } = await server.user('una');
  const admin = await server.token(await server.account('rita', '', 'admin'));
  for (const { spec, feature } of missing) {
    const address = spec.address as Address;
    const [path = ''] = [spec.path].flat();
    for (const token of [undefined, address === 'user' ? admin : user])
      assert.equal(await ask(address, `${spec.method} ${path}`, token), {
        status: 401,
        error: 'authentication_required',
      });
    const answer = await ask(address, `${spec.method} ${path}`, address === 'user' ? user : admin);
    assert.equal(answer, { status: 501, error: 'not_offered' }, `${feature}: ${spec.method} ${path}`);
  }
});

test("another account's things are like things that are not there", async () => {
  const [bea, cem] = [await server.user('bea'), await server.user('cem')];
  const add = { method: 'POST', token: bea.token, body: { domain: 'bea.example' } };
  assert.is((await server.ask('/api/domains', add)).status, 201);
  const { body } = await server.ask<{ sessions: { id: string }[] }>('/api/account/sessions', { token: bea.token });
  const cases = [
    ['GET', '/api/domains/bea.example/docroot'],
    ['DELETE', '/api/domains/bea.example'],
    ['GET', '/api/sites/bea.example'],
    ['GET', '/api/sites/bea.example/screenshot'],
    ['DELETE', `/openpanel/api/account/sessions/${body.sessions[0]?.id}`],
  ] as const;
  for (const [method, path] of cases) {
    const foreign = await server.ask<Body>(path, { method, token: cem.token });
    const nobodys = await server.ask<Body>(
      path.replace(/bea|[^/]+$/, (it) => (it === 'bea' ? 'nobody' : 'x')),
      { method, token: cem.token },
    );
    assert.equal([foreign.status, foreign.body['error']], [404, nobodys.body['error']], path);
  }
  assert.is((await server.ask<{ total: number }>('/api/domains', { token: bea.token })).body.total, 1);
});

// threat user-enumeration: OpenPanel's login tells nothing more either
test('a wrong password and an unknown name get one answer', async () => {
  await server.account('known');
  await server.account('boss', '', 'admin');
  for (const [address, path] of [
    ['user', '/openpanel/api/login'],
    ['admin', '/api/'],
  ] as const) {
    const answers = [];
    for (const username of [address === 'user' ? 'known' : 'boss', 'unknown'])
      answers.push(await ask(address, `POST ${path}`, undefined, { username, password: 'wrong password' }));
    assert.equal(
      answers.map(({ status, error }) => [status, error]),
      [
        [401, 'invalid_credentials'],
        [401, 'invalid_credentials'],
      ],
    );
  }
});

test('an API token reaches what its scopes reach', async () => {
  const { account } = await server.user('kim');
  const root = await server.account('bill', '', 'admin');
  const reads = await apiToken(account, ['domains:read']);
  assert.is((await server.ask('/api/domains/x.example/docroot', { token: reads })).status, 404);
  const add = await ask('user', 'POST /api/domains', reads, { domain: 'kim.example' });
  assert.equal(add, { status: 403, error: 'scope_required' });
  const billing = await apiToken(root, ['accounts:write', 'login-links:write']);
  const made = { username: 'kai', password: 'secret words', plan_name: 'basic' };
  assert.is((await ask('admin', 'POST /api/users', billing, made)).status, 201);
  assert.is((await ask('admin', 'POST /api/users/kai/autologin', billing)).status, 200);
  assert.is((await ask('admin', 'PATCH /api/users/kai', billing, { action: 'suspend' })).status, 200);
  assert.equal(await ask('admin', 'GET /api/users/kai', billing), { status: 403, error: 'scope_required' });
});

test('the plugin is off unless the configuration says so', async () => {
  const [user, admin] = [(await off.user('ann')).token, (await off.admin()).token];
  const there = new Set(
    off.hostkeep.node.routes().map(({ address, method, paths }) => `${address} ${method} ${paths[0]}`),
  );
  for (const { spec } of [...translated, ...missing])
    for (const path of [spec.path].flat()) {
      const address = spec.address as Address;
      assert.not.ok(there.has(`${address} ${spec.method} ${path}`));
      const token = address === 'user' ? user : admin;
      const { status } = await off.ask(filled(path), { address, method: spec.method, token });
      assert.ok(status === 404 || status === 405, `${spec.method} ${path}: ${status}`);
    }
});

test('no path of OpenPanel takes a request from one of ours', () => {
  const [ours, theirs] = [true, false].map((isOurs) =>
    server.hostkeep.node.routes().filter(({ plugin }) => (plugin !== 'openpanel') === isOurs),
  );
  const matches = (pattern: string, path: string) =>
    new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+').replace(/\*\w+$/, '.*')}$`).test(path);
  for (const { address, method, paths } of ours ?? [])
    for (const route of theirs ?? []) {
      if (route.address !== address || route.method !== method) continue;
      for (const path of paths)
        for (const their of route.paths.filter((each) => !/[:*]/.test(each)))
          assert.not.ok(matches(path, their), `${method} ${their} would answer in place of ${path}`);
    }
});
