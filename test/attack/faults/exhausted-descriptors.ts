import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { eventually, until } from '../../support/until.ts';

/** File descriptors that the node may open beyond those that it has. */
const SPARE = 20;
/** How long after the first answers others are looked at: most connections are not accepted, and get none. */
const LATER_MS = 3000;

/**
 * Lowers the node's limit of open files. Rejects if a connected client gets a wrong reply, the node dies, or it does
 * not recover once descriptors are free again.
 */
export async function exhaustDescriptors(): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data);
  const sockets: Socket[] = [];
  try {
    const token = await node.login('demo');
    execFileSync('prlimit', ['--pid', String(node.pid), `--nofile=${node.descriptors + SPARE}:`]);
    const { port } = new URL(node.url());
    for (let i = 0; i < 3 * SPARE; i += 1)
      sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.all(sockets.slice(0, SPARE).map((socket) => once(socket, 'connect')));
    const request = `GET /api/favorites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const statuses: number[] = [];
    for (const socket of sockets) void firstStatus(socket, request).then((status) => statuses.push(...status));
    await until('connections are answered', () => statuses.length > 0);
    await delay(LATER_MS);
    const wrong = statuses.filter((status) => status !== 200 && status < 500);
    if (wrong.length > 0 || !node.isAlive) throw new Error(`without descriptors the node returned ${wrong.join()}`);
    const answered = statuses.length;
    for (const socket of sockets) socket.destroy();
    const isWell = async () =>
      (await node.ask('/api/favorites', { token })).status === 200 && (await node.login('demo'));
    // a store elsewhere needs new connections first
    await until('it has free descriptors again', () => isWell().then(Boolean, () => false));
    const add = (name: string) => node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } });
    let tried = 0;
    await eventually(
      'with free descriptors again a domain is added',
      async () => (await add(`after-${(tried += 1)}.example`)).status,
      (status) => status === 201,
    );
    const counts = `room for ${SPARE}, ${answered} answered, ${sockets.length - answered} waited`;
    return `out of descriptors: ${sockets.length} connections, ${counts}; recovered`;
  } finally {
    for (const socket of sockets) socket.destroy();
    await node.end('SIGKILL');
  }
}

/** Resolves with the status of the first reply, or with none once the connection closes. */
async function firstStatus(socket: Socket, request: string): Promise<number[]> {
  socket.write(request);
  const text = await Promise.race([
    once(socket, 'data').then(([chunk]) => String(chunk)),
    once(socket, 'close').then(() => ''),
  ]).catch(() => '');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return status === undefined ? [] : [Number(status)];
}
