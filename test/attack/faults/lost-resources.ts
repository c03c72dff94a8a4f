import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';

const INSIDE = new URL('../../support/inside-node.js', import.meta.url).href;
/** Descriptors that are left to the node beyond those that it has. */
const LEFT = 20;

/** No descriptor is left: who is connected is served as far as it goes, new ones wait, and all is well when there are some again. */
export async function withoutDescriptors(): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data);
  const sockets: Socket[] = [];
  try {
    const token = await node.login('demo');
    execFileSync('prlimit', ['--pid', String(node.pid), `--nofile=${node.descriptors + LEFT}:`]);
    const { port } = new URL(node.url());
    for (let i = 0; i < 3 * LEFT; i += 1) sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.all(sockets.slice(0, LEFT).map((socket) => once(socket, 'connect')));
    const statuses = await Promise.all(
      sockets.map((socket) =>
        firstStatus(socket, `GET /api/favorites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`),
      ),
    );
    const wrong = statuses.filter((status) => status !== undefined && status !== 200 && status < 500);
    if (wrong.length > 0 || !node.isAlive) throw new Error(`without descriptors the node answered ${wrong.join()}`);
    for (const socket of sockets) socket.destroy();
    if ((await node.ask('/api/favorites', { token })).status !== 200)
      throw new Error('with descriptors again it does not serve');
    await node.login('demo');
    if (
      (await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: 'after.example' } })).status !==
      201
    )
      throw new Error('with descriptors again a domain could not be added');
    const answered = statuses.filter((status) => status !== undefined).length;
    return `out of descriptors: ${sockets.length} connections with room for ${LEFT}, ${answered} answered, ${statuses.length - answered} waited; served again when there were some`;
  } finally {
    for (const socket of sockets) socket.destroy();
    await node.end('SIGKILL');
  }
}

/** The status of the first reply; `undefined` when the connection ends without one, or is not accepted for a while. */
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

/** Threads and child processes of the node that die in the middle of work: what needed them fails or waits, and the next works. */
export async function killHelpers(rounds: number): Promise<string> {
  const data = join(temporaryFolder(), 'data');
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data, { inside: INSIDE });
  try {
    const token = await node.login('demo');
    for (let i = 0; i < 20; i += 1)
      await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: `d${i}.example` } });
    const asks = [
      () => node.ask('/api/login', { method: 'POST', body: { username: 'demo', password: PASSWORD } }),
      () => node.ask('/api/search/files?q=index', { token }),
      () => node.ask('/api/directory-size?folder=/var/www/html', { token }),
      () => node.ask('/api/auto-installer', { token }),
      () => node.ask('/api/disk_inodes', { token }),
    ];
    let [threads, processes, failed] = [0, 0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const answers = Promise.all(asks.map((ask) => ask()));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
      threads += Number(await node.tell({ endThreads: true }));
      for (const pid of descendants(node.pid)) processes += kill(pid);
      const statuses = (await answers).map(({ status }) => status);
      const wrong = statuses.filter((status) => status !== 200 && status < 500);
      if (wrong.length > 0) throw new Error(`while its helpers were killed the node answered ${statuses.join()}`);
      failed += statuses.filter((status) => status >= 500).length;
      const after = await Promise.all(asks.map((ask) => ask()));
      if (after.some(({ status }) => status !== 200))
        throw new Error(
          `after its helpers were killed the node answered ${after.map(({ status, body }) => `${status} ${JSON.stringify(body)}`).join('; ')}`,
        );
    }
    return `killed helpers: ${threads} threads and ${processes} child processes in ${rounds} rounds; ${failed} requests failed with them, every one after that was answered`;
  } finally {
    await node.end('SIGKILL');
  }
}

function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .filter((text) => text !== '')
        .map(Number);
    } catch {
      return []; // the thread ended meanwhile
    }
  });
  return children.flatMap((child) => [child, ...(existsProcess(child) ? descendants(child) : [])]);
}

function existsProcess(pid: number): boolean {
  return readdirSync('/proc').includes(String(pid));
}

function kill(pid: number): number {
  try {
    process.kill(pid, 'SIGKILL');
    return 1;
  } catch {
    return 0; // it ended by itself
  }
}
