import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProgram, type ChildProcess } from '../../kernel/kit/programs/start-program.ts';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { FolderLock } from './vhosts/folder-lock.ts';
import type { WebserverConfig } from './schema.ts';
import { VhostFolder } from './vhosts/vhost-folder.ts';

/** Others are used if one of these is taken. */
const PORT = 2080;
const TLS_PORT = 2443;
const START_MS = 5000;
const POLL_MS = 20;
const CONF = 'nginx.conf';
const PID = 'nginx.pid';
/** The types of the demo's files, because the path of the system's list varies. */
const TYPES =
  'text/html html htm; text/css css; text/plain txt; text/javascript js; application/json json; image/gif gif; image/png png; image/jpeg jpg jpeg; image/svg+xml svg;';

interface DemoServer {
  readonly settings: WebserverConfig;
  /** Resolves when its process has exited. */
  stop(): Promise<void>;
}

/**
 * Starts nginx for the demo, with all files in `folder` and on loopback only, so that an nginx that serves this host is
 * not affected. Rejects when nginx is not installed or does not start.
 */
export async function startDemoServer(config: WebserverConfig, folder: string, find = findNginx): Promise<DemoServer> {
  const program = find();
  if (program === undefined) throw new Error('nginx is not installed (apt-get install nginx-light)');
  await clear(folder);
  const start = (ports: readonly number[]) => startAt(ports, config, folder, program);
  return start([PORT, TLS_PORT]).catch(async () => start([await freePort(), await freePort()]));
}

async function startAt(
  ports: readonly number[],
  config: WebserverConfig,
  folder: string,
  program: string,
): Promise<DemoServer> {
  const [listen = '', tls = ''] = ports.map((port) => `127.0.0.1:${port}`);
  await writeFile(join(folder, CONF), confOf(listen, tls));
  const command = (...args: string[]) => [program, '-p', folder, '-c', CONF, '-e', 'error.log', ...args];
  const child = startProgram(program, command().slice(1), { stdio: 'ignore', exception: 'demo web server' });
  process.once('exit', () => child.kill('SIGTERM')); // SIGKILL would leave its worker running
  await untilListening(child, folder);
  const settings = {
    ...{ ...config, driver: 'nginx', listen, listen_https: tls },
    ...{ vhost_folder: join(folder, 'vhosts'), log_folder: join(folder, 'logs') },
    check: command('-t', '-q'),
    reload: command('-s', 'reload'),
    version: [program, '-v'],
  };
  return { settings, stop: () => stop(child) };
}

/** Workers run as the user of the demo, because other users may not read its data. */
function confOf(listen: string, tls: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path temporary-${name};`)
    .join(' ');
  return (
    `${process.getuid?.() === 0 ? 'user root;\n' : ''}daemon off;\nworker_processes 1;\npid ${PID};\nerror_log error.log;\nevents { worker_connections 256; }\n` +
    `http {\n  types { ${TYPES} }\n  ${temporary}\n  access_log off;\n  server_names_hash_bucket_size 512;\n` +
    `  server { listen ${listen} default_server; listen ${tls} ssl default_server; ssl_reject_handshake on; return 444; }\n  include vhosts/*.conf;\n}\n`
  );
}

/** Searches system folders too, because they are not in every user's PATH. */
function findNginx(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter((folder) =>
    folder.startsWith('/'),
  );
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
}

/**
 * Removes the files of an earlier demo, and stops its nginx if the demo was killed. Rejects while another demo uses the
 * folder.
 */
async function clear(folder: string): Promise<void> {
  const vhosts = new VhostFolder(join(folder, 'vhosts'));
  await vhosts.make();
  if ((await new FolderLock(vhosts, `${PROCESS_ID} ${randomUUID()}`).acquire()) === 'held-elsewhere')
    throw new Error('another demo with the same data is running');
  const pid = await pidIn(folder);
  /** The title of nginx's main process ends with its command line. */
  const isLeftover = async () => {
    const title = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : ''; // it has ended
    return title.startsWith('nginx: master process ') && title.includes(` -p ${folder} `);
  };
  if (await isLeftover()) process.kill(pid, 'SIGTERM');
  for (const end = performance.now() + START_MS; await isLeftover(); await delay(POLL_MS))
    if (performance.now() > end) throw new Error(`the nginx of an earlier demo does not exit (process ${pid})`);
  await rm(folder, { recursive: true });
  await vhosts.make();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** nginx writes its process id once it listens. */
async function untilListening(child: ChildProcess, folder: string): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (const end = performance.now() + START_MS; (await pidIn(folder)) !== child.pid; await delay(POLL_MS)) {
    const hasExited = child.exitCode !== null || child.signalCode !== null;
    if (!hasExited && failure === undefined && performance.now() < end) continue;
    child.kill('SIGKILL');
    // it wrote none, and the exit is said in any case
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    throw new Error(`nginx does not start: ${failure?.message ?? log.trim().split('\n').at(-1) ?? ''}`);
  }
}

/** Resolves with 0 if none runs. */
const pidIn = async (folder: string) => Number(await readFile(join(folder, PID), 'utf8').catch(() => ''));

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
