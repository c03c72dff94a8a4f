import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import type { CertificateFiles } from './certificate.ts';

/** Names the server on which servers of tests have their stores, instead of files. */
export const TEST_STORE_URL = 'HOSTKEEP_TEST_STORE_URL';
/** Lets a transaction wait for what a test does meanwhile, however long that takes; others are ended after three seconds. */
export const MAY_IDLE = 'set local idle_in_transaction_session_timeout = 0';
const SYSTEM_USER = 'postgres';
/**
 * Waits for the end of its input, which the process that started it holds open until it ends, however that is; then ends the
 * server of the data folder `$1`, and removes the folder `$2`. The rest is a command that becomes the owner of the server.
 */
const KEEPER = `cat >/dev/null; data=$1 folder=$2; shift 2; cd /; "$@" stop -m immediate -D "$data"; rm -rf "$folder"`;
const DEFAULT_PORT = 5432;
/** How long one of its programs may take, in seconds: the machine may be busy. */
const LIMIT_S = 120;
const made = new Set<string>();
let shared: Postgres | undefined;

/** A PostgreSQL server of our own, on a Unix socket in a folder that is removed with it; with a port, also on loopback. */
export class Postgres {
  readonly folder: string;
  readonly #programs: string;
  readonly #port: number;

  private constructor(port = DEFAULT_PORT) {
    const [programs] = findFiles('*/bin/initdb', '/usr/lib/postgresql').toSorted().toReversed();
    if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
    this.#programs = join('/usr/lib/postgresql', programs, '..');
    this.#port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'hostkeep-postgres-'));
    chmodSync(this.folder, 0o711); // for nodes that run as another user
    this.#own(this.folder);
    this.#keep(this.#data);
  }

  /** `settings` are those of the server, such as `fsync=off`. */
  static start(settings: readonly string[] = [], port?: number): Postgres {
    const server = new Postgres(port);
    const user = `--username=${SYSTEM_USER}`;
    server.#run('initdb', '--no-sync', '--auth=trust', user, '--locale=C.UTF-8', '-D', server.#data);
    server.serve(settings);
    return server;
  }

  /** Starts a copy that follows this server until it is promoted. */
  startStandby(settings: readonly string[], port: number): Postgres {
    const standby = new Postgres(port);
    const from = `host=${this.folder} port=${this.#port} user=${SYSTEM_USER}`;
    standby.#run('pg_basebackup', '--no-sync', '--checkpoint=fast', '-R', '-d', from, '-D', standby.#data);
    standby.serve(settings);
    return standby;
  }

  /** The URL of its database. */
  get url(): string {
    return `postgres://${SYSTEM_USER}@/postgres?host=${encodeURIComponent(this.folder)}&port=${this.#port}`;
  }

  /** Where it listens on loopback. */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  serve(settings: readonly string[] = []): void {
    const all = [
      `listen_addresses=${this.#port === DEFAULT_PORT ? '' : '127.0.0.1'}`,
      `unix_socket_directories=${this.folder}`,
      `port=${this.#port}`,
      ...settings,
    ];
    const options = all.map((each) => `-c ${each}`).join(' ');
    const log = join(this.folder, 'log');
    try {
      this.#run('pg_ctl', 'start', '-w', '-t', `${LIMIT_S}`, '-D', this.#data, '-l', log, '-o', options);
    } catch (error) {
      throw new Error(existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : 'no log', { cause: error });
    }
  }

  /** Returns settings that make it speak TLS, with copies of the files that it may read. */
  tlsSettings({ cert, key }: CertificateFiles): string[] {
    const files = { ssl_cert_file: cert, ssl_key_file: key };
    const settings = Object.entries(files).map(([name, source]) => {
      const path = join(this.folder, name);
      copyFileSync(source, path);
      chmodSync(path, 0o600);
      this.#own(path);
      return `${name}=${path}`;
    });
    return ['ssl=on', ...settings];
  }

  /** Ends it as `mode` says: `immediate` is a crash. */
  stop(mode: 'fast' | 'immediate' = 'fast'): void {
    this.#run('pg_ctl', 'stop', '-w', '-t', `${LIMIT_S}`, '-m', mode, '-D', this.#data);
  }

  /** Makes a standby a primary; resolves once it is one. */
  async promote(): Promise<void> {
    const [command = '', ...given] = [
      ...this.#command('pg_ctl'),
      'promote',
      '-w',
      '-t',
      `${LIMIT_S}`,
      '-D',
      this.#data,
    ];
    await promisify(execFile)(command, given, { cwd: this.folder });
  }

  /** Sends a signal to each of its processes, the first one first. */
  signal(name: NodeJS.Signals): void {
    const [pid = ''] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [pid, ...children]) signalIfThere(Number(each), name);
  }

  remove(): void {
    this.stop('immediate');
    this.removeFiles();
  }

  /** Removes what a server that has ended leaves behind; one that was killed also leaves shared memory. */
  removeFiles(): void {
    const lock = join(this.#data, 'postmaster.pid');
    const segment = existsSync(lock) ? readFileSync(lock, 'utf8').split('\n')[6]?.trim().split(/ +/)[1] : undefined;
    if (segment !== undefined) execFileSync('ipcrm', ['-m', segment]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Leaves nothing behind when this process is killed. */
  #keep(data: string): void {
    const keeper = spawn('sh', ['-c', KEEPER, 'sh', data, this.folder, ...this.#command('pg_ctl')], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true, // from signals to the process group, such as that of a terminal
    });
    keeper.unref();
    (keeper.stdin as Socket).unref();
  }

  #run(program: string, ...options: readonly string[]): void {
    const [command = '', ...given] = [...this.#command(program), ...options];
    execFileSync(command, given, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_S * 1000 });
  }

  #own(path: string): void {
    if (process.getuid?.() === 0) chownSync(path, idOf('-u'), idOf('-g'));
  }

  /** A program of PostgreSQL, which refuses to run as root. */
  #command(program: string): string[] {
    const asOwner = ['setpriv', `--reuid=${SYSTEM_USER}`, `--regid=${SYSTEM_USER}`, '--clear-groups'];
    return [...(process.getuid?.() === 0 ? asOwner : []), join(this.#programs, program)];
  }
}

/** The children of a process that was killed end by themselves. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended
  }
}

/** Returns the URL of a schema of its own, which is made if it is missing. */
export function schemaAt(url: string, name: string): string {
  const schema = `s${createHash('sha256').update(name).digest('hex').slice(0, 20)}`;
  const key = `${schema} at ${url}`;
  if (!made.has(key)) {
    const statement = `create schema if not exists ${schema}`;
    execFileSync('psql', ['--quiet', '--no-psqlrc', '--command', statement, url], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PGOPTIONS: '--client-min-messages=warning' },
    });
    made.add(key);
  }
  return `${url}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/**
 * Returns the URL of a schema that this process alone has, on a server for all: that of the run, or else one that ends with this
 * process.
 */
export function ownSchema(name: string, server = process.env[TEST_STORE_URL]): string {
  const url = server ?? (shared ??= Postgres.start(['fsync=off', 'max_connections=500'])).url;
  return schemaAt(url, `${PROCESS_ID} ${name}`);
}

/**
 * Returns settings of the store for a data folder of a test; none for a file in it. Connections are few, because the server
 * starts a process with empty caches for each.
 */
export function testStore(data: string): { store?: { url: string; connections: number } } {
  const url = process.env[TEST_STORE_URL];
  return url === undefined ? {} : { store: { url: schemaAt(url, data), connections: 8 } };
}

/** Settings of a server whose store is a file, on whichever engine the tests run. */
export const inFile = { store: { url: '' } };

/** Keeps all stores of a file of tests in files: for tests of SQLite itself, and of what Hostkeep does with the file. */
export function storesInFiles(): void {
  delete process.env[TEST_STORE_URL];
  delete process.env['HOSTKEEP_TEST_STORE']; // of a run inside this one
}

const idOf = (option: string): number => Number(execFileSync('id', [option, SYSTEM_USER], { encoding: 'utf8' }));
