import * as assert from '../support/assert.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { WebSocketReply, type SocketClient as Opened } from '../../kernel/contract/web-socket.ts';
import { fail } from '../../kernel/errors.ts';
import { Type } from '../../kernel/schema.ts';
import { memberFolder } from '../support/node-pair.ts';
import { TestServer } from '../support/hostkeep.ts';
import { connectSocket, openSocket } from '../support/socket-client.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('web sockets');

/** Sends each message back, and keeps the server's ends that are open. */
function echoPlugin(open: Opened[] = [], isReading = true, onOpen: () => void = () => undefined) {
  const echo = async (client: Opened) => {
    for await (const { bytes, isText } of client.messages)
      await client.send(isText ? `said ${Buffer.from(bytes).toString()}` : bytes);
  };
  const socket = {
    method: 'GET',
    summary: 'echoes',
    status: 101,
    tokens: 'refused',
    described: false,
    reply: Type.Unknown(),
  } as const;
  const reply = () =>
    new WebSocketReply((client) => {
      open.push(client);
      onOpen();
      if (isReading) void echo(client);
      return () => void open.splice(open.indexOf(client), 1);
    });
  return definePlugin({
    name: 'echo',
    features: ['dns'],
    routes: {
      echo: { ...socket, path: '/api/echo/:id', params: Type.Object({ id: Type.Integer() }) },
      later: { ...socket, path: '/api/later' },
      home: { ...socket, path: '/api/at-home', at: 'home' },
      fails: { ...socket, path: '/api/fails' },
      beside: { method: 'POST', path: '/api/later', summary: 'beside one', reply: Type.Object({}) },
    },
    setup: () => ({
      handlers: {
        echo: reply,
        home: reply,
        later: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return reply();
        },
        fails: () => {
          throw fail.overloaded('too many');
        },
        beside: () => ({}),
      },
    }),
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const at = (server: TestServer, path = '/api/echo/1') => server.hostkeep.url('user') + path;

// threat cross-site-web-socket: no page of another origin opens one with the cookie of a page
// asvs 4.4.2: the origin of a handshake is checked
test('a WebSocket opens to whom its route is open, and to our own pages only', async () => {
  const open: Opened[] = [];
  const server = await TestServer.start({ plugins: [echoPlugin(open)] });
  const { token } = await server.user('ann');
  const cookie = `hostkeep-user=${server.hostkeep.core.sessions.sealCookie(token)}`;
  const { origin } = new URL(at(server));
  const refusals: readonly (readonly [want: string, headers: Record<string, string>, path?: string])[] = [
    ['401 authentication_required', {}],
    ['401 authentication_required', bearer('none')],
    ['401 authentication_required', { cookie }],
    ['401 authentication_required', { cookie, 'hostkeep-page': '1' }],
    ['401 authentication_required', { cookie, 'hostkeep-page': '1', 'sec-fetch-site': 'same-origin' }],
    ['401 authentication_required', { cookie, origin: 'https://evil.example' }],
    ['401 authentication_required', { cookie, origin: origin.replace('http', 'https') }],
    ['401 authentication_required', { cookie, origin: `${origin}.evil.example` }],
    ['401 authentication_required', { cookie, origin: 'null' }],
    ['400 invalid_request', bearer(token), '/api/echo/one'],
    ['400 invalid_request', bearer(token), '/api/echo/1?strange=1'],
    ['503 overloaded', bearer(token), '/api/fails'],
    ['426 upgrade_required', { ...bearer(token), connection: 'close' }],
    ['426 upgrade_required', { ...bearer(token), connection: 'close' }, '/api/later'],
    ['404 not_found', bearer(token), '/api/none'],
  ];
  for (const [want, headers, path] of refusals)
    assert.is(await openSocket(at(server, path), headers), want, JSON.stringify([headers, path]));
  assert.is((await server.ask('/api/echo/1', { headers: { cookie, origin } })).status, 401, 'no handshake');
  await server.hostkeep.core.accounts.setFeature('ann', 'dns', false);
  assert.is(await openSocket(at(server), bearer(token)), '403 feature_disabled');
  await server.hostkeep.core.accounts.setFeature('ann', 'dns', true);
  assert.is(open.length, 0);
  for (const [path, headers] of [
    ['/api/echo/1', bearer(token)],
    ['/api/later', { cookie, origin }],
  ] as const) {
    const client = await connectSocket(at(server, path), headers);
    client.send('grüße');
    client.send(Buffer.from([0, 255]));
    await until('both are back', () => client.sizeBytes === 2);
    assert.equal([client.texts, [...client.bytes]], [['said grüße'], [0, 255]]);
    client.close();
  }
  await until('they are closed', () => open.length === 0);
});

test('a request that is no handshake is told why it is refused', async () => {
  const server = await TestServer.start({ plugins: [echoPlugin()] });
  const { token } = await server.user('ann');
  const { status, headers, body } = await server.ask('/api/echo/1', { token });
  assert.equal([status, headers.get('upgrade'), body['error']], [426, 'websocket', 'upgrade_required']);
  assert.is((await server.ask('/api/fails', { token })).status, 503, 'what the handler says comes first');
  assert.is((await server.ask('/api/later', { token, method: 'POST' })).status, 200);
  assert.is((await server.ask('/api/echo/1', { token, method: 'POST' })).status, 405);
});

test('a WebSocket stays open whatever memory its source takes when it opens', async () => {
  // the system keeps copies of these, of each size that uWebSockets.js may have freed a moment before
  const takeMemory = () => {
    for (let size = 1; size <= 128; size += 1) process.env[`HOSTKEEP_${size}`] = 'p'.repeat(size);
    for (let size = 1; size <= 128; size += 1) delete process.env[`HOSTKEEP_${size}`];
  };
  const server = await TestServer.start({ plugins: [echoPlugin([], true, takeMemory)] });
  const { token } = await server.user('ann');
  for (let i = 0; i < 30; i += 1) {
    const client = await connectSocket(at(server, '/api/later'), bearer(token));
    client.send('here');
    await until('it answers or is closed', () => client.texts.length === 1 || client.closed !== undefined);
    assert.is(client.closed, undefined, `WebSocket ${i}`);
    client.close();
  }
});

// threat immortal-tokens: a WebSocket ends with the session, the account, the feature, and the plan
test('a WebSocket ends with whatever opened it, and with the server', async () => {
  const open: Opened[] = [];
  const server = await TestServer.open({ plugins: [echoPlugin(open)] });
  const { accounts, plans, sessions } = server.hostkeep.core;
  const { account } = await server.user('ann');
  const kept = await connectSocket(at(server), bearer((await server.user('bob')).token));
  const endSession = async (token: string) => {
    const known = await sessions.authenticate(`Bearer ${token}`);
    if (known !== undefined) await sessions.end(known.account, known.session.id, '127.0.0.1');
  };
  const endings: readonly (readonly [undo: () => unknown, end: (token: string) => unknown])[] = [
    [() => undefined, (token) => endSession(token)],
    [() => accounts.setFeature('ann', 'dns', undefined), () => accounts.setFeature('ann', 'dns', false)],
    [() => accounts.unsuspend('ann'), () => accounts.suspend('ann')],
  ];
  for (const [undo, end] of endings) {
    const token = await server.token(account);
    const client = await connectSocket(at(server), bearer(token));
    await end(token);
    await until('it is closed', () => client.closed === 1001);
    assert.is(open.length, 1, end.toString());
    await undo();
  }
  await plans.setFeature('developer', 'dns', false);
  await until('all of the plan are closed', () => kept.closed === 1001);
  await plans.setFeature('developer', 'dns', true);
  const last = await connectSocket(at(server), bearer(await server.token(account)));
  await server.close();
  await until('it is closed', () => last.closed === 1001);
  assert.is(open.length, 0);
});

test('a client that sends too much loses its WebSocket, and nobody else', async () => {
  const open: Opened[] = [];
  const server = await TestServer.start({ plugins: [echoPlugin(open, false)] });
  const { token } = await server.user('ann');
  const [kept, long, many] = await Promise.all(
    [1, 2, 3].map((id) => connectSocket(at(server, `/api/echo/${id}`), bearer(token))),
  );
  long?.send(Buffer.alloc(64 * 1024 + 1));
  await until('a message was too long', () => long?.closed !== undefined && open.length === 2);
  for (let i = 0; i < 20; i += 1) many?.send(Buffer.alloc(60 * 1024));
  await until('too many wait', () => many?.closed !== undefined && open.length === 1);
  assert.equal([many?.closed, kept?.closed], [1008, undefined]);
  kept?.close();
});

test('who sends waits for a client that does not read', async () => {
  const open: Opened[] = [];
  const server = await TestServer.start({ plugins: [echoPlugin(open, false)] });
  const { token } = await server.user('ann');
  const client = await connectSocket(at(server), bearer(token));
  client.socket.pause();
  const [sink] = open;
  assert.ok(sink !== undefined);
  const chunk = Buffer.alloc(32 * 1024, 'x');
  let sent = 0;
  const flood = async (over: AbortSignal) => {
    for (; !over.aborted; sent += 1) {
      await sink.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const flooding = flood(first.signal);
  let before = -1;
  await until('nothing more is sent', () => {
    const isStill = before === sent;
    before = sent;
    return isStill && sent > 0;
  });
  assert.ok(sent * chunk.length < 32 * 2 ** 20, `${sent} chunks`);
  client.socket.resume();
  await until('all goes on', () => client.sizeBytes > (before + 10) * chunk.length);
  first.abort();
  await flooding;
  await until('nothing is lost', () => client.sizeBytes === sent * chunk.length);
  client.socket.pause();
  const stuck = flood(second.signal);
  client.socket.destroy();
  await until('it is closed', () => open.length === 0);
  second.abort();
  await stuck;
});

test('WebSockets at the home of an account end when it moves', async () => {
  const server = await TestServer.start({ plugins: [echoPlugin()], data: memberFolder('here') });
  const { account, token } = await server.user('ann');
  const client = await connectSocket(at(server, '/api/at-home'), bearer(token));
  const route = server.hostkeep.plugins.routes.find(({ info }) => info.name === 'home')?.info;
  assert.equal([...(route?.traffic.statuses ?? [])], []);
  const { accounts } = server.hostkeep.core;
  await accounts.relocate('ann', { isReadOnly: true }, async () => undefined);
  await until('its account moves', () => client.closed === 1001);
  await until('it is counted', () => route?.traffic.statuses.get(101) === 1);
  assert.is(await openSocket(at(server, '/api/at-home'), bearer(token)), '503 account_moving');
  await accounts.relocate('ann', { isReadOnly: false, home: 'there' }, async () => undefined);
  const refused = await openSocket(at(server, '/api/at-home'), bearer(await server.token(account)));
  assert.is(refused, '503 node_unreachable', 'no plugin knows the way there');
});
