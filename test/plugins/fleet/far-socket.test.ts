/** The client's end of a WebSocket at another node, against a server that does what no node does. */
import { createHash } from 'node:crypto';
import { createServer, type TLSSocket } from 'node:tls';
import * as assert from '../../support/assert.ts';
import { WebSocketReply, type SocketClient } from '../../../kernel/contract/web-socket.ts';
import { certify, makeAuthority } from '../../../plugins/fleet/membership/certificates.ts';
import { openFarSocket } from '../../../plugins/fleet/traffic/far-socket.ts';
import { atEnd } from '../../support/ending.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('far sockets');
const PING_MS = 30_000;
const [PING, PONG, MESSAGE] = [0x89, Buffer.from([0x8a, 0]), Buffer.from([0x82, 1, 7])];

/** A server that answers handshakes by itself. */
class Server {
  readonly heard: Buffer[] = [];
  socket: TLSSocket | undefined;
  readonly #address: string;

  private constructor(address: string) {
    this.#address = address;
  }

  static async start(answer: (accept: string) => string): Promise<Server> {
    const { certificate, key } = await certify(await makeAuthority(), 'two');
    const listener = createServer({ cert: certificate, key });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const server = new Server(`127.0.0.1:${(listener.address() as { port: number }).port}`);
    listener.on('secureConnection', (socket) => {
      server.socket = socket.on('error', () => undefined);
      socket.once('data', (head: Buffer) => {
        const [, sent = ''] = /^sec-websocket-key: (.+)\r$/im.exec(head.toString()) ?? [];
        socket.write(answer(createHash('sha1').update(`${sent}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')));
        socket.on('data', (chunk: Buffer) => void server.heard.push(chunk));
      });
    });
    atEnd(() => {
      server.socket?.destroy();
      listener.close();
    });
    return server;
  }

  open(signal = new AbortController().signal, ends = new Set<() => void>()) {
    const trust = { rejectUnauthorized: false }; // it is of another authority
    return openFarSocket(this.#address, trust, 10_000, { path: '/x', headers: {}, signal }, ends);
  }
}

const upgrade = (accept: string) =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;

/** A client that takes what it is sent when it is told to, and sends nothing. */
class Client implements SocketClient {
  code: number | undefined;
  sizeBytes = 0;
  take: () => void = () => undefined;
  #end: () => void = () => undefined;
  readonly #over = new Promise<void>((resolve) => (this.#end = resolve));
  readonly messages: AsyncIterable<never> = {
    [Symbol.asyncIterator]: () => ({ next: () => this.#over.then(() => ({ done: true, value: undefined })) }),
  };

  async send(message: string | Uint8Array): Promise<void> {
    this.sizeBytes += message.length;
    await new Promise<void>((resolve) => (this.take = resolve));
  }

  close(code?: number): void {
    this.code = code;
    this.take();
    this.#end();
  }
}

/** Opens it with a client; returns what lets the time pass after which it asks for a sign of life. */
function begin(reply: WebSocketReply, client: Client): () => void {
  const plain = globalThis.setInterval;
  let tick: () => void = () => undefined;
  globalThis.setInterval = ((work: () => void, ms: number) => {
    if (ms === PING_MS) tick = work;
    return plain(work, ms);
  }) as typeof setInterval;
  try {
    reply.open(client);
  } finally {
    globalThis.setInterval = plain;
  }
  return tick;
}

async function opened(server: Server): Promise<WebSocketReply> {
  const reply = await server.open();
  if (!(reply instanceof WebSocketReply)) throw new Error('it is refused');
  return reply;
}

test('a silent node is given up, and one whose client is slow is not', async () => {
  const server = await Server.start(upgrade);
  const client = new Client();
  const tick = begin(await opened(server), client);
  const pings = () => Buffer.concat(server.heard).filter((byte) => byte === PING).length;
  tick();
  await until('it is asked', () => pings() > 0);
  server.socket?.write(PONG);
  for (const slow of [3, 1]) {
    const before = client.sizeBytes;
    server.socket?.write(MESSAGE);
    await until('a message waits for the client, which is still there', () => client.sizeBytes === before + 1);
    for (let i = 0; i < slow; i += 1) tick();
    client.take();
    await new Promise((resolve) => setImmediate(resolve)); // in which it reads on
    tick();
  }
  tick();
  await until('it is given up', () => client.code !== undefined);
  assert.is(client.code, 1001);
});

test('what is no handshake of a node rejects, and leaves nothing', async () => {
  const answers = [
    () => upgrade('wrong'),
    () => 'none\r\n\r\n',
    () => `HTTP/1.1 500 x\r\nContent-Length: ${2 ** 21}\r\n\r\n${'x'.repeat(2 ** 21)}`,
  ];
  for (const answer of answers) {
    const server = await Server.start(answer);
    const ends = new Set<() => void>();
    await server.open(undefined, ends).then(
      () => assert.unreachable(answer()),
      () => undefined, // each for another reason
    );
    await until('its end is forgotten', () => ends.size === 0);
    await until('its connection is closed', () => server.socket?.closed !== false);
  }
  const server = await Server.start(upgrade);
  const reason = new Error('it has gone');
  assert.is(await server.open(AbortSignal.abort(reason)).catch((error: unknown) => error), reason);
  assert.is(server.socket, undefined);
});

test('it ends with its signal, and with its link, before somebody reads it and later', async () => {
  for (const isRead of [false, true])
    for (const how of ['signal', 'link']) {
      const server = await Server.start(upgrade);
      const [gone, ends] = [new AbortController(), new Set<() => void>()];
      const reply = await server.open(gone.signal, ends);
      const client = new Client();
      if (isRead && reply instanceof WebSocketReply) reply.open(client);
      if (how === 'signal') gone.abort();
      else for (const end of ends) end();
      if (!isRead && reply instanceof WebSocketReply) reply.open(client);
      await until('both ends see it', () => client.code === 1001 && server.socket?.closed === true);
      assert.is(ends.size, 0);
    }
});
