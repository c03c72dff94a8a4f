import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { answersPing, askPool } from '../../kernel/kit/programs/fpm/fastcgi.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('fastcgi');
const [END, STDOUT, STDERR] = [3, 6, 7];

function record(type: number, text: string, padding = 0): Buffer {
  const head = Buffer.from([1, type, 0, 1, 0, 0, padding, 0]);
  head.writeUInt16BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text), Buffer.alloc(padding)]);
}

/** Serves one answer to every request at a socket, and keeps what was asked. */
async function withPool(answer: (socket: Socket) => void, use: (path: string, asked: Buffer[]) => Promise<void>) {
  const path = join(temporaryFolder(), 'pool.sock');
  const asked: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the caller has had enough
    socket.once('data', (chunk: Buffer) => {
      asked.push(chunk);
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  try {
    await use(path, asked);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const BOUNDS = { timeoutMs: 5000, mostBytes: 100_000 };

async function refusal(asking: Promise<unknown>): Promise<string> {
  return asking.then(
    () => 'no error',
    (error: Error) => error.message,
  );
}

test('an answer that is cut off, late, too large or nonsense is none', async () => {
  const whole = Buffer.concat([record(STDOUT, 'x'.repeat(60_000)), record(END, '12345678')]);
  for (const bytes of [Buffer.alloc(0), Buffer.from('HTTP/1.1 400\r\n\r\n'), whole.subarray(0, -30)])
    await withPool(
      (socket) => socket.end(bytes),
      async (path) => {
        assert.is(await refusal(askPool(path, '/a.php', BOUNDS)), 'the answer was cut off');
        assert.not(await answersPing(path, 5000));
      },
    );
  await withPool(
    (socket) => void socket.write(record(STDOUT, 'slow')),
    async (path) =>
      assert.is(await refusal(askPool(path, '/a', { ...BOUNDS, timeoutMs: 30 })), 'no answer within 30 ms'),
  );
  await withPool(
    (socket) => socket.end(whole),
    async (path) =>
      assert.match(await refusal(askPool(path, '/a', { ...BOUNDS, mostBytes: 1000 })), /larger than 1000/),
  );
  assert.match(await refusal(askPool('/nonexistent.sock', '/a', BOUNDS)), /ENOENT/);
});

test('what a script prints is put together from its records, without its errors', async () => {
  const answer = [
    record(STDOUT, 'one ', 4),
    record(STDERR, 'a warning'),
    record(STDOUT, 'two pong'),
    record(END, '12345678'),
  ];
  const path = `/srv/${'long/'.repeat(40)}a.php`;
  await withPool(
    (socket) => {
      for (const each of answer) socket.write(each);
      socket.end();
    },
    async (socket) => {
      assert.is((await askPool(socket, path, BOUNDS)).toString(), 'one two pong');
      assert.ok(await answersPing(socket, 5000));
    },
  );
  await withPool(
    (socket) => socket.end(),
    async (socket, asked) => {
      await refusal(askPool(socket, path, BOUNDS));
      assert.ok(asked[0]?.includes(path), 'a path longer than 127 bytes');
    },
  );
});
