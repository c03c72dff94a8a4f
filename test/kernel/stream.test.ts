import { once } from 'node:events';
import * as assert from '../support/assert.ts';
import type { Sink } from '../../kernel/contract/reply.ts';
import { TestServer } from '../support/hostkeep.ts';
import { Gate, probePlugin } from '../support/probe.ts';
import { rawConnection } from '../support/raw.ts';
import { testSuite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = testSuite('streams');
const CHUNK_BYTES = 1 << 20;

test('a stream reports that its client has fallen behind, and that it has caught up', async () => {
  const sinks: Sink[] = [];
  const server = await TestServer.start({ plugins: [probePlugin(new Gate(), sinks)] });
  const { token } = await server.user('sloan');
  const socket = await rawConnection(server.hostkeep.url('user'));
  socket.write(`GET /probe/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const [sink] = sinks;
  assert.ok(sink !== undefined && !sink.isBehind);
  let chunks = 1;
  while (sink.write('x'.repeat(CHUNK_BYTES)) && chunks < 64) chunks += 1;
  assert.ok(chunks < 64, 'what the sockets hold is bounded');
  assert.is(sink.isBehind, true);
  const read = { x: 0, tail: '' };
  socket.on('data', (chunk: Buffer) => {
    const text = chunk.toString('latin1');
    read.x += text.split('x').length - 1;
    read.tail = text.slice(-100);
  });
  socket.resume();
  while (!read.tail.includes('again')) {
    if (!sink.isBehind) sink.write('again'); // flushes what uWS still buffers
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(read.x, chunks * CHUNK_BYTES, 'nothing is lost of what was taken');
  socket.destroy();
});

test('a client that takes nothing any more loses its stream, and nobody else', async () => {
  const sinks: Sink[] = [];
  const server = await TestServer.start({ plugins: [probePlugin(new Gate(), sinks)] });
  const { token } = await server.user('stella');
  const open = async () => {
    const socket = await rawConnection(server.hostkeep.url('user'));
    socket.write(`GET /probe/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  };
  const [real, late] = [globalThis.setTimeout, [] as (() => void)[]];
  globalThis.setTimeout = ((work: () => void, ms = 0) => {
    if (ms === 60_000) late.push(work);
    return real(work, ms);
  }) as typeof setTimeout;
  try {
    const [frozen, reading] = [await open(), await open()];
    frozen.pause();
    reading.resume();
    const [first, second] = sinks;
    late.length = 0; // of the same length, and of others
    for (let chunks = 0; first?.write('x'.repeat(CHUNK_BYTES)) === true && chunks < 64; chunks += 1);
    assert.equal([first?.isBehind, late.length], [true, 1]);
    first?.write('x');
    assert.is(late.length, 1, 'from the first moment on');
    for (const end of late) end();
    await until('its place is free', () => sinks.length === 1);
    assert.is(sinks[0], second);
    frozen.destroy();
    reading.destroy();
  } finally {
    globalThis.setTimeout = real;
  }
});

// threat immortal-tokens: a stream ends once its account could not open it any more
test('a stream ends with its feature, for the account and the plan, alone', async () => {
  const sinks: Sink[] = [];
  const server = await TestServer.start({ plugins: [probePlugin(new Gate(), sinks)] });
  const { plans, accounts } = server.hostkeep.core;
  const { token } = await server.user('greta');
  const open = (path: string) =>
    fetch(server.hostkeep.url('user') + path, { headers: { authorization: `Bearer ${token}` } });
  const free = await open('/probe/stream');
  const changes = [
    async (isOn: boolean) => accounts.setFeature('greta', 'dns', isOn),
    async (isOn: boolean) => plans.setFeature('developer', 'pm2', isOn),
  ];
  for (const change of changes) {
    const gated = await open('/probe/gated-stream');
    assert.equal([gated.status, sinks.length], [200, 2]);
    await change(false);
    assert.is(await gated.text(), 'data: first\n\n', 'it ended in order');
    assert.equal([(await open('/probe/gated-stream')).status, sinks.length], [403, 1]);
    await change(true);
  }
  await free.body?.cancel();
});
