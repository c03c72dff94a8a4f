/** WebSockets that another node serves: what opens them, what passes, and what ends them. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:tls';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { WebSocketReply, type SocketClient as Opened } from '../../../../kernel/contract/web-socket.ts';
import { fail } from '../../../../kernel/errors.ts';
import { splitHostPort } from '../../../../kernel/kit/net/host-port.ts';
import { readMembership } from '../../../../kernel/run/data/membership.ts';
import { Type } from '../../../../kernel/schema.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { addMember, members, removeMember } from '../../../../plugins/fleet/store.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { connectSocket, openSocket } from '../../../support/socket-client.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('fleet web sockets');
const MIB = 2 ** 20;
/** As many as the route of the probe has for an account. */
const MOST = 300;

/** What a node's own plugin has open. */
interface Served {
  readonly open: Opened[];
  /** With whom it opened, in their order. */
  readonly who: string[];
  isReading: boolean;
  /** Requests that are about to open one, until their clients go. */
  slow: number;
}
const nothing = (): Served => ({ open: [], who: [], isReading: true, slow: 0 });

const probeOf = (served: Served) => {
  const echo = async (client: Opened) => {
    for await (const { bytes, isText } of client.messages)
      await client.send(isText ? `said ${Buffer.from(bytes).toString()}` : bytes);
  };
  const params = Type.Object({ id: Type.String() });
  const socket = { method: 'GET', at: 'home', summary: 'x', status: 101, tokens: 'refused' } as const;
  return definePlugin({
    name: 'probe',
    features: ['dns'],
    routes: { echo: { ...socket, path: '/api/echo/:id', described: false, params, reply: Type.Unknown() } },
    setup: () => ({
      handlers: {
        echo: async ({ account, ip, signal, params: { id } }) => {
          if (id === 'slow') {
            served.slow += 1;
            await once(signal, 'abort');
            served.slow -= 1;
          }
          if (id === 'full' || served.open.length === MOST) throw fail.overloaded('too many', { retryAfterSeconds: 7 });
          return new WebSocketReply((client) => {
            served.open.push(client);
            served.who.push(`${account.username} ${ip} ${id}`);
            if (served.isReading) void echo(client);
            return () => void served.open.splice(served.open.indexOf(client), 1);
          });
        },
      },
    }),
  });
};

let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];
let [near, far] = ['', ''];
let atTwo = nothing();

const serveTwo = async () => (second = await fleet.serve(two, [probeOf((atTwo = nothing())), fleetPlugin]));
test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('web_sockets'));
  first = await fleet.serve(one, [probeOf(nothing()), fleetPlugin]);
  await serveTwo();
  near = (await first.user('near')).token;
  far = (await second.user('far')).token;
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const url = (id = 'x') => `${first.hostkeep.url('user')}/api/echo/${id}`;
const open = (token = far, id?: string) => connectSocket(url(id), bearer(token));
const refusal = async (headers: Record<string, string> = bearer(far), id?: string) => {
  const opened = await openSocket(url(id), headers);
  if (typeof opened !== 'string') opened.close();
  return opened;
};
/** Resolves once both nodes have heard that the account may open one. */
const areOpen = (token = far) =>
  until('both nodes allow it', async () => (await first.ask('/api/echo/x', { token })).status === 426);
const tokenOfFar = async (server = second) => server.token(await server.hostkeep.core.accounts.get('far'));

// threat cross-site-web-socket: the node that is asked checks the origin, whichever one opens the WebSocket
test('what either node refuses arrives as it is', async () => {
  const cookie = `hostkeep-user=${first.hostkeep.core.sessions.sealCookie(far)}`;
  const { origin } = new URL(url());
  assert.is(await refusal({}), '401 authentication_required');
  assert.is(await refusal({ cookie, origin: 'https://evil.example' }), '401 authentication_required');
  assert.is(await refusal({ ...bearer(far), connection: 'close' }), '426 upgrade_required');
  assert.is(await refusal(bearer(far), 'full'), '503 overloaded');
  assert.is(await refusal(bearer(far), 'x?strange=1'), '400 invalid_request');
  const plain = await first.ask('/api/echo/full', { token: far });
  assert.equal([plain.status, plain.headers.get('retry-after')], [503, '7']);
  const { status, headers } = await first.ask('/api/echo/x', { token: far });
  assert.equal([status, headers.get('upgrade')], [426, 'websocket']);
  await second.hostkeep.core.accounts.setFeature('far', 'dns', false);
  assert.is(await refusal(), '403 feature_disabled');
  await second.hostkeep.core.accounts.setFeature('far', 'dns', undefined);
  await areOpen();
  assert.equal(atTwo.who, []);
  const client = await connectSocket(url(), { cookie, origin });
  await until('it is open there', () => atTwo.open.length === 1);
  client.close();
  await until('it is closed', () => atTwo.open.length === 0);
});

test('messages pass in both directions as they are, and the home knows whose they are', async () => {
  const there = await open(far, '..');
  const here = await open(near);
  const all = Buffer.from(Array.from({ length: 60 * 1024 }, (_, i) => i));
  for (const client of [there, here]) {
    client.send('grüße');
    client.send(all);
    client.send('');
    await until('all are back', () => client.texts.length === 2);
    assert.equal([client.texts, client.bytes.equals(all)], [['said grüße', 'said '], true]);
    client.close();
  }
  assert.is(atTwo.who.at(-1), 'far 127.0.0.1 ..');
  const early = await open();
  for (let i = 0; i < 50; i += 1) early.send(String(i));
  await until('all are back in their order', () => early.texts.length === 50);
  assert.equal(early.texts.map((each) => each.slice(5)).map(Number), [...Array(50).keys()]);
  early.close();
  await until('none is left', () => atTwo.open.length === 0);
});

test('an end has its code, whichever side ends it, and what was sent before arrives', async () => {
  const [client, sudden] = [await open(), await open()];
  await until('both are open', () => atTwo.open.length === 2);
  sudden.socket.destroy();
  await until('the home sees that one is gone', () => atTwo.open.length === 1);
  void atTwo.open[0]?.send('x'.repeat(MIB));
  atTwo.open[0]?.close(1008);
  await until('the client sees the end', () => client.closed !== undefined);
  assert.equal([client.closed, client.texts[0]?.length], [1008, MIB]);
  atTwo.isReading = false;
  const last = await open();
  await until('it is open', () => atTwo.open.length === 1);
  const [home] = atTwo.open;
  for (let i = 0; i < 20; i += 1) last.send(String(i));
  last.close();
  await until('it is closed', () => atTwo.open.length === 0);
  const heard: string[] = [];
  for await (const { bytes } of home?.messages ?? []) heard.push(Buffer.from(bytes).toString());
  assert.is(heard.length, 20);
  atTwo.isReading = true;
});

// threat immortal-tokens: a WebSocket at another node ends with the session, the account and the feature
test('it ends with whatever opened it, on whichever node that ends', async () => {
  const kept = await open(near);
  for (const server of [first, second]) {
    const { accounts, sessions } = server.hostkeep.core;
    const endSession = async (token: string) => {
      const known = await sessions.authenticate(`Bearer ${token}`);
      if (known !== undefined) await sessions.end(known.account, known.session.id, '127.0.0.1');
    };
    const endings: readonly (readonly [end: (token: string) => unknown, undo: () => unknown])[] = [
      [endSession, () => undefined],
      [() => accounts.setFeature('far', 'dns', false), () => accounts.setFeature('far', 'dns', undefined)],
      [() => accounts.suspend('far'), () => accounts.unsuspend('far')],
    ];
    for (const [end, undo] of endings) {
      const token = await tokenOfFar();
      await areOpen(token);
      const client = await open(token);
      await until('it is open', () => atTwo.open.length === 1);
      await end(token);
      await until('it is closed at both ends', () => client.closed !== undefined && atTwo.open.length === 0);
      assert.is(client.closed, 1001, end.toString());
      await undo();
    }
  }
  far = await tokenOfFar();
  assert.is(kept.closed, undefined);
  kept.close();
});

test('a client that goes before it is answered has nothing opened', async () => {
  const opened = atTwo.who.length;
  const headers = { ...bearer(far), connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const asked = request(url('slow'), { headers: { ...headers, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' } });
  asked.on('error', () => undefined).end();
  await until('the home is asked', () => atTwo.slow === 1);
  asked.destroy();
  await until('the home hears of it', () => atTwo.slow === 0);
  assert.is(atTwo.who.length, opened);
});

test('it ends when the account moves, and is then at the new home', async () => {
  const { account, token } = await second.user('mover');
  const client = await open(token);
  const { accounts } = second.hostkeep.core;
  await accounts.relocate(account.username, { isReadOnly: true }, async () => undefined);
  await until('its account moves', () => client.closed === 1001);
  assert.is(await refusal(bearer(token)), '503 account_moving');
  await accounts.relocate(account.username, { isReadOnly: false, home: 'one' }, async () => undefined);
  const opened = atTwo.who.length;
  const moved = await eventually(
    'it is open again',
    () => openSocket(url(), bearer(token)),
    (it) => typeof it !== 'string',
  );
  assert.is(atTwo.who.length, opened);
  if (typeof moved !== 'string') moved.close();
});

// threat crowding-out: what waits for a slow client stops its source, on the way through both nodes
test('who sends waits for a client that does not read, through both nodes', async () => {
  const client = await open();
  client.socket.pause();
  const sink = await eventually('it is open', () => atTwo.open[0], Boolean);
  const chunk = Buffer.alloc(32 * 1024, 'x');
  const over = new AbortController();
  let sent = 0;
  const flood = async () => {
    for (; !over.signal.aborted; sent += 1) {
      if (sent * chunk.length > 64 * MIB && client.socket.isPaused()) return; // most of it in buffers of three connections
      await sink?.send(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const before = process.memoryUsage.rss();
  const flooding = flood();
  let last = -1;
  await until('nothing more is sent', () => {
    const isStill = last === sent;
    last = sent;
    return isStill && sent > 0;
  });
  assert.ok(sent * chunk.length < 64 * MIB, `${sent} chunks`);
  assert.ok(process.memoryUsage.rss() - before < 32 * MIB);
  client.socket.resume();
  await until('all goes on', () => client.sizeBytes > (last + 100) * chunk.length);
  over.abort();
  await flooding;
  await until('nothing is lost', () => client.sizeBytes === sent * chunk.length);
  client.socket.pause();
  const stuck = (async () => {
    while (atTwo.open.length > 0) await sink?.send(chunk);
  })();
  client.socket.destroy();
  await stuck;
});

test('a client that sends more than is taken, or too much at once, is closed', async () => {
  atTwo.isReading = false;
  const [kept, long, many] = [await open(), await open(), await open()];
  long.send(Buffer.alloc(64 * 1024 + 1));
  await until('a message was too long', () => long.closed !== undefined && atTwo.open.length === 2);
  for (let i = 0; i < 100; i += 1) many.send(Buffer.alloc(60 * 1024));
  await until('too many wait', () => many.closed !== undefined && atTwo.open.length === 1);
  assert.equal([many.closed, kept.closed], [1008, undefined]);
  const [sink] = atTwo.open;
  void sink?.send(Buffer.alloc(MIB + 1));
  await until('a message of the home was too long', () => kept.closed !== undefined && atTwo.open.length === 0);
  assert.equal([kept.closed, kept.sizeBytes], [1001, 0]);
  atTwo.isReading = true;
});

// threat crowding-out: WebSockets that are open and say nothing take no place of requests
test('two hundred that say nothing keep nobody out, and leave nothing', async () => {
  const clients = await Promise.all(Array.from({ length: 200 }, () => open()));
  const other = await open((await second.user('other')).token);
  other.send('here');
  await until('another account is answered', () => other.texts[0] === 'said here');
  assert.is(atTwo.open.length, 201);
  assert.is((await first.ask('/api/echo/x', { token: far })).status, 426);
  for (const each of [...clients, other]) each.socket.destroy();
  await until('none is left', () => atTwo.open.length === 0);
});

// threat fleet-stranger: a handshake needs the certificate of a node, whatever its headers say
test('a handshake without a certificate gets no answer', async () => {
  const socket = connect({
    ...splitHostPort(two.address),
    ca: readMembership(one.data)?.ca,
    servername: 'user.two.fleet.hostkeep',
  });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  socket.write(
    `GET /api/echo/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${far}\r\nX-Forwarded-For: 127.0.0.1\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await new Promise((resolve) => socket.once('close', resolve));
  assert.equal([text, atTwo.open.length], ['', 0]);
});

test('it ends when the home is no member any more', async () => {
  const { store } = first.hostkeep.core;
  const member = (await members(store)).find(({ name }) => name === 'two');
  const client = await open();
  await store.write((tx) => removeMember(tx, 'two'));
  await until('its way is closed', () => client.closed === 1001 && atTwo.open.length === 0);
  assert.is(await refusal(), '503 node_unreachable');
  if (member !== undefined) await store.write((tx) => addMember(tx, member));
  await until('it is a member again', async () => typeof (await refusal()) !== 'string');
  await until('none is left', () => atTwo.open.length === 0);
});

test('it ends with either node, and the other one goes on', async () => {
  const client = await open();
  await second.close();
  await until('its home ends', () => client.closed !== undefined);
  assert.is(client.closed, 1001);
  assert.is(await refusal(), '503 node_unreachable');
  assert.is((await first.ask('/api/echo/x', { token: far })).status, 503);
  await serveTwo();
  const next = await eventually(
    'it is back',
    () => openSocket(url(), bearer(far)),
    (it) => typeof it !== 'string',
  );
  await until('it is open there', () => atTwo.open.length === 1);
  await first.close();
  await until('the node between ends', () => typeof next !== 'string' && next.closed === 1001);
  await until('nothing is left', () => atTwo.open.length === 0);
});
