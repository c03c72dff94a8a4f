import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { NodeProcess } from '../../support/node-process.ts';

/** What a connection may cost at the most: uWebSockets.js keeps up to 4 KiB of an unfinished request, and its own state. */
const BYTES_AT_MOST = 8 * 1024;
/** By which the memory of a process moves anyhow. */
const NOISE_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 500;
/** Descriptors that this process and the node need besides. */
const SPARE = 500;

/** As many connections as were asked for, or as the limit of open files allows; idle, or with half a request each. */
export async function crowd(node: NodeProcess, token: string, wanted: number, begin: string): Promise<string> {
  const count = Math.min(wanted, openFilesAtMost() - SPARE);
  const [bytes, descriptors] = [node.memoryBytes, node.descriptors];
  const sockets: Socket[] = [];
  try {
    for (let i = 0; i < count; i += AT_ONCE)
      sockets.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(AT_ONCE, count - i) }, (_, j) => open(node.url(), i + j, begin)),
        )),
      );
    if ((await node.ask('/api/account/language', { token })).status !== 200)
      throw new Error('a good client was not served beside the crowd');
    const held = node.descriptors - descriptors;
    const grown = node.memoryBytes - bytes;
    const each = Math.round(grown / count);
    if (grown > BYTES_AT_MOST * count + NOISE_BYTES)
      throw new Error(`a connection takes ${each} bytes, more than ${BYTES_AT_MOST}`);
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close'))); // the time-out is the server's
    return `${begin === '' ? 'idle connections' : 'connections with half a request'}: ${count}, ${held} of them held at once, at most ${each} bytes each; all sent away`;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** From several addresses of this machine, because each has only some 28,000 ports to call from. */
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

function openFilesAtMost(): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
