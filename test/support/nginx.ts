/**
 * An nginx for tests with its own prefix folder and port, stopped when this process exits.
 *
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithTests } from './child.ts';
import { fetchPage, type Page } from './page.ts';
import { freePort } from './port.ts';
import { reportSkipped } from './suite.ts';

const SERVER = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find((path) => existsSync(path));
export const NGINX_INSTALL = 'apt-get install -y nginx-light';

/** Whether nginx is installed. Throws in CI if it is not. */
export function hasNginx(): boolean {
  if (SERVER !== undefined) return true;
  reportSkipped(`tests with a real nginx; install it with ${NGINX_INSTALL}`);
  return false;
}

export class Nginx {
  readonly port: number;
  readonly tlsPort: number;
  /** Contains all its files; readable by every user. */
  readonly folder: string;
  readonly vhostFolder: string;
  readonly #enter: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, tlsPort: number, enter: readonly string[]) {
    this.#enter = enter;
    this.folder = folder;
    this.vhostFolder = join(folder, 'vhosts');
    this.port = port;
    this.tlsPort = tlsPort;
  }

  /**
   * Starts a server that answers only for the host names of its virtual hosts. As root, its workers run as `user`. With `enter`, the
   * beginning of a command, it is in another network, in which it answers.
   */
  static async start(user = 'root', enter: readonly string[] = []): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-nginx-'));
    chmodSync(folder, 0o755);
    const nginx = new Nginx(folder, await freePort(), await freePort(), enter);
    for (const name of ['vhosts', 'logs', 'temporary']) mkdirSync(join(folder, name));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path temporary/${name};`)
      .join(' ');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `${process.getuid?.() === 0 ? `user ${user};` : ''} worker_processes 1; daemon off; pid nginx.pid; error_log logs/error.log notice;
      events { worker_connections 768; } http { ${temporary} access_log off; server_names_hash_bucket_size 512; server_names_hash_max_size 4096;
      server { listen ${nginx.port} default_server; return 444; } include vhosts/*.conf; }`,
    );
    await nginx.up();
    return nginx;
  }

  /** Settings that make the plugin `webserver` use this server. */
  get settings(): Record<string, unknown> {
    return {
      driver: 'nginx',
      vhost_folder: this.vhostFolder,
      log_folder: join(this.folder, 'logs/sites'),
      listen: String(this.port),
      listen_https: String(this.tlsPort),
      check: this.command('-t', '-q'),
      reload: this.command('-s', 'reload'),
      pid_file: join(this.folder, 'nginx.pid'),
      version: [SERVER ?? '', '-v'],
    };
  }

  command(...args: string[]): string[] {
    return [SERVER ?? '', '-p', this.folder, '-c', 'nginx.conf', '-e', 'logs/error.log', ...args];
  }

  async up(): Promise<void> {
    const [program = '', ...args] = [...this.#enter, ...this.command()];
    const child = endsWithTests(spawn(program, args, { stdio: 'ignore' }), 'SIGTERM'); // SIGKILL would leave its workers
    this.#process = child;
    while (!existsSync(join(this.folder, 'nginx.pid'))) {
      if (child.exitCode !== null) throw new Error(`nginx did not start:\n${this.log()}`);
      await this.fetch('nobody.invalid');
    }
    await this.fetch('nobody.invalid'); // until its worker answers, it may forget that it was asked to end
  }

  /** Restarts it with workers of another user, as root only. */
  async runAs(user: string): Promise<void> {
    const file = join(this.folder, 'nginx.conf');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^user [^;]+;/, `user ${user};`));
    await this.stop();
    await this.up();
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  log(): string {
    return readFileSync(join(this.folder, 'logs/error.log'), 'utf8');
  }

  /** Number of configuration reloads so far. */
  reloads(): number {
    return this.log()
      .split('\n')
      .filter((line) => line.includes('reconfiguring')).length;
  }

  fetch(host: string, path = '/', method = 'GET'): Promise<Page> {
    return fetchPage(this.port, host, path, { method });
  }
}
