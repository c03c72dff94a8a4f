import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as assert from '../support/assert.ts';
import { Bytes } from '../../kernel/contract/incoming-body.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Stream, streamed } from '../../kernel/contract/reply.ts';
import { Type } from '../../kernel/schema.ts';
import { TestServer } from '../support/hostkeep.ts';
import { Gate } from '../support/probe.ts';
import { rawConnection } from '../support/raw.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('bodies and answers as streams');
const MIB = 1 << 20;
const CONTENT = Buffer.alloc(8 * MIB, 'hostkeep ');
const shape = { access: 'user', summary: 'Takes bytes', reply: Type.Unknown() } as const;

/** Keeps the handler from taking more while it is there. */
let gate: Gate | undefined;
let faults: unknown[] = [];
/** Answers whose source holds something. */
const held = { now: 0, released: 0 };
let taken = '';
const plugin = definePlugin({
  name: 'bytes',
  description: 'Takes and sends bytes.',
  features: [],
  routes: {
    digest: { ...shape, method: 'PUT', path: '/bytes/digest', body: Bytes },
    refuse: { ...shape, method: 'PUT', path: '/bytes/refuse', body: Bytes, errors: ['invalid_request'] },
    hold: { ...shape, method: 'GET', path: '/bytes/held' },
    send: { ...shape, method: 'GET', path: '/bytes/:size', params: Type.Object({ size: Type.Integer() }) },
  },
  setup: () => ({
    handlers: {
      digest: async ({ body }) => {
        const digest = createHash('sha256');
        let sizeBytes = 0;
        try {
          for await (const chunk of body) {
            gate?.enter();
            await gate?.opened;
            digest.update(chunk);
            sizeBytes += chunk.length;
            if (sizeBytes < MIB) taken += Buffer.from(chunk).toString();
          }
        } catch (error) {
          faults.push(error);
          throw error;
        }
        return { digest: digest.digest('hex'), sizeBytes, announced: body.sizeBytes ?? null };
      },
      refuse: () => {
        throw new Error('not read');
      },
      hold: async () => {
        held.now += 1;
        gate?.enter();
        await gate?.opened;
        const rest = async function* () {
          yield CONTENT;
          await new Promise(() => undefined);
        };
        return streamed('application/octet-stream', rest(), { onEnd: () => (held.released += 1) });
      },
      send: ({ params: { size } }) => {
        const open = (sink: { write(chunk: Uint8Array): boolean; onDrain(next: () => void): void; end(): void }) => {
          let sent = 0;
          const next = () => {
            while (sent < size) {
              const chunk = CONTENT.subarray(sent, Math.min(size, sent + MIB));
              sent += chunk.length;
              if (!sink.write(chunk)) return;
            }
            sink.end();
          };
          sink.onDrain(next);
          next();
          return () => undefined;
        };
        return new Stream('application/octet-stream', open, {
          status: 206,
          sizeBytes: size,
          headers: { 'X-Kind': 'a' },
        });
      },
    },
  }),
});

let server: TestServer;
let token: string;
test.before(async () => {
  server = await TestServer.start({ plugins: [plugin] });
  ({ token } = await server.user('ann'));
});

const url = (path: string) => `${server.hostkeep.url('user')}${path}`;
const put = (path: string, body: Uint8Array | ReadableStream) =>
  fetch(url(path), {
    method: 'PUT',
    body,
    headers: { Authorization: `Bearer ${token}` },
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);

test('a guest is refused before the body is read', async () => {
  const response = await fetch(url('/bytes/digest'), { method: 'PUT', body: 'x' });
  assert.is(response.status, 401);
});

test('a body of any length and kind reaches the handler whole', async () => {
  for (const content of [CONTENT, CONTENT.subarray(0, 1)]) {
    const expected = { digest: createHash('sha256').update(content).digest('hex'), sizeBytes: content.length };
    assert.equal(await (await put('/bytes/digest', content)).json(), { ...expected, announced: content.length });
    const chunked = new Blob([content]).stream();
    assert.equal(await (await put('/bytes/digest', chunked)).json(), { ...expected, announced: null });
  }
});

test('what the handler does not take stays with the client', async () => {
  const held = (gate = new Gate());
  const socket = await rawConnection(server.hostkeep.url('user'));
  const size = 256 * MIB;
  socket.write(
    `PUT /bytes/digest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${size}\r\n\r\n`,
  );
  for (let sent = 0; sent < size / 4; sent += CONTENT.length) socket.write(CONTENT);
  await held.entered;
  // While these are answered, a server that reads on would take all.
  for (let i = 0; i < 100; i++) await server.ask('/api/account', { token });
  assert.ok(socket.writableLength > size / 8, 'the handler has the first bytes, and the client keeps the others');
  faults = [];
  socket.destroy();
  held.open();
  gate = undefined;
  await until('the handler hears that the client left', () => faults.length === 1);
  assert.match(String(faults[0]), /the client disconnected/);
});

test('a client that sends nothing more is disconnected, and a slow one is not', async () => {
  const begin = async () => {
    const socket = await rawConnection(server.hostkeep.url('user'));
    socket.write(`PUT /bytes/digest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`);
    socket.write('Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    return socket;
  };
  const [slow, silent] = [await begin(), await begin()];
  const reply = Promise.race([once(slow, 'data'), once(slow, 'close')]);
  const sending = setInterval(() => slow.write('1\r\nx\r\n'), 1000);
  const closed = once(silent, 'close');
  silent.resume();
  await closed;
  clearInterval(sending);
  slow.write('0\r\n\r\n');
  assert.match(String((await reply)[0]), /^HTTP\/1\.1 200 /);
  slow.destroy();
});

test('what arrived before the client left reaches the handler', async () => {
  const held = (gate = new Gate());
  [taken, faults] = ['', []];
  const socket = await rawConnection(server.hostkeep.url('user'));
  socket.write(`PUT /bytes/digest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 99\r\n\r\n`);
  socket.write('first ');
  await held.entered;
  socket.end('second');
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  held.open();
  gate = undefined;
  await until('the handler hears that the client left', () => faults.length === 1);
  assert.is(taken, 'first second');
});

test('a refusal reaches a client that still sends, whose connection stays', async () => {
  const head = `PUT /bytes/refuse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  const chunked = [Buffer.from(`${CONTENT.length.toString(16)}\r\n`), CONTENT, Buffer.from('\r\n0\r\n\r\n')];
  for (const [framing, body] of [
    [`Content-Length: ${CONTENT.length}`, CONTENT],
    ['Transfer-Encoding: chunked', Buffer.concat(chunked)],
  ] as const) {
    const socket = await rawConnection(server.hostkeep.url('user'));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(`${head}${framing}\r\n\r\n`);
    socket.write(body.subarray(0, 2));
    await until('the answer is there', () => text.startsWith('HTTP/1.1 500 '));
    socket.write(body.subarray(2));
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1.1 500 [^]*HTTP\/1.1 404 /, framing);
  }
});

test('an answer that nobody reads, or reads on, releases what it holds', async () => {
  const headers = { Authorization: `Bearer ${token}` };
  assert.is((await fetch(url('/bytes/held'), { method: 'HEAD', headers })).status, 200);
  assert.equal(held, { now: 1, released: 1 });
  const open = await fetch(url('/bytes/held'), { headers });
  await open.body?.cancel();
  await until('the client that left has been noticed', () => held.released === 2);
  const wait = (gate = new Gate());
  const socket = await rawConnection(server.hostkeep.url('user'));
  socket.write(`GET /bytes/held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await wait.entered;
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  await fetch(url('/bytes/0'), { headers }); // by then the server has seen that the other one left
  wait.open();
  gate = undefined;
  await until('what is ready too late is released', () => held.released === 3);
});

test('an answer of a known size says it, and is sent whole', async () => {
  for (const size of [0, 1, MIB, CONTENT.length]) {
    const response = await fetch(url(`/bytes/${size}`), { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(
      [response.status, response.headers.get('content-length'), response.headers.get('x-kind')],
      [206, String(size), 'a'],
    );
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(CONTENT.subarray(0, size)));
  }
  const head = await fetch(url('/bytes/7'), { method: 'HEAD', headers: { Authorization: `Bearer ${token}` } });
  assert.equal([head.status, head.headers.get('content-length')], [206, '7']);
});
