import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { eventually, until } from '../../support/until.ts';

/** File descriptors that the node may open beyond those that it has. */
const SPARE = 20;

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
    const statuses = await Promise.all(
      sockets.map((socket) =>
        firstStatus(socket, `GET /api/favorites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
      ),
    );
    const wrong = statuses.filter((status) => status !== undefined && status !== 200 && status < 500);
    if (wrong.length > 0 || !node.isAlive) throw new Error(`without descriptors the node returned ${wrong.join()}`);
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
    const answered = statuses.filter((status) => status !== undefined).length;
    const waited = statuses.length - answered;
    const counts = `room for ${SPARE}, ${answered} answered, ${waited} waited`;
    return `out of descriptors: ${sockets.length} connections, ${counts}; recovered`;
  } finally {
    for (const socket of sockets) socket.destroy();
    await node.end('SIGKILL');
  }
}

/** Returns the status of the first reply; `undefined` if the connection closes or is not accepted within 3 s. */
async function firstStatus(socket: Socket, request: string): Promise<number | undefined> {
  socket.write(request);
  const text = await Promise.race([
    once(socket, 'data').then(([chunk]) => String(chunk)),
    once(socket, 'close').then(() => ''),
    new Promise<string>((resolve) => setTimeout(() => resolve(''), 3000)),
  ]).catch(() => '');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return status === undefined ? undefined : Number(status);
}
