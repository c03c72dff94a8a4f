import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { NodeProcess } from '../../support/node-process.ts';

/** Limit per connection: uWebSockets.js keeps up to 4 KiB of an unfinished request, plus its own state. */
const MAX_BYTES = 8 * 1024;
/** Variation of a process's memory without any load. */
const NOISE_BYTES = 32 * 1024 * 1024;
const BATCH = 500;
/** Descriptors reserved for everything else. */
const SPARE = 500;

/**
 * Opens `wanted` connections, or as many as the limit of open files allows, each idle or with half a request. Rejects
 * if they cost too much memory, keep another client from being served, or are not closed by the server.
 */
export async function holdConnections(
  node: NodeProcess,
  token: string,
  wanted: number,
  begin: string,
): Promise<string> {
  const count = Math.min(wanted, maxOpenFiles() - SPARE);
  const [bytes, descriptors] = [node.memoryBytes, node.descriptors];
  const sockets: Socket[] = [];
  try {
    for (let i = 0; i < count; i += BATCH)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(BATCH, count - i) }, (_, j) => open(node.url(), i + j, begin)),
        )),
      );
    if ((await node.ask('/api/account/language', { token })).status !== 200)
      throw new Error('another client was not served');
    const held = node.descriptors - descriptors;
    const grown = Math.max(0, node.memoryBytes - bytes);
    const each = Math.round(grown / count);
    if (grown > MAX_BYTES * count + NOISE_BYTES)
      throw new Error(`a connection costs ${each} bytes, more than ${MAX_BYTES}`);
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    const kind = begin === '' ? 'idle connections' : 'connections with half a request';
    return `${kind}: ${count}, ${held} of them open at once, at most ${each} bytes each; all closed by the server`;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Spreads the connections over several loopback addresses, because each has only about 28,000 ports. */
async function open(url: string, i: number, begin: string): Promise<Socket> {
  const socket = connect({
    host: '127.0.0.1',
    port: Number(new URL(url).port),
    localAddress: `127.0.0.${2 + (i % 8)}`,
  });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.resume();
  if (begin !== '') socket.write(begin);
  return socket;
}

function maxOpenFiles(): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
