/** Requests for what another node of the fleet has: what goes there, what comes back, and what is refused. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import * as assert from '../../support/assert.ts';
import type { Forward } from '../../../kernel/contract/forwarding.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import { ready, Stream } from '../../../kernel/contract/reply.ts';
import { Type } from '../../../kernel/schema.ts';
import { innerSockets } from '../../../kernel/run/data/membership.ts';
import { codeOf } from '../../support/code-of.ts';
import { Any, FLEET_ROUTES } from '../../support/fleet-routes.ts';
import { memberFolder } from '../../support/node-pair.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { forwardedRequest, type ForwardedRequest } from '../../../plugins/fleet/traffic/forwarded-request.ts';

const test = testSuite('fleet routes');
const sent: { node: string; request: ForwardedRequest }[] = [];

const routes = {
  ...FLEET_ROUTES,
  anywhere: { method: 'GET', path: '/anywhere', summary: 'x', reply: Any },
  mine: {
    method: 'POST',
    path: '/items/:id',
    at: 'home',
    summary: 'x',
    headers: ['x-word', 'x-other'],
    params: Type.Object({ id: Type.String({ maxLength: 9 }) }),
    query: Type.Object({ q: Type.Optional(Type.String()), n: Type.Integer({ default: 1 }) }),
    body: Type.Object({ text: Type.String(), size: Type.Integer({ default: 1 }) }),
    reply: Any,
  },
  pair: {
    method: 'GET',
    path: '/pairs/:left/:right',
    at: 'home',
    summary: 'x',
    params: Type.Object({ left: Type.String(), right: Type.String() }),
    reply: Any,
  },
  named: {
    method: 'GET',
    path: '/api/named/:username',
    at: 'named',
    address: 'admin',
    access: 'admin',
    summary: 'x',
    params: Type.Object({ username: Type.String() }),
    reply: Any,
  },
} as const;

const answer = ({ ip }: { readonly ip: string }) => ({ here: true, ip });

/** Its routes say which node answers; `forwards` makes it the plugin that knows the others. */
const plugin = (forwards: boolean) =>
  definePlugin({
    name: 'probe',
    features: ['dns'],
    routes,
    setup: () => ({
      handlers: {
        anywhere: answer,
        mine: answer,
        pair: answer,
        read: answer,
        stream: answer,
        named: answer,
        figures: answer,
      },
      ...(forwards && {
        forward: (async (node, ...admitted) => {
          const forwarded = forwardedRequest(...admitted);
          sent.push({ node, request: forwarded });
          if (forwarded.path !== '/stream') return ready({ node }, { headers: { ETag: '"1"' } });
          return new Stream('text/plain', (sink) => {
            sink.write(`from ${node}`);
            sink.end();
            return () => undefined;
          });
        }) satisfies Forward,
      }),
    }),
  });

let server: TestServer;
let [away, near, admin] = ['', '', ''];
test.before(async () => {
  server = await TestServer.start({ data: memberFolder('one'), plugins: [plugin(true)] });
  ({ token: near } = await server.user('near'));
  ({ token: admin } = await server.admin());
  const { accounts, passwords, sessions } = server.hostkeep.core;
  const passwordHash = await passwords.hash('correct horse battery');
  const far = { username: 'far', role: 'user', plan: 'developer', passwordHash, home: 'two' } as const;
  away = (await sessions.open(await accounts.create(far), '127.0.0.1', 'test', async () => {})).token;
});
test.before.each(() => void sent.splice(0));

interface InnerAnswer {
  readonly status: number | undefined;
  readonly body: Record<string, unknown>;
}

/** Asks at the socket for what another node admitted. */
async function askInside(path: string, token: string, address: 'user' | 'admin' = 'user'): Promise<InnerAnswer> {
  const socketPath = innerSockets(server.data, 1)[address];
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.7', host: 'elsewhere.example' };
  return new Promise((resolve, reject) => {
    request({ socketPath, path, headers }, (res) => {
      text(res).then((body) => resolve({ status: res.statusCode, body: JSON.parse(body) }), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('what this node would refuse goes nowhere', async () => {
  const { accounts } = server.hostkeep.core;
  await accounts.setFeature('far', 'dns', false);
  assert.is((await server.ask('/read')).status, 401);
  assert.is((await server.ask('/read', { token: away })).body['error'], 'feature_disabled');
  await accounts.setFeature('far', 'dns', true);
  const post = { method: 'POST', token: away, body: { text: 1 } };
  assert.is((await server.ask('/items/1', post)).body['error'], 'invalid_request');
  assert.is((await server.ask('/items/0123456789', { ...post, body: { text: 'a' } })).body['error'], 'invalid_request');
  assert.is((await server.ask('/api/named/far', { address: 'admin', token: away })).status, 401);
  assert.equal(sent, []);
});

test("a read-only account's changes are refused at every node, and nothing else is", async () => {
  const { accounts } = server.hostkeep.core;
  const setReadOnly = (username: string, isReadOnly: boolean) =>
    accounts.relocate(username, { isReadOnly }, async () => {});
  for (const [username, token] of [
    ['near', near],
    ['far', away],
  ] as const) {
    const change = () => server.ask('/items/1', { method: 'POST', token, body: { text: 'a' } });
    await setReadOnly(username, true);
    const { status, body, headers } = await change();
    assert.equal([status, body['error'], headers.get('retry-after')], [503, 'account_moving', '5']);
    assert.is((await server.ask('/read', { token })).status, 200);
    if (username === 'near') assert.is(await codeOf(accounts.remove(username)), 'account_moving');
    await setReadOnly(username, false);
    assert.is((await change()).status, 200);
  }
});

test("an account's home answers, from whichever node the client asked", async () => {
  assert.is((await server.ask('/read', { token: near })).body['here'], true);
  assert.is((await server.ask('/anywhere', { token: away })).body['here'], true);
  assert.equal(sent, []);
  const { status, headers, body } = await server.ask('/items/a%2Fb%20c?q=x%26y', {
    method: 'POST',
    token: away,
    body: { text: 'ä' },
    headers: { 'x-word': 'word', 'x-not-read': 'x' },
  });
  assert.equal([status, headers.get('etag'), body], [200, '"1"', { node: 'two' }]);
  assert.equal(
    sent.flatMap(({ node, request }) => [node, { ...request, signal: request.signal.aborted }]),
    [
      'two',
      {
        address: 'user',
        method: 'POST',
        path: '/items/a%2Fb%20c?q=x%26y',
        headers: {
          'x-word': 'word',
          authorization: `Bearer ${away}`,
          'x-request-id': headers.get('x-request-id'),
        },
        body: '{"text":"ä"}',
        ip: '127.0.0.1',
        accountId: (await server.hostkeep.core.accounts.get('far')).id,
        isHandshake: false,
        signal: false,
      },
    ],
  );
});

test("the other node learns which language an API token's program asks for", async () => {
  const far = await server.hostkeep.core.accounts.get('far');
  const wanted = { name: 'script', scopes: ['dns:read'], networks: [], expiresAt: Date.now() + 60_000 };
  const { token } = await server.hostkeep.core.tokens.make(far, wanted, '');
  const ask = (language: string, as: string) =>
    server.ask('/read', { token: as, headers: { 'accept-language': language } });
  for (const [language, as] of [
    ['de, en;q=0.5', token],
    ['de', away],
  ] as const)
    assert.is((await ask(language, as)).status, 200, language);
  assert.equal(
    sent.map(({ request }) => request.headers['accept-language']),
    ['de, en;q=0.5', undefined],
    'a person has the language of the account',
  );
});

test("defaults of omitted values are left to the other node's version", async () => {
  for (const [query, size] of [
    ['', undefined],
    ['?n=2', 3],
  ] as const) {
    const body = { text: 'a', ...(size && { size }) };
    assert.is((await server.ask(`/items/1${query}`, { method: 'POST', token: away, body })).status, 200);
    assert.equal(
      sent.splice(0).map(({ request: { path, body } }) => [path, body]),
      [[`/items/1${query}`, JSON.stringify(body)]],
    );
  }
});

test('what a client writes in a path stays in its place', async () => {
  for (const path of ['/pairs/*right/x', '/pairs/..%2F:right/%252e']) await server.ask(path, { token: away });
  assert.equal(
    sent.map(({ request: { path } }) => path),
    ['/pairs/*right/x', '/pairs/..%2F%3Aright/%252e'],
  );
});

test('a stream of the other node is one here, and a HEAD request asks for the same', async () => {
  const answered = await fetch(`${server.hostkeep.url('user')}/stream`, {
    headers: { authorization: `Bearer ${away}` },
  });
  assert.equal([answered.status, await answered.text()], [200, 'from two']);
  const { status, headers } = await server.ask('/read', { method: 'HEAD', token: away });
  assert.equal([status, headers.get('content-length')], [200, String('{"node":"two"}'.length)]);
  assert.equal(
    sent.map(({ request: { method } }) => method),
    ['GET', 'GET'],
  );
});

test('administrators reach the home of an account and the node of a query', async () => {
  const ask = async (path: string) => (await server.ask(path, { address: 'admin', token: admin })).body;
  assert.is((await ask('/api/named/near'))['here'], true);
  assert.is((await ask('/api/named/nobody'))['here'], true);
  assert.equal(await ask('/api/named/far'), { node: 'two' });
  assert.is((await ask('/api/figures'))['here'], true);
  assert.is((await ask('/api/figures?node=one'))['here'], true);
  assert.equal(await ask('/api/figures?node=two'), { node: 'two' });
  assert.equal(
    sent.map(({ request: { address, path } }) => `${address} ${path}`),
    ['admin /api/named/far', 'admin /api/figures?node=two'],
  );
  const { accounts, store } = server.hostkeep.core;
  assert.is(await codeOf(accounts.remove('far')), 'other_node');
  await store.write((tx) => tx.run("update accounts set home = 'one' where username = 'far'"));
  await accounts.remove('far');
  await store.write((tx) => tx.run("update removed_accounts set home = 'two' where username = 'far'"));
  assert.is(await codeOf(accounts.removed.claim('far')), 'other_node');
  assert.equal(await ask('/api/named/far'), { node: 'two' }, 'what a removed account left is still there');
});

test('a forwarded request is admitted again and goes no further', async () => {
  const { accounts, passwords, sessions } = server.hostkeep.core;
  const passwordHash = await passwords.hash('correct horse battery');
  const other = { username: 'other', role: 'user', plan: 'developer', passwordHash, home: 'two' } as const;
  const { token } = await sessions.open(await accounts.create(other), '127.0.0.1', 'test', async () => {});
  assert.is((await askInside('/read', 'x')).status, 401);
  assert.is((await askInside('/api/named/near', near, 'admin')).status, 401);
  const refused = await askInside('/read', token);
  assert.equal([refused.status, refused.body['error']], [503, 'node_unreachable']);
  assert.equal((await askInside('/read', near)).body, { here: true, ip: '192.0.2.7' });
  assert.equal((await askInside('/api/figures', admin, 'admin')).body, { here: true, ip: '192.0.2.7' });
  assert.equal(sent, []);
});

test('without a fleet, no request is answered from the wrong place', async () => {
  for (const [data, expected] of [
    [memberFolder('one'), [503, 503, 503]],
    [temporaryFolder(), [200, 200, 404]],
  ] as const) {
    const lone = await TestServer.start({ data, plugins: [plugin(false)] });
    const { accounts, passwords } = lone.hostkeep.core;
    const passwordHash = await passwords.hash('correct horse battery');
    const far = await accounts.create({ username: 'far', role: 'user', plan: 'developer', passwordHash, home: 'two' });
    const token = await lone.token(far);
    const root = { address: 'admin', token: (await lone.admin()).token } as const;
    assert.equal(
      [
        (await lone.ask('/read', { token })).status,
        (await lone.ask('/api/named/far', root)).status,
        (await lone.ask('/api/figures?node=two', root)).status,
      ],
      expected,
    );
    await lone.close();
  }
});
