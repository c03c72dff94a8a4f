/** What one customer may try at a node against those who live at another, and names of nodes that are none. */
import { once } from 'node:events';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { reply, Stream, type Sink } from '../../../../kernel/contract/reply.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { Any, FLEET_ROUTES } from '../../../support/fleet-routes.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { testConfig, type TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { rawConnection, rawRequest } from '../../../support/raw.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [accounts, events] = await needs('accounts', 'events');
const test = testSuite('fleet, abuse');
/** More than a node holds in memory of an answer that it passes on, and more than the buffers of a connection. */
const LARGE = 'x'.repeat(15 << 20);
/** Of one account, on the way to one node. */
const [AT_WORK, WAITING] = [32, 256];

const routes = {
  ...FLEET_ROUTES,
  large: { method: 'GET', path: '/large', at: 'home', summary: 'x', reply: Any, produces: ['text/plain'] },
  slow: { method: 'GET', path: '/slow', at: 'home', summary: 'x', reply: Any },
  kept: { method: 'GET', path: '/kept', at: 'home', summary: 'x', reply: Any, headers: ['if-none-match'] },
} as const;

/** The streams that a node's own plugin sends. */
const open = new Set<Sink>();
/** Of the request that takes long. */
let [arrived, goOn] = [(): void => undefined, (): void => undefined];

const probeOf = (node: string) =>
  definePlugin({
    name: 'probe',
    features: ['dns'],
    routes,
    setup: () => ({
      handlers: {
        read: () => ({ node }),
        slow: () =>
          new Promise<Record<string, unknown>>((resolve) => {
            goOn = () => resolve({ node });
            arrived();
          }),
        kept: (call) => ({ node, said: call.header('if-none-match') }),
        large: () => reply(LARGE, { type: 'text/plain' }),
        stream: () =>
          new Stream('text/plain', (sink) => {
            open.add(sink);
            sink.write('first');
            return () => void open.delete(sink);
          }),
        figures: () => ({ node }),
      },
    }),
  });

let fleet: TestFleet;
let [one, two] = [] as unknown as [FleetMember, FleetMember];
let [first, second] = [] as unknown as [TestServer, TestServer];
const plugins = (node: string) => [probeOf(node), accounts, events, fleetPlugin];
let [near, away, other, admin] = ['', '', '', ''];
test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('abuse'));
  first = await fleet.serve(one, plugins('one'));
  second = await fleet.serve(two, plugins('two'));
  ({ token: near } = await first.user('near'));
  ({ token: away } = await second.user('away'));
  ({ token: other } = await second.user('other'));
  ({ token: admin } = await first.admin());
});

const ask = (path: string, token = away) => first.ask(path, { token });
const streamed = () => fetch(`${first.hostkeep.url('user')}/stream`, { headers: { authorization: `Bearer ${away}` } });

// threat crowding-out: an odd request of one account costs no other account its answer
test('a header that cannot be sent on is refused, and the way to the node stays open', async () => {
  const odd = await rawRequest(
    first.hostkeep.url('user'),
    `GET /kept HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${away}\r\nIf-None-Match: "€"\r\n\r\n`,
  );
  assert.match(odd, /^HTTP\/1\.1 400 .*the header if-none-match is not printable ASCII/s);
  assert.is((await ask('/read', other)).status, 200);
});

test('a HEAD request leaves nothing open at the other node', async () => {
  const { status } = await first.ask('/stream', { method: 'HEAD', token: away });
  assert.is(status, 200);
  await until('the stream has ended', () => open.size === 0);
  for (let i = 0; i <= AT_WORK; i += 1)
    assert.is((await first.ask('/large', { method: 'HEAD', token: away })).status, 200);
  assert.is((await ask('/read')).status, 200);
});

// threat crowding-out: nor do many that take long
test('an account that floods inter-node connections is refused, others are not', async () => {
  const streams = Array.from({ length: AT_WORK }, () => streamed());
  await until('all are there', () => open.size === AT_WORK);
  const waiting = Array.from({ length: WAITING }, () => ask('/read'));
  await until('one more is refused', async () => {
    const more = ask('/read');
    waiting.push(more);
    return (await Promise.race([more, ask('/read', other)])).status === 503;
  });
  assert.is((await ask('/read', other)).status, 200);
  assert.is((await ask('/read', near)).status, 200);
  // so that their connections serve those that wait: on a busy machine, new ones take too long
  for (const sink of open) sink.end();
  const answers = await Promise.all(waiting);
  for (const { status, body } of answers) if (status !== 200) assert.is(body['error'], 'overloaded');
  assert.is(answers.filter(({ status }) => status === 200).length >= WAITING, true);
  await Promise.all(streams);
});

// threat crowding-out: nor one that takes long at a node that is just back
test('once a node is back, a request that takes long keeps no other waiting', async () => {
  await second.close();
  await until('it is gone', async () => (await ask('/read')).status === 503);
  second = await fleet.serve(two, plugins('two'));
  let answer: Promise<{ readonly status: number }> | undefined;
  const isAsked = new Promise<true>((resolve) => (arrived = () => resolve(true)));
  await until('it is asked for what takes long', () => {
    answer = ask('/slow');
    return Promise.race([answer.then(() => false), isAsked]);
  });
  assert.is((await ask('/read', other)).status, 200);
  goOn();
  assert.is((await answer)?.status, 200);
});

test('an answer that is cut off by a reload does not look complete', async () => {
  const socket = await rawConnection(first.hostkeep.url('user'));
  socket.write(`GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${away}\r\n\r\n`);
  await until('it has begun', () => socket.bytesRead > 0 || socket.readableLength > 0);
  const { listen } = first.hostkeep.node.config;
  await first.hostkeep.reconfigure(testConfig(one.data, { listen, store: { url: fleet.url } }));
  let [bytes, end] = [0, ''];
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5);
    });
  await once(socket, 'close');
  assert.ok(bytes < LARGE.length, 'a client that reads slowly had not got all of it');
  assert.is.not(end, '0\r\n\r\n');
});

test('accounts of a departed node are unreachable; unknown nodes are 404', async () => {
  const onAdmin = async (path: string) => {
    const { status, body } = await first.ask(path, { address: 'admin', token: admin });
    return status === 200 ? 200 : `${status} ${String(body['error'])}`;
  };
  const lists = ['/api/events?node=', '/api/accounts?node='];
  for (const path of ['/api/figures?node=', ...lists]) assert.is(await onAdmin(`${path}gone`), '404 node_not_found');
  for (const path of lists)
    assert.is(await onAdmin(`${path}two&${path.includes('events') ? 'type=none' : 'q=none'}`), 200);
  const { accounts, store } = first.hostkeep.core;
  const [account] = [await accounts.get('other')];
  await store.write((tx) => tx.run("update accounts set home = 'gone' where id = ?", account.id));
  accounts.cells.forget(account.id);
  const { status, body, headers } = await ask('/read', other);
  assert.equal([status, body['error'], headers.get('retry-after')], [503, 'node_unreachable', '60']);
  assert.is(await onAdmin('/api/accounts?node=gone'), 200);
  assert.is(await onAdmin('/api/accounts?node=gone&q=none'), 200);
  await store.write((tx) => tx.run("update events set node = 'gone' where username = 'other'"));
  assert.is(await onAdmin('/api/events?node=gone&type=none'), 200, 'a node that left has events');
});

test('a list of accounts on the command line knows the nodes, too', async () => {
  const list = (node: string) => fleet.run(one.data, ['account', 'list', '--node', node]);
  const unknown = await list('nine');
  assert.equal([unknown.code, unknown.stderr], [1, 'hostkeep: there is no node nine in the fleet\n']);
  assert.match((await list('one')).stdout, /^near /m);
});
