/** Routes that call others in this process, for their client: with what the client may do, and no more. */
import * as assert from '../support/assert.ts';
import { HttpError } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { ready, reply, Stream } from '../../kernel/contract/reply.ts';
import type { RouteInput } from '../../kernel/contract/route-calls.ts';
import type { RouteSpec } from '../../kernel/contract/route-spec.ts';
import { Type } from '../../kernel/schema.ts';
import { TestServer, type Answer, type RequestOptions } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('route calls');
const Any = Type.Unsafe<Record<string, unknown>>({});
const Echo = Type.Object({ text: Type.String(), times: Type.Integer({ default: 1 }) });

/** The routes that are called. They own features of the catalogue. */
const native = definePlugin({
  name: 'native',
  features: ['dns', 'pm2'],
  routes: {
    open: {
      method: 'GET',
      path: '/open',
      address: 'both',
      access: 'guest',
      summary: 'x',
      headers: ['x-word'],
      reply: Any,
    },
    mine: { method: 'GET', path: ['/mine', '/mine-too'], access: 'user', summary: 'x', reply: Any },
    gated: { method: 'GET', path: '/gated', summary: 'x', reply: Any },
    both: { method: 'POST', path: '/both', feature: { all: ['pm2'] }, summary: 'x', reply: Any, status: 201 },
    kept: { method: 'GET', path: '/kept', tokens: 'refused', summary: 'x', reply: Any },
    admin: { method: 'GET', path: '/api/area', address: 'admin', access: 'admin', summary: 'x', reply: Any },
    item: {
      method: 'POST',
      path: '/items/:id/*rest',
      summary: 'x',
      params: Type.Object({ id: Type.Integer(), rest: Type.String() }),
      query: Type.Object({ q: Type.String({ default: '' }), n: Type.Integer({ default: 1 }) }),
      body: Echo,
      reply: Any,
    },
    text: { method: 'GET', path: '/text', summary: 'x', reply: Type.String(), produces: ['text/plain'] },
    stream: { method: 'GET', path: '/stream', summary: 'x', reply: Type.String(), produces: ['text/event-stream'] },
    failing: { method: 'GET', path: '/failing', summary: 'x', reply: Any },
  },
  setup: () => ({
    handlers: {
      open: (call) => ({ ip: call.ip, word: call.header('x-word'), account: call.account, page: call.page }) as never,
      mine: ({ account }) => ready({ username: account.username }, { headers: { ETag: '"1"' } }),
      gated: ({ ip, address, requestId }) => ({ ip, address, requestId }),
      both: () => ({}),
      kept: () => ({}),
      admin: () => ({ admin: true }),
      item: ({ params, query, body }) => ({ params, query, body }),
      text: () => reply('plain', { type: 'text/plain' }),
      stream: () => new Stream('text/event-stream', () => () => undefined),
      failing: async () => {
        throw new HttpError('folder_not_found', 'not here');
      },
    },
  }),
});

const Body = Type.Object({ operation: Type.String(), input: Type.Optional(Any) });
const outer = { method: 'POST', summary: 'x', body: Body, reply: Any, address: 'both' } as const;
/** Calls what its body names. */
const form = definePlugin({
  name: 'form',
  features: [],
  routes: {
    call: { ...outer, path: '/call', access: 'user', tokens: 'delegated' },
    guest: { ...outer, path: '/guest-call', access: 'guest' },
    usable: {
      method: 'GET',
      path: '/usable',
      address: 'both',
      access: 'user',
      tokens: 'delegated',
      summary: 'x',
      reply: Any,
    },
  },
  setup: ({ node: { calls: routes } }) => {
    const call = async (
      from: Parameters<typeof routes.call>[0],
      { operation, input }: { operation: string; input?: unknown },
    ) => {
      const answer = await routes.call(from, operation, input as RouteInput);
      return { ...answer, reply: answer.reply?.type ?? null };
    };
    return {
      handlers: {
        call: (from) => call(from, from.body),
        guest: (from) => call(from as never, from.body),
        usable: (from) => ({ usable: routes.usable(from).map(({ plugin, name }) => `${plugin}.${name}`) }),
      },
    };
  },
});

let server: TestServer;
test.before(async () => {
  server = await TestServer.start({ plugins: [native, form] });
  await server.hostkeep.core.plans.setFeature('developer', 'pm2', false);
});

type Body = Record<string, unknown>;
const call = (operation: string, options: RequestOptions = {}, input?: RouteInput, path = '/call') =>
  server.ask<Body>(path, { method: 'POST', body: { operation, input }, ...options });
const errorOf = ({ status, body }: Answer<Body>) => [status, body['error']];
const apiToken = async (username: string, scopes: readonly string[]) => {
  const { account } = await server.user(username);
  const expiresAt = Date.now() + 60_000;
  const made = await server.hostkeep.core.tokens.make(
    account,
    { name: 'x', scopes, networks: [], expiresAt },
    '127.0.0.1',
  );
  return made.token;
};

test('a called route refuses what it would refuse its client', async () => {
  const { token, account } = await server.user('ann');
  const { token: admin } = await server.admin();
  assert.equal(errorOf(await call('GET /gated')), [401, 'authentication_required']);
  for (const operation of ['GET /gated', 'GET /mine'])
    assert.equal(errorOf(await call(operation, {}, undefined, '/guest-call')), [401, 'authentication_required']);
  assert.equal(errorOf(await call('POST /both', { token })), [403, 'feature_disabled']);
  await server.hostkeep.core.accounts.setFeature(account.username, 'dns', false);
  assert.equal(errorOf(await call('GET /gated', { token })), [403, 'feature_disabled']);
  for (const operation of ['GET /api/area', 'POST /gated', 'GET /nowhere', 'gated', ''])
    assert.equal(errorOf(await call(operation, { token })), [404, 'not_found'], operation);
  assert.equal(errorOf(await call('GET /mine', { token: admin, address: 'admin' })), [404, 'not_found']);
  assert.equal(errorOf(await call('GET /api/area', { token, address: 'admin' })), [401, 'authentication_required']);
});

test('an API token needs the scope of the route that is called', async () => {
  const token = await apiToken('bob', ['dns:read']);
  assert.is((await call('GET /gated', { token })).status, 200);
  const { status, body } = await call('POST /items/:id/*rest', { token }, { params: { id: 1 }, body: { text: 'x' } });
  assert.equal([status, body['error'], body['scope']], [403, 'scope_required', 'dns:write']);
  for (const operation of ['GET /kept', 'GET /mine'])
    assert.equal(errorOf(await call(operation, { token })), [403, 'session_required']);
  const { body: list } = await server.ask<Body>('/usable', { token });
  assert.equal(list['usable'], ['native.open', 'native.gated', 'native.text', 'native.failing', 'form.guest']);
});

test('input that the route does not describe is refused with its own words', async () => {
  const { token } = await server.user('carl');
  const item = (input: RouteInput) => call('POST /items/:id/*rest', { token }, input);
  const good = { params: { id: 7, rest: 'a' }, body: { text: 'x' } };
  const bad: [RouteInput, string][] = [
    [{ ...good, params: { id: 'seven', rest: 'a' } }, 'path/id must be a whole number'],
    [{ ...good, params: { ...good.params, more: 1 } }, 'path/more is not known here'],
    [{ ...good, params: { id: 7, rest: '\ud800' } }, 'a text for path or query is not valid Unicode'],
    [{ ...good, query: { n: 'many' } }, 'query/n must be a whole number'],
    [{ ...good, query: { q: '', 'q&n': 1 } }, 'query/q&n is not known here'],
    [{ params: good.params }, 'body is missing: send JSON'],
    [{ ...good, body: { text: 5 } }, 'body/text must be text, and is a number'],
    [{ ...good, body: { text: 'x', more: 1 } }, 'body/more is not known here'],
  ];
  for (const [input, detail] of bad) {
    const { status, body } = await item(input);
    assert.equal([status, body['error'], body['detail']], [400, 'invalid_request', detail]);
  }
  assert.equal(errorOf(await call('GET /mine', { token }, { body: {} })), [400, 'invalid_request']);
});

test('routes that stream, or that call others, are not called', async () => {
  const { token } = await server.user('dora');
  for (const operation of ['GET /stream', 'POST /call', 'GET /usable'])
    assert.equal(errorOf(await call(operation, { token })), [500, 'internal_error'], operation);
});

test('a called route gets what its client would have sent', async () => {
  const { token } = await server.user('eve');
  const rest = '../a b%2F+&=?#/ü';
  const { body } = await call(
    'POST /items/:id/*rest',
    { token },
    {
      params: { id: 7, rest },
      query: { q: 'a+b & c', n: undefined },
      body: { text: 'x' },
    },
  );
  assert.equal(body['value'], {
    params: { id: 7, rest },
    query: { q: 'a+b & c', n: 1 },
    body: { text: 'x', times: 1 },
  });
  const { body: gated } = await call('GET /gated', { token });
  const value = gated['value'] as Body;
  assert.equal([gated['status'], value['ip'], value['address']], [200, '127.0.0.1', 'user']);
  assert.match(String(value['requestId']), /./);
});

test('an inner call returns JSON with its status, or the body as it is', async () => {
  const { token } = await server.user('fay');
  await server.hostkeep.core.plans.setFeature('developer', 'pm2', true);
  const answerOf = async (operation: string) => (await call(operation, { token })).body;
  assert.equal(await answerOf('POST /both'), { status: 201, value: {}, reply: null });
  for (const operation of ['GET /mine', 'GET /mine-too'])
    assert.equal(await answerOf(operation), { status: 200, value: { username: 'fay' }, reply: 'application/json' });
  assert.equal(await answerOf('GET /text'), { status: 200, reply: 'text/plain' });
  assert.equal(errorOf(await call('GET /failing', { token })), [404, 'folder_not_found']);
  const input = { headers: { 'x-word': 'hello' } };
  const guest = await call('GET /open', {}, input, '/guest-call');
  assert.equal(guest.body['value'], { ip: '127.0.0.1', word: 'hello' });
});

test('administrators use what is for them on their address', async () => {
  const token = await server.token(await server.hostkeep.core.accounts.get('root'));
  assert.equal((await call('GET /api/area', { token, address: 'admin' })).body['value'], { admin: true });
  const { body } = await server.ask<Body>('/usable', { token, address: 'admin' });
  assert.equal(body['usable'], ['native.open', 'native.admin', 'form.guest']);
});

test('a route that leaves its gate to others has no gate of its own', async () => {
  const route = { method: 'GET', path: '/x', summary: 'x', reply: Any, tokens: 'delegated' } as const;
  for (const gate of [{}, { feature: 'dns' }] as Partial<RouteSpec>[]) {
    const routes = { bad: { ...route, ...gate } } as Record<string, RouteSpec>;
    const plugin = definePlugin({
      name: 'bad',
      features: ['dns'],
      routes,
      setup: () => ({ handlers: { bad: () => ({}) } }),
    });
    await TestServer.start({ plugins: [plugin] }).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, /bad\.bad leaves its gate to the routes that it calls/),
    );
  }
});
