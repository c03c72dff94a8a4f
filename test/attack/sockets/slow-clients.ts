import type { Socket } from 'node:net';
import type { NodeProcess } from '../../support/node-process.ts';
import { exchange } from './exchange.ts';

const HEAD = 'GET /api/account/language HTTP/1.1\r\nHost: localhost\r\n';
const BODY = 'PUT /api/favorites HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

/** Slow clients: each sends `begin`, then a few bytes at intervals. */
const SLOW_CLIENTS: readonly {
  readonly name: string;
  readonly begin: string;
  readonly drop?: string;
  readonly everyMs?: number;
}[] = [
  { name: 'nothing at all', begin: '' },
  { name: 'half a request line', begin: 'GET /api/acc' },
  { name: 'half a header', begin: `${HEAD}X-A: ` },
  { name: 'a header by the byte', begin: `${HEAD}X-A: `, drop: 'a', everyMs: 200 },
  { name: 'headers by the line', begin: HEAD, drop: 'X-A: b\r\n', everyMs: 3000 },
  { name: 'no body at all', begin: `${BODY}Content-Length: 1000\r\n\r\n` },
  { name: 'a body by the byte', begin: `${BODY}Content-Length: 1000\r\n\r\n`, drop: 'a', everyMs: 200 },
  {
    name: 'a body by the kilobyte',
    begin: `${BODY}Content-Length: 60000\r\n\r\n`,
    drop: 'a'.repeat(1000),
    everyMs: 1000,
  },
  { name: 'chunks by the byte', begin: `${BODY}Transfer-Encoding: chunked\r\n\r\n`, drop: '1\r\na\r\n', everyMs: 200 },
];

/** Runs `ofEach` clients of each kind at once. All must be disconnected, and another client served throughout. */
export async function runSlowClients(node: NodeProcess, token: string, ofEach: number): Promise<string> {
  const all = Promise.all(
    SLOW_CLIENTS.flatMap((each) =>
      Array.from({ length: ofEach }, () => exchange(node.url(), (socket) => drip(socket, each))),
    ),
  );
  const state = { isOver: false };
  void all.finally(() => (state.isOver = true)).catch(() => undefined);
  let served = 0;
  while (!state.isOver) {
    if ((await node.ask('/api/account/language', { token })).status !== 200)
      throw new Error('another client was not served beside slow ones');
    served += 1;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const seconds = (await all).map(({ ms }) => ms / 1000);
  const range = `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s`;
  return `slow clients: ${seconds.length} of ${SLOW_CLIENTS.length} kinds, disconnected after ${range}, ${served} requests of another client served`;
}

function drip(socket: Socket, { begin, drop, everyMs }: (typeof SLOW_CLIENTS)[number]): void {
  socket.write(begin);
  if (drop === undefined) return;
  const timer = setInterval(() => socket.write(drop), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Longer than the time-out for clients that do not read. */
const READS_AFTER_MS = 13_000;

/** Clients that request something large and do not read it hold bounded memory for a bounded time. */
export async function readNothing(node: NodeProcess, count: number): Promise<string> {
  const before = node.memoryBytes;
  const started = performance.now();
  const exchanges = Array.from({ length: count }, () =>
    exchange(node.url(), (socket) => {
      socket.pause();
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
      setTimeout(() => socket.resume(), READS_AFTER_MS).unref(); // only a client that reads sees the end
    }),
  );
  if ((await node.ask('/openapi.json')).status !== 200)
    throw new Error('another client was not served beside those that do not read');
  const each = Math.max(0, Math.round((node.memoryBytes - before) / count / 1024));
  for (const { statuses } of await Promise.all(exchanges))
    if (statuses.some((status) => status !== 200))
      throw new Error(`a client that does not read got ${statuses.join()}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return `clients that do not read: ${count}, at most ${each} KiB each, disconnected after ${seconds} s`;
}
