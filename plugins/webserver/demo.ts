import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Owner } from './owner.ts';
import type { WebserverConfig } from './schema.ts';
import { VhostFolder } from './vhost-folder.ts';

/** Beside the two addresses of the kernel; another one where it is taken. */
const PORT = 2080;
const START_MS = 5000;
const POLL_MS = 20;
const CONF = 'nginx.conf';
const PID = 'nginx.pid';
/** What the demo's folders hold; the list of the machine may lie anywhere. */
const TYPES =
  'text/html html htm; text/css css; text/plain txt; text/javascript js; application/json json; image/gif gif; image/png png; image/jpeg jpg jpeg; image/svg+xml svg;';

export interface DemoServer {
  readonly settings: WebserverConfig;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
}

/**
 * Starts an nginx of the demo's own, with everything below `folder` and on loopback only, so that an nginx that serves
 * this host is not touched. Rejects where none is installed, or it does not start.
 */
export async function startDemoServer(config: WebserverConfig, folder: string, find = findNginx): Promise<DemoServer> {
  const program = find();
  if (program === undefined) throw new Error('no nginx is installed (apt-get install nginx-light)');
  await clear(folder);
  const port = (await freePort(PORT)) ?? (await freePort(0)) ?? 0;
  const listen = `127.0.0.1:${port}`;
  await writeFile(join(folder, CONF), confOf(listen));
  const command = (...args: string[]) => [program, '-p', folder, '-c', CONF, '-e', 'error.log', ...args];
  const child = spawn(program, command().slice(1), { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGTERM')); // killed at once it would leave its worker
  await untilListening(child, port, folder);
  const settings = {
    ...config,
    driver: 'nginx',
    vhost_folder: join(folder, 'vhosts'),
    listen,
    check: command('-t', '-q'),
    reload: command('-s', 'reload'),
    version: [program, '-v'],
  };
  return { settings, stop: () => end(child) };
}

/** Runs as whoever runs the demo, as nobody else may read the folders below its data. */
function confOf(listen: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path temporary-${name};`)
    .join(' ');
  return (
    `${process.getuid?.() === 0 ? 'user root;\n' : ''}daemon off;\nworker_processes 1;\npid ${PID};\nerror_log error.log;\nevents { worker_connections 256; }\n` +
    `http {\n  types { ${TYPES} }\n  ${temporary}\n  access_log off;\n  server_names_hash_bucket_size 512;\n` +
    `  server { listen ${listen} default_server; return 444; }\n  include vhosts/*.conf;\n}\n`
  );
}

/** Programs of the system are not on everybody's path. */
function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter((folder) =>
    folder.startsWith('/'),
  );
  return folders
    .map((folder) => join(folder, 'nginx'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Leaves nothing of an earlier demo, and its nginx neither where it was killed and could not end it. Rejects while another demo uses the folder. */
async function clear(folder: string): Promise<void> {
  const vhosts = new VhostFolder(join(folder, 'vhosts'));
  await vhosts.make();
  if ((await new Owner(vhosts).take()) === 'elsewhere') throw new Error('another demo with the same data runs');
  const pid = Number(await readFile(join(folder, PID), 'utf8').catch(() => ''));
  /** nginx writes its whole command line behind that. */
  const isOurs = async () => {
    const title = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
    return title.startsWith('nginx: master process ') && title.includes(` -p ${folder} `);
  };
  if (await isOurs()) process.kill(pid, 'SIGTERM');
  for (const end = performance.now() + START_MS; await isOurs(); await delay(POLL_MS))
    if (performance.now() > end) throw new Error(`the nginx of an earlier demo does not end (process ${pid})`);
  await rm(folder, { recursive: true });
  await vhosts.make();
}

/** `undefined` when it is taken. */
async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}

async function untilListening(child: ChildProcess, port: number, folder: string): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (const end = performance.now() + START_MS; !(await answers(port)); await delay(POLL_MS)) {
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (!isOver && failure === undefined && performance.now() < end) continue;
    child.kill('SIGKILL');
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    throw new Error(`nginx does not start: ${failure?.message ?? log.trim().split('\n').at(-1) ?? ''}`);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
      .once('connect', () => socket.destroy());
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
