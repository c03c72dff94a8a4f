import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DemoWebServer } from '../../kernel/contract/points/demo.ts';
import { findProgram, startProgram, type ChildProcess } from '../../kernel/kit/programs/start-program.ts';

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

/**
 * Starts nginx for the demo, with all files in `folder` and on loopback only, so that an nginx that serves this host is
 * not affected. Rejects when nginx is not installed or does not start.
 */
export default async function startDemoServer(folder: string, name = 'nginx'): Promise<DemoWebServer> {
  const program = findNginx(name);
  await clear(folder);
  const start = (ports: readonly number[]) => startAt(ports, folder, program);
  return start([PORT, TLS_PORT]).catch(async () => start([await freePort(), await freePort()]));
}

async function startAt(ports: readonly number[], folder: string, program: string): Promise<DemoWebServer> {
  const [listen = '', tls = ''] = ports.map((port) => `127.0.0.1:${port}`);
  await writeFile(join(folder, CONF), confOf(listen, tls));
  const command = (...args: string[]) => [program, '-p', folder, '-c', CONF, '-e', 'error.log', ...args];
  const child = startProgram(program, command().slice(1), { stdio: 'ignore', exception: 'demo web server' });
  process.once('exit', () => child.kill('SIGTERM')); // SIGKILL would leave its worker running
  await untilListening(child, folder);
  const settings = {
    ...{ driver: 'nginx', listen, listen_https: tls },
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

function findNginx(name: string): string {
  try {
    return findProgram(name);
  } catch (cause) {
    throw new Error('nginx is not installed (apt-get install nginx-light)', { cause });
  }
}

/** Removes the files of an earlier demo, and stops its nginx if the demo was killed: one at a time serves a data folder. */
async function clear(folder: string): Promise<void> {
  const pid = await pidIn(folder);
  /** The title of nginx's main process ends with its command line. */
  const isLeftover = async () => {
    const title = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : ''; // it has ended
    return title.startsWith('nginx: master process ') && title.includes(` -p ${folder} `);
  };
  if (await isLeftover()) process.kill(pid, 'SIGTERM');
  for (const end = performance.now() + START_MS; await isLeftover(); await delay(POLL_MS))
    if (performance.now() > end) throw new Error(`the nginx of an earlier demo does not exit (process ${pid})`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
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
