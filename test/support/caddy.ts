/** A Caddy for tests, without certificates unless it is to get some, stopped when this process exits. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { endsWithTests } from './child.ts';
import { fetchPage, type Page } from './page.ts';
import { freePort } from './port.ts';
import { reportSkipped } from './suite.ts';

const SERVER = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find((path) => existsSync(path));

/** Whether Caddy is installed, and this process may mount what it serves. Throws in CI if not. */
export function hasCaddy(): boolean {
  if (SERVER !== undefined && process.getuid?.() === 0) return true;
  reportSkipped('tests with a real Caddy; install it with apt-get install -y caddy, and run them as root');
  return false;
}

/** Does nothing for what is unmounted already. */
const unmount = (path: string): unknown => spawnSync('umount', ['--lazy', path]);

export class Caddy {
  readonly port: number;
  /** Of HTTPS; `undefined` for none. */
  readonly tlsPort: number | undefined;
  readonly folder: string;
  readonly #enter: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, tlsPort: number | undefined, enter: readonly string[]) {
    this.#enter = enter;
    this.folder = folder;
    this.port = port;
    this.tlsPort = tlsPort;
  }

  /** Starts one that gets certificates with `takesTls`; with `enter`, the beginning of a command, in another network. */
  static async start({ takesTls = false, enter = [] as readonly string[] } = {}): Promise<Caddy> {
    const folder = mkdtempSync(join(tmpdir(), 'hostkeep-caddy-'));
    const [port, tlsPort] = [await freePort(), takesTls ? await freePort() : undefined];
    for (const name of ['vhosts', 'files', 'view']) mkdirSync(join(folder, name));
    const view = join(folder, 'view', folder, 'files');
    mkdirSync(view, { recursive: true });
    execFileSync('mount', ['-o', 'bind,ro,nosymfollow', join(folder, 'files'), view]);
    process.once('exit', () => unmount(view));
    for (const file of findFiles('plugins/*/templates/caddy-*.conf', projectDir)) {
      const template = readFileSync(join(projectDir, file), 'utf8');
      const name = basename(file).replace('caddy-', '');
      const address = takesTls ? '{{domain}}' : `http://{{domain}}:${port}`; // as in the shipped template, or without certificates
      writeFileSync(join(folder, name), template.replace('{{domain}}', address));
    }
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{\n\tadmin unix/${folder}/admin.sock\n\t${tlsPort ? `http_port ${port}\n\thttps_port ${tlsPort}` : 'auto_https off'}\n\timport ${folder}/vhosts/*.options\n}\nhttp://nobody.invalid:${port} {\n\trespond 404\n}\nimport ${folder}/vhosts/*.conf\n`,
    );
    const caddy = new Caddy(folder, port, tlsPort, enter);
    await caddy.up();
    return caddy;
  }

  async up(): Promise<void> {
    const { folder } = this;
    const env = {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    const args = ['run', '--config', join(folder, 'Caddyfile')];
    const [program = '', ...rest] = [...this.#enter, SERVER ?? '', ...args];
    const child = endsWithTests(spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let log = '';
      child.once('exit', () => reject(new Error(`caddy did not start:\n${log}`)));
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (log.includes('serving initial configuration')) resolve();
      });
    });
  }

  /** Settings of a node whose plugin `webserver` uses this server. */
  get config(): { readonly files_root: string; readonly webserver: Record<string, unknown> } {
    return { files_root: join(this.folder, 'files/{username}'), webserver: this.#settings };
  }

  get #settings(): Record<string, unknown> {
    const command = (verb: string) => [SERVER ?? '', verb, '--config', join(this.folder, 'Caddyfile')];
    return {
      driver: 'caddy',
      listen: String(this.port),
      listen_https: String(this.tlsPort ?? ''),
      log_folder: join(this.folder, 'logs'),
      vhost_folder: join(this.folder, 'vhosts'),
      files_view: join(this.folder, 'view'),
      template: join(this.folder, 'vhost.conf'),
      suspended_template: join(this.folder, 'suspended.conf'),
      check: command('validate'),
      reload: command('reload'),
      version: [SERVER ?? '', 'version'],
    };
  }

  fetch(host: string, path = '/'): Promise<Page> {
    return fetchPage(this.port, host, path);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#process?.once('exit', () => resolve());
      this.#process?.kill(signal);
    });
  }

  async remove(): Promise<void> {
    await this.stop();
    unmount(join(this.folder, 'view', this.folder, 'files'));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
