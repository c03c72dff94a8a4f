/** Two nodes with one store: what one has, the other answers for, and what happens when it cannot. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { reply, Stream, type Sink } from '../../../../kernel/contract/reply.ts';
import { HttpError } from '../../../../kernel/errors.ts';
import { Type } from '../../../../kernel/schema.ts';
import type { Membership } from '../../../../kernel/contract/node-info.ts';
import { readMembership } from '../../../../kernel/run/data/membership.ts';
import { splitHostPort } from '../../../../kernel/kit/net/host-port.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { Any, FLEET_ROUTES } from '../../../support/fleet-routes.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { Postgres } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('fleet forwarding');
const LARGE = 'x'.repeat(8 << 20);

const routes = {
  ...FLEET_ROUTES,
  change: {
    method: 'POST',
    path: '/change',
    at: 'home',
    summary: 'x',
    body: Type.Object({ text: Type.String() }),
    status: 201,
    reply: Any,
  },
  refuse: { method: 'GET', path: '/refuse', at: 'home', summary: 'x', reply: Any, errors: ['plan_in_use'] },
  large: { method: 'GET', path: '/large', at: 'home', summary: 'x', reply: Any, produces: ['text/plain'] },
  kept: { method: 'GET', path: '/kept', at: 'home', summary: 'x', reply: Any },
} as const;

/** What a node's own plugin saw. */
interface Seen {
  readonly sinks: Sink[];
  ended: number;
  changes: number;
}

const probeOf = (node: string, seen: Seen) =>
  definePlugin({
    name: 'probe',
    features: ['dns'],
    routes,
    setup: () => ({
      handlers: {
        read: ({ ip, account }) => ({ node, ip, account: account.username }),
        change: ({ body }) => {
          seen.changes += 1;
          return { node, ...body };
        },
        refuse: () => {
          throw new HttpError('plan_in_use', 'refused there', { headers: { 'Retry-After': '7' } });
        },
        large: () => reply(LARGE, { type: 'text/plain' }),
        kept: () => reply('{}', { headers: { ETag: '"1"', 'Cache-Control': 'max-age=5' } }),
        stream: () =>
          new Stream('text/plain', (sink) => {
            seen.sinks.push(sink);
            sink.write(`first of ${node}`);
            return () => void (seen.ended += 1);
          }),
        figures: () => ({ node }),
      },
    }),
  });

let postgres: Postgres;
let fleet: TestFleet;
let [one, two]: FleetMember[] = [];
let [first, second]: TestServer[] = [];
const seenByTwo: Seen = { sinks: [], ended: 0, changes: 0 };
let [near, away, admin] = ['', '', ''];
const nothing = (): Seen => ({ sinks: [], ended: 0, changes: 0 });
const serveTwo = async () => (second = await fleet.serve(two as FleetMember, [probeOf('two', seenByTwo), fleetPlugin]));

test.before(async () => {
  postgres = Postgres.start(['fsync=off']);
  ({ fleet, one, two } = await TestFleet.pair('forwarding', postgres.url));
  first = await fleet.serve(one, [probeOf('one', nothing()), fleetPlugin]);
  await serveTwo();
  ({ token: near } = await first.user('near'));
  ({ token: away } = await (second as TestServer).user('away'));
  ({ token: admin } = await first.admin());
});
test.after(async () => {
  await fleet.close();
  postgres.remove();
});

const ask = (path: string, options: Parameters<TestServer['ask']>[1] = {}) =>
  (first as TestServer).ask(path, { token: away, ...options });
const figuresOf = (node: string) => ask(`/api/figures?node=${node}`, { address: 'admin', token: admin });

test('an account is answered by its home, whichever node it asks', async () => {
  assert.equal((await ask('/read', { token: near })).body, { node: 'one', ip: '127.0.0.1', account: 'near' });
  assert.equal((await ask('/read')).body, { node: 'two', ip: '127.0.0.1', account: 'away' });
  const other = await (second as TestServer).ask('/read', { token: near });
  assert.equal(other.body, { node: 'one', ip: '127.0.0.1', account: 'near' });
});

test('a change, a refusal with its headers, and a large answer come back as they are', async () => {
  const before = seenByTwo.changes;
  const changed = await ask('/change', { method: 'POST', body: { text: 'ä€😀' } });
  assert.equal([changed.status, changed.body], [201, { node: 'two', text: 'ä€😀' }]);
  assert.is(seenByTwo.changes, before + 1);
  const refused = await ask('/refuse');
  assert.equal(
    [refused.status, refused.body['error'], refused.headers.get('retry-after'), refused.headers.get('content-type')],
    [409, 'plan_in_use', '7', 'application/problem+json'],
  );
  assert.is(refused.headers.get('x-request-id'), refused.body['request_id']);
  const { headers } = await ask('/kept');
  assert.equal([headers.get('etag'), headers.get('cache-control')], ['"1"', 'max-age=5']);
  assert.is(headers.get('x-content-type-options'), 'nosniff');
  assert.is((await ask('/read')).headers.get('cache-control'), 'no-store');
  const large = await ask('/large');
  assert.is(String(large.body).length, LARGE.length);
});

test('a stream keeps its pace and order and ends when either end does', async () => {
  const leave = new AbortController();
  const url = `${(first as TestServer).hostkeep.url('user')}/stream`;
  const open = (signal?: AbortSignal) =>
    fetch(url, { headers: { authorization: `Bearer ${away}` }, ...(signal && { signal }) });
  const stream = await open(leave.signal);
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  assert.is(Buffer.from((await reader.read()).value ?? []).toString(), 'first of two');
  const sink = seenByTwo.sinks.at(-1) as Sink;
  sink.write('second');
  assert.is(Buffer.from((await reader.read()).value ?? []).toString(), 'second');
  await until('a client that reads nothing holds the source up', () => !sink.write(LARGE) || sink.isBehind);
  const ended = seenByTwo.ended;
  leave.abort();
  await until('the source learns that the client has left', () => seenByTwo.ended > ended);
  const whole = await open();
  seenByTwo.sinks.at(-1)?.end();
  assert.is(await whole.text(), 'first of two');
});

test('a token that was revoked on one node is refused on both', async () => {
  const { account, token } = await (second as TestServer).user('leaver');
  assert.is((await ask('/read', { token })).status, 200);
  await (first as TestServer).hostkeep.core.accounts.suspend(account.username);
  assert.is((await ask('/read', { token })).status, 401);
  await until('the other node refuses it', async () => {
    return (await (second as TestServer).ask('/read', { token })).status === 401;
  });
});

test('administrators reach a node by its name, and no other name', async () => {
  assert.equal((await figuresOf('two')).body, { node: 'two' });
  assert.equal((await figuresOf('one')).body, { node: 'one' });
  const { status, body } = await figuresOf('three');
  assert.equal([status, body['error']], [404, 'node_not_found']);
});

test('nodes that disagree about a home send a request in no circle', async () => {
  const { account, token } = await (second as TestServer).user('moving');
  assert.is((await (second as TestServer).ask('/read', { token })).status, 200);
  // The first node is told that the account lives on the second one; that one knows otherwise.
  const { accounts, store } = (first as TestServer).hostkeep.core;
  await store.write((tx) => tx.run("update accounts set home = 'three' where id = ?", account.id));
  await store.write((tx) =>
    tx.run(
      "insert into fleet_nodes (name, address, key_digest, draining, joined_at) select 'three', address, key_digest, 0, 0 from fleet_nodes where name = 'two'",
    ),
  );
  await store.write((tx) => tx.run('update fleet_changes set n = n + 1'));
  accounts.cells.forget(account.id);
  try {
    const { status, body } = await ask('/read', { token });
    assert.equal([status, body['error']], [503, 'node_unreachable'], 'the listener answers to its own name only');
  } finally {
    await store.write((tx) => tx.run("delete from fleet_nodes where name = 'three'"));
    await store.write((tx) => tx.run('update fleet_changes set n = n + 1'));
  }
});

test('operators see the nodes, what was forwarded, and what is wrong', async () => {
  const { plugins } = (first as TestServer).hostkeep;
  const metrics = await (first as TestServer).gathered('metrics');
  const valuesOf = (name: string) => metrics.find((metric) => metric.name === name)?.samples ?? [];
  await until('both were seen', async () => {
    const health = await (first as TestServer).health('fleet');
    return health.every(({ ok }) => ok);
  });
  assert.equal(
    valuesOf('hostkeep_fleet_node_up').map(({ labels }) => labels?.['node']),
    ['one', 'two'],
  );
  const answered = valuesOf('hostkeep_fleet_forwarded_requests_total').find(
    ({ labels }) => labels?.['node'] === 'two' && labels['outcome'] === 'answered',
  );
  assert.ok((answered?.value ?? 0) > 0);
  const [examined] = (await plugins.gather('doctor')).filter(({ plugin }) => plugin === 'fleet');
  const found = examined?.ok === true ? examined.value.map(({ name, ok }) => `${name} ${ok}`) : [];
  assert.equal(found.slice(-3), ['connections true', 'node one true', 'node two true']);
  const { store } = (first as TestServer).hostkeep.core;
  await store.write((tx) =>
    tx.run(
      `insert into fleet_nodes (name, address, key_digest, draining, joined_at)
        select n, '127.0.0.1:1', '', 0, 0 from (values ('n1'), ('n2'), ('n3'), ('n4')) as t (n)`,
    ),
  );
  const [crowded] = (await plugins.gather('doctor')).filter(({ plugin }) => plugin === 'fleet');
  await store.write((tx) => tx.run("delete from fleet_nodes where name like 'n_'"));
  const short = crowded?.ok === true ? crowded.value.find(({ name }) => name === 'connections') : undefined;
  assert.equal(
    [short?.ok, short?.isWarning, short?.detail],
    [false, true, '6 nodes with 17 each may take 102 of the 97 that the database has'],
  );
  await until('a version that does not fit is an error', async () => {
    await store.write((tx) => tx.run("update fleet_heartbeats set version = '99.0.0' where node = 'two'"));
    const health = await (first as TestServer).health('fleet');
    return health.some(({ ok, isWarning, detail }) => !ok && isWarning !== true && detail.endsWith('two has 99.0.0'));
  });
  await until('a silent node is a warning', async () => {
    await store.write((tx) => tx.run("update fleet_heartbeats set seen_at = seen_at - 60000 where node = 'two'"));
    const health = await (first as TestServer).health('fleet');
    return health.some(({ ok, isWarning, detail }) => !ok && isWarning === true && detail === 'silent: two');
  });
});

test('a node that is gone is 503 at once, others go on, and it is found again', async () => {
  await (second as TestServer).close();
  for (const path of ['/read', '/stream']) {
    const { status, body, headers } = await ask(path);
    assert.equal([status, body['error'], headers.get('retry-after')], [503, 'node_unreachable', '1']);
  }
  const post = await ask('/change', { method: 'POST', body: { text: 'a' } });
  assert.is(post.status, 503);
  assert.is((await ask('/read', { token: near })).status, 200);
  await serveTwo();
  await until('the node is found again', async () => (await ask('/read')).status === 200);
});

/** Listens in the place of the second node, with its certificate, until `close`; `answer` gets each request as it arrives. */
async function standIn(
  answer: (socket: TLSSocket) => void,
): Promise<{ stopListening(): void; close(): Promise<void> }> {
  const { ca, certificate, key } = readMembership((two as FleetMember).data) as Membership;
  const sockets: Socket[] = [];
  const server = createTlsServer({ ca, cert: certificate, key, requestCert: true }, (socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(splitHostPort((two as FleetMember).address), resolve));
  return {
    stopListening: () => void server.close(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('a change that may have arrived is not sent again, and a read is', async () => {
  await (second as TestServer).close();
  let arrived = 0;
  const cut = await standIn((socket) => {
    arrived += 1;
    socket.destroy();
  });
  try {
    await until('it is asked again', async () => (await ask('/read')).status === 503 && arrived > 0);
    for (const [path, options, expected] of [
      ['/change', { method: 'POST', body: { text: 'a' } }, 1],
      ['/read', {}, 2],
    ] as const) {
      await until('one request is sent', async () => {
        arrived = 0;
        assert.is((await ask(path, options)).status, 503);
        return arrived > 0;
      });
      assert.is(arrived, expected, path);
    }
  } finally {
    await cut.close();
  }
});

test('a refusal without end is not held in memory', async () => {
  let sentBytes = 0;
  const endless = await standIn((socket) => {
    socket.write(`HTTP/1.1 500 No\r\nContent-Length: ${2 ** 40}\r\n\r\n`);
    const send = (): void => {
      while (!socket.destroyed && socket.write(LARGE)) sentBytes += LARGE.length;
      sentBytes += LARGE.length;
    };
    socket.on('drain', send);
    send();
  });
  try {
    await until('it is given up', async () => (await ask('/read')).status === 503 && sentBytes > 0);
  } finally {
    await endless.close();
  }
});

test('an answer that breaks off at the other node breaks off here', async () => {
  const breaking = await standIn((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
    socket.end(LARGE.slice(0, LARGE.length / 2));
  });
  try {
    await until('an answer begins, and is not taken for whole', async () => {
      const outcome = await ask('/large').catch((error: unknown) => error);
      return outcome instanceof Error || (assert.is((outcome as { status: number }).status, 503), false);
    });
  } finally {
    await breaking.close();
  }
});

test('a node that is cut off while it is asked is given up', async () => {
  const sockets: Socket[] = [];
  const silent: Server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  let takeOver = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => (takeOver = resolve));
  const asked = await standIn(() => takeOver());
  try {
    const answer = until('the node is looked after', async () => {
      assert.is((await ask('/read')).status, 503);
      return sockets.length > 0;
    });
    await isAsked;
    asked.stopListening(); // the connection stays open and silent, and a new one is never answered
    await new Promise<void>((resolve) => silent.listen(splitHostPort((two as FleetMember).address), resolve));
    await answer;
  } finally {
    for (const socket of sockets) socket.destroy();
    await asked.close();
    await new Promise((resolve) => silent.close(resolve));
  }
});

test('a node that drops packets is given up after seconds, then refused at once', async () => {
  const sockets: Socket[] = [];
  const silent: Server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(splitHostPort((two as FleetMember).address), resolve));
  try {
    await until('the silence is noticed', async () => (await ask('/read')).status === 503 && sockets.length > 0);
    const before = sockets.length;
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/read')));
    assert.equal([...new Set(answers.map(({ status }) => status))], [503]);
    assert.ok(sockets.length <= before + 1, `${sockets.length - before} of 30 requests tried to connect`);
    assert.is((await ask('/read', { token: near })).status, 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  }
  await serveTwo();
  await until('the node is found again', async () => (await ask('/read')).status === 200);
});
