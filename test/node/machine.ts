import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../support/until.ts';
import { nodeRoot } from './node-root.ts';

/** Ten times what a poweroff and an installation take. */
const STOP_MS = 120_000;
const COMMAND_MS = 300_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface Ended {
  readonly code: number;
  /** Standard output and standard error. */
  readonly output: string;
}

const machines = new Set<Machine>();
process.once('exit', discardMachines);

/** Ends all machines of this process, and removes their roots. */
export function discardMachines(): void {
  for (const each of machines) each.discard();
}

/** systemd 257 may start a unit in a control group that it is just removing, because the unit has ended a moment ago. */
const GROUP_GONE = /Failed to spawn executor: No such file or directory/;

/** A Debian with systemd, which boots in namespaces of its own and has no network but its loopback; see `FleetNode`. */
export class Machine {
  /** The folder that is its root. */
  readonly root = mkdtempSync(join(tmpdir(), 'hostkeep-node-'));
  #nspawn: ChildProcess | undefined;
  #leader = '';

  static async boot(): Promise<Machine> {
    const machine = new Machine();
    await machine.boot();
    return machine;
  }

  /** Makes its root, and boots it for the first time. */
  async boot(): Promise<void> {
    machines.add(this);
    execFileSync('tar', ['-C', this.root, '-xpf', nodeRoot()]);
    // Without an id of its own it would ask questions at its first boot.
    // Of its two web servers, nginx is the one that runs.
    rmSync(join(this.root, 'etc/systemd/system/multi-user.target.wants/caddy.service'));
    writeFileSync(join(this.root, 'etc/machine-id'), `${randomUUID().replaceAll('-', '')}\n`);
    await this.start();
  }

  /** Its first process, as seen from here. */
  get leader(): string {
    return this.#leader;
  }

  /** Boots it again. */
  async start(): Promise<void> {
    const flags = ['--register=no', '--keep-unit', '--private-network', '--quiet', '--link-journal=no'];
    const child = spawn('systemd-nspawn', [...flags, '--boot', '--directory', this.root], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#nspawn = child;
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2000)));
    await until('the machine has booted', async () => {
      if (child.exitCode !== null) throw new Error(`this machine boots no Debian with systemd-nspawn: ${errors}`);
      this.#leader = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')[0] ?? '';
      return (
        this.#leader !== '' &&
        /^(?:running|degraded)/.test((await this.try('systemctl is-system-running --wait')).output)
      );
    });
  }

  /** Powers it off as `poweroff` does. */
  async stop(): Promise<void> {
    const child = this.#nspawn;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    await this.try('systemctl poweroff --no-wall');
    await ended;
  }

  async reboot(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Ends it as a power failure does, and removes its root. */
  discard(): void {
    machines.delete(this);
    if (this.#leader !== '' && this.#nspawn?.exitCode === null) process.kill(Number(this.#leader), 'SIGKILL');
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs a command of its shell as root, and resolves with how it ended. */
  try(command: string, input = ''): Promise<Ended> {
    const env = ['env', '-i', `PATH=${PATH}`, 'HOME=/root', 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive'];
    const args = ['--target', this.#leader, '--all', '--', ...env, 'sh', '-c', `cd; { ${command}\n} 2>&1`];
    return new Promise((resolve) => {
      const options = { timeout: COMMAND_MS, maxBuffer: 2 ** 24 };
      const child = execFile('nsenter', args, options, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout }),
      );
      child.stdin?.on('error', () => undefined).end(input); // a command need not read what it is given
    });
  }

  /** Runs a command of its shell as root, and resolves with what it printed. Rejects if it fails. */
  async run(command: string, input = ''): Promise<string> {
    const { code, output } = await this.try(command, input);
    if (code === 0) return output;
    const isOfUnit = command.startsWith('systemctl');
    const journal = isOfUnit ? (await this.try('journalctl -n 40 --no-pager')).output : '';
    if (isOfUnit && output.includes('unavailable resources') && GROUP_GONE.test(journal)) {
      const again = await this.try(command, input);
      if (again.code === 0) return again.output;
    }
    throw new Error(`${command} ended with ${code}: ${output.slice(-4000)}\n${journal}`);
  }

  /** Copies a file into its folder /root and returns its path there. */
  take(file: string): string {
    cpSync(file, join(this.root, 'root', basename(file)));
    return `/root/${basename(file)}`;
  }

  /** Sends a request from inside, and resolves with the status (0 without an answer) and the body. */
  async ask(url: string, { token, body, method }: { token?: string; body?: unknown; method?: string } = {}) {
    const flags = [
      ...(token === undefined ? [] : [`-H 'Authorization: Bearer ${token}'`]),
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json' --data-binary @-`]),
      ...(method === undefined ? [] : [`-X ${method}`]),
    ];
    const command = `curl -s -m 60 -w '\\n%{http_code}' ${flags.join(' ')} '${url}'`;
    const { output } = await this.try(command, body === undefined ? '' : JSON.stringify(body));
    const end = output.lastIndexOf('\n');
    return { status: Number(output.slice(end + 1)), text: output.slice(0, end) };
  }

  /** Logs in at an address, and resolves with the token. */
  async login(base: string, username: string, password: string): Promise<string> {
    const { status, text } = await this.ask(`${base}/api/login`, { body: { username, password } });
    if (status !== 200) throw new Error(`login of ${username} was answered with ${status} ${text}`);
    return (JSON.parse(text) as { token: string }).token;
  }
}
