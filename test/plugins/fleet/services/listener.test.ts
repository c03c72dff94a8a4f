/** Who may speak to a node as another node of its fleet: nobody but one. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import * as assert from '../../../support/assert.ts';
import type { FleetPlace } from '../../../../kernel/contract/node-info.ts';
import { createLog } from '../../../../kernel/log.ts';
import type { Membership } from '../../../../kernel/contract/node-info.ts';
import { readMembership, writeMembership } from '../../../../kernel/run/data/membership.ts';
import { splitHostPort } from '../../../../kernel/kit/net/host-port.ts';
import { soleWorker } from '../../../../kernel/workers/sole-worker.ts';
import { FleetListener } from '../../../../plugins/fleet/traffic/listener.ts';
import { certify, digestKey, makeAuthority, partLeft } from '../../../../plugins/fleet/membership/certificates.ts';
import { addMember, removeMember } from '../../../../plugins/fleet/store.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { readAuthority } from '../../../../plugins/fleet/membership/joining.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { testConfig, type TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { freePort } from '../../../support/port.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const [moves] = await needs('moves');
const test = testSuite('fleet listener');
/** As many connections wait at a time to show a certificate. */
const NEWCOMERS = 256;
/** So long a connection may wait for it. */
const HANDSHAKE_MS = 5000;
let fleet: TestFleet;
let [one, two]: FleetMember[] = [];
let server: TestServer;
let [own, other]: Membership[] = [];

test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('listener'));
  server = await fleet.serve(one, [fleetPlugin, moves]);
  [own, other] = [readMembership(one.data), readMembership(two.data)] as [Membership, Membership];
});

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const shown = ({ certificate, key }: Pick<Membership, 'certificate' | 'key'>) => ({ cert: certificate, key });

/** Resolves at the end of a connection, also if that is an error. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void (socket.closed ? resolve() : socket.once('close', () => resolve())));

/** Resolves with whether something listens. */
const reached = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectPlain(splitHostPort(address), () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Resolves with what the node answers; empty if it closes the connection. */
async function answerTo(options: ConnectionOptions, request = REQUEST): Promise<string> {
  const socket = connect({
    ...splitHostPort((one as FleetMember).address),
    ca: (own as Membership).ca,
    servername: 'user.one.fleet.hostkeep',
    ...options,
  });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  socket.write(request);
  await closed(socket);
  return text;
}

// threat fleet-stranger: a listener for nodes answers nobody else
test('a client without a certificate, or with one of another authority, gets no answer', async () => {
  const stranger = await certify(await makeAuthority(), 'two');
  assert.is(await answerTo({}), '');
  assert.is(await answerTo(shown(stranger)), '');
  assert.is(await answerTo({ ...shown(other as Membership), maxVersion: 'TLSv1.2' }), '');
});

// threat crowding-out: strangers take no connection that a node needs
test('connections that say nothing give way to new ones, the oldest first', () =>
  until('the machine was quick enough for connections that give way before their time is over', giveWay));

/** Resolves with whether all was over before the time of a connection can have been. */
async function giveWay(): Promise<boolean> {
  const strangers: Socket[] = [];
  const begunMs = performance.now();
  try {
    for (let i = 0; i <= NEWCOMERS; i += 1) {
      const socket = connectPlain(splitHostPort((one as FleetMember).address)).on('error', () => undefined);
      strangers.push(socket.resume());
      await once(socket, 'connect');
    }
    await closed(strangers[0] as Socket);
    for (let i = 0; i < 5; i += 1) assert.match(await answerTo(shown(other as Membership)), /^HTTP\/1\.1 404 /);
    const ended = strangers.filter((each) => each.closed).length;
    const isInTime = performance.now() - begunMs < HANDSHAKE_MS;
    if (isInTime) assert.is(ended, 2, 'the first, and one in whose place others came');
    await Promise.all(strangers.map(closed)); // in time
    return isInTime;
  } finally {
    for (const each of strangers) each.destroy();
  }
}

// threat fleet-stranger: a node brings no account that the store does not know to be on its way from there
test('another node is refused what belongs to no move from it', async () => {
  const servername = 'direct.one.fleet.hostkeep'; // which no certificate names
  const asTwo = { ...shown(other as Membership), servername, checkServerIdentity: () => undefined };
  const text = await answerTo(asTwo);
  assert.match(text, /^HTTP\/1.1 404 /);
  for (const request of ['POST /begin', 'PUT /files', 'GET /digest', 'POST /discard']) {
    const refused = await answerTo(
      asTwo,
      `${request}?username=ann&claim= HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    assert.match(refused, /^HTTP\/1.1 409 .*the store knows of no such move/s);
  }
});

test('a node listens nowhere until it knows where', async () => {
  let address: string | undefined;
  const listener = await FleetListener.start({
    workers: soleWorker(),
    place: server.hostkeep.node.fleet as FleetPlace,
    address: () => address,
    log: createLog('silent'),
    hasKey: () => true,
    findKey: async () => true,
    takeIn: (socket) => socket.destroy(),
  });
  try {
    assert.match(listener.fault ?? '', /the members of the fleet cannot be read/);
    for (const wrong of ['', ':7100', '127.0.0.1:0', '127.0.0.1']) {
      address = wrong;
      await until('it is refused', () => listener.fault === `${JSON.stringify(wrong)} is no host:port of a node`);
    }
    address = `127.0.0.1:${await freePort()}`;
    await until('it listens', () => listener.fault === undefined);
  } finally {
    listener.close();
  }
});

test('a process that speaks no TLS gets no answer', async () => {
  const socket = connectPlain(splitHostPort((one as FleetMember).address));
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  socket.write(REQUEST);
  await closed(socket);
  assert.not.match(text, /HTTP/);
});

test('a certificate counts for its member and key only', async () => {
  const { core } = server.hostkeep;
  const authority = await readAuthority(core.store, core.keys);
  assert.is(await answerTo(shown(await certify(authority, 'three'))), '', 'never joined');
  assert.is(await answerTo(shown(await certify(authority, 'two'))), '', 'a key of its own');
  const { key } = other as Membership;
  assert.is(await answerTo(shown(await certify(authority, 'two', key, -0.5))), '', 'over since half a day');
  assert.is(await answerTo(shown(await certify(authority, 'one', key))), '', 'with the name of another member');
  for (const servername of ['user.two.fleet.hostkeep', 'one', 'localhost', 'root.one.fleet.hostkeep'])
    assert.is(await answerTo({ ...shown(other as Membership), servername, checkServerIdentity: () => undefined }), '');
});

test('a member that has just joined is answered at its first connection', async () => {
  const { core } = server.hostkeep;
  const four = await certify(await readAuthority(core.store, core.keys), 'four');
  const keyDigest = digestKey(new X509Certificate(four.certificate).raw);
  await core.store.write((tx) => addMember(tx, { name: 'four', address: '127.0.0.1:9', keyDigest, isDraining: false }));
  assert.match(await answerTo(shown(four)), /^HTTP\/1\.1 404 /);
  await core.store.write((tx) => removeMember(tx, 'four'));
});

test('a listener takes the port over once the one before it is closed, without a word', async () => {
  const told: string[] = [];
  const address = `127.0.0.1:${await freePort()}`;
  const parts = {
    workers: soleWorker(),
    place: server.hostkeep.node.fleet as FleetPlace,
    address: () => address,
    log: createLog('warn', { write: (line) => void told.push(line) }),
    hasKey: () => true,
    findKey: async () => true,
    takeIn: (socket: Socket) => void socket.destroy(),
  };
  const first = await FleetListener.start(parts);
  (await FleetListener.start(parts)).close(); // of a reload that failed
  assert.ok(await reached(address));
  const second = await FleetListener.start(parts);
  assert.is(second.fault, undefined);
  first.close();
  await until('the second listens', () => reached(address));
  second.close();
  assert.not(await reached(address));
  assert.equal(told, []);
});

test('a reload keeps listening and answers earlier requests', async () => {
  const socket = connect({
    ...splitHostPort((one as FleetMember).address),
    ca: (own as Membership).ca,
    servername: 'user.one.fleet.hostkeep',
    ...shown(other as Membership),
  });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  await once(socket, 'secureConnect');
  const settings = server.hostkeep.node.config;
  await server.hostkeep.reconfigure(testConfig(server.data, { listen: settings.listen, store: { url: fleet.url } }));
  socket.write(REQUEST);
  await closed(socket);
  assert.match(text, /^HTTP\/1\.1 404 /);
  await until('new connections are answered', async () => {
    return (await answerTo(shown(other as Membership))).startsWith('HTTP/1.1 404 ');
  });
});

test('a member is answered by both addresses, and is none any more once it was removed', async () => {
  for (const address of ['user', 'admin'])
    assert.match(
      await answerTo({ ...shown(other as Membership), servername: `${address}.one.fleet.hostkeep` }),
      /^HTTP\/1\.1 404 /,
    );
  const connections = await Promise.all(
    ['user', 'moves'].map(async (destination) => {
      const socket = connect({
        ...splitHostPort((one as FleetMember).address),
        ca: (own as Membership).ca,
        servername: `${destination}.one.fleet.hostkeep`,
        checkServerIdentity: () => undefined,
        ...shown(other as Membership),
      });
      socket.on('error', () => undefined).resume();
      await once(socket, 'secureConnect');
      return socket;
    }),
  );
  const settings = server.hostkeep.node.config;
  await server.hostkeep.reconfigure(testConfig(server.data, { listen: settings.listen, store: { url: fleet.url } }));
  const { code, stderr } = await fleet.run((one as FleetMember).data, ['fleet', 'remove', 'two', '--yes']);
  assert.is(code, 0, stderr);
  await until('the connections that it has end, whatever it goes on asking', () => {
    for (const each of connections) if (!each.closed) each.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    return connections.every((each) => each.closed);
  });
  await until('its certificate counts for nothing', async () => {
    return (await answerTo(shown(other as Membership))) === '';
  });
});

test('a node renews its certificate in time and keeps its key', async () => {
  const { core } = server.hostkeep;
  const authority = await readAuthority(core.store, core.keys);
  const { name, key } = own as Membership;
  const old = await certify(authority, name, key, 0.4); // of a time that began a day ago
  writeMembership((one as FleetMember).data, { ...(own as Membership), ...old });
  assert.ok(partLeft(old.certificate) < 1 / 3);
  const now = () => readMembership((one as FleetMember).data)?.certificate ?? '';
  await until('it is renewed', () => partLeft(now()) > 0.9);
  assert.is(digestKey(now()), digestKey(old.certificate));
  await until('it listens with the new one', async () => {
    const socket = connect({
      ...splitHostPort((one as FleetMember).address),
      ca: authority.certificate,
      servername: 'user.one.fleet.hostkeep',
    });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    const shownNow = socket.getPeerX509Certificate()?.toString();
    socket.destroy();
    return shownNow?.trim() === now().trim();
  });
});
