/**
 * A MariaDB for tests with a temporary folder, socket and port, stopped when this process exits.
 *
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithTests } from './child.ts';
import { atEnd } from './ending.ts';
import { madeOnce } from './made-once.ts';
import { freePort } from './port.ts';
import { reportSkipped } from './suite.ts';

const SERVER = ['/usr/sbin/mariadbd', '/usr/bin/mariadbd', '/usr/local/sbin/mariadbd'].find((path) => existsSync(path));
export const MARIADB_INSTALL = 'apt-get install -y mariadb-server';

/** Whether MariaDB is installed. Throws in CI if it is not. */
export function hasMariaDb(): boolean {
  if (SERVER !== undefined) return true;
  reportSkipped(`tests with a real MariaDB; install it with ${MARIADB_INSTALL}`);
  return false;
}

export class MariaDb {
  readonly port: number;
  readonly socket: string;
  /** Its data folder. */
  readonly data: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
    this.socket = join(folder, 'server.sock');
    this.data = join(folder, 'data');
  }

  /** Starts a server on which these statements were run, until the suite or the test ends; `root` has no password on the socket. */
  static async start(statements = ''): Promise<MariaDb> {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-mariadb-'));
    chmodSync(folder, 0o755);
    const server = new MariaDb(folder, await freePort());
    const { data } = server;
    mkdirSync(data);
    const owner = systemUser();
    if (owner !== undefined) for (const path of [folder, data]) chownSync(path, owner.uid, owner.gid);
    const options = [
      '--no-defaults',
      `--datadir=${data}`,
      `--tmpdir=${folder}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ];
    const install = () =>
      promisify(execFile)('mariadb-install-db', options, { ...owner, cwd: folder }).catch(
        (cause: Error & { readonly stderr: string }) => {
          throw new Error(cause.stderr, { cause });
        },
      );
    await madeOnce('mariadb', data, install);
    atEnd(() => server.remove());
    await server.up();
    if (statements !== '') await server.sql(statements);
    return server;
  }

  /** Settings of the plugin `databases` by which the databases of accounts are here. */
  get settings() {
    return { servers: { main: loginTo(this.socket) }, default_server: 'main' };
  }

  /** Starts the server, also again after `stop`. */
  async up(): Promise<void> {
    const options = [
      '--no-defaults',
      `--datadir=${this.data}`,
      // A server that starts deletes every `#sql*` file in its folder for temporary ones, also those of the others that tests start.
      `--tmpdir=${this.#folder}`,
      `--socket=${this.socket}`,
      `--pid-file=${join(this.#folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${this.port}`,
      '--skip-name-resolve',
      '--skip-log-bin',
      '--innodb-buffer-pool-size=32M',
      '--innodb-flush-log-at-trx-commit=0',
    ];
    const child = endsWithTests(
      spawn(SERVER ?? '', options, { ...systemUser(), cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let log = '';
      child.once('exit', () => reject(new Error(`mariadbd did not start:\n${log}`)));
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (log.includes('ready for connections')) resolve();
      });
    });
  }

  /** Resolves once the process has exited. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  }

  /** Suspends the server, with its connections open, until `resume`. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    this.resume();
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs statements as root and returns their output, tab-separated, without headings. */
  sql(text: string): Promise<string> {
    return this.query('root', '', text);
  }

  /** Runs statements as a user, over the socket. */
  query(user: string, password: string, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const client = execFile(
        'mariadb',
        this.clientArgs(user, password),
        { maxBuffer: 1 << 26 },
        (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error }))),
      );
      client.stdin?.on('error', () => undefined).end(text); // the client ends early where the server does, and its end says why
    });
  }

  /** The arguments of the client `mariadb`. */
  clientArgs(user: string, password: string): string[] {
    return [
      ...['--no-defaults', `--socket=${this.socket}`, `--user=${user}`, `--password=${password}`],
      ...['--default-character-set=utf8mb4', '--batch', '--skip-column-names'],
    ];
  }
}

/** Settings of a server that root reaches at a socket. */
export const loginTo = (socket: string) => ({
  host: '',
  port: 0,
  socket,
  user: 'root',
  password: '',
  option_file: '',
  ownership: 'prefix' as const,
  database_user: '',
});

/** The server refuses to run as root; its packages create the user `mysql`. */
function systemUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync('id', [option, 'mysql'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
