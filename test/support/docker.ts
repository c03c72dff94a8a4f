/**
 * A Docker Engine for tests with its own sockets, folders and network, so that neither the machine's engine nor that of
 * another test run is affected, nor a browser, which breaks requests off when the network changes. There are no firewall rules;
 * published ports go through Docker's userland proxy.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isRunning, PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { removeRemains } from './engine-remains.ts';
import { LIMIT_MS } from './until.ts';
import { allowedProcessors } from './processors.ts';

const exec = promisify(execFile);
const INSTALL = 'apt-get install -y docker.io busybox-static iptables';
export const IMAGE = 'busybox:local';
/** The network of its containers. */
export const NETWORK = 'hostkeep';
const ENTER = ['--net', 'sh', '-c', 'busybox ip link set lo up && exec dockerd "$@"', 'sh'];

/** Returns why no engine can run here, and how to change that; `undefined` if one can. */
export function dockerMissing(): string | undefined {
  if (process.getuid?.() !== 0) return `an engine is started by root only; with ${INSTALL}`;
  const missing = ['dockerd', 'docker', 'busybox', 'iptables'].find(
    (program) => !['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((folder) => isProgram(join(folder, program))),
  );
  return missing === undefined ? undefined : `no ${missing}; install with ${INSTALL}`;
}

export class TestDocker {
  /** The socket that accounts share. */
  readonly socket: string;
  /** A second socket of the same engine, used as an account's own. */
  readonly ownSocket: string;
  /** Contains all its files; the command line of each of its processes names it. */
  readonly folder: string;
  readonly #launch: readonly [program: string, ...args: string[]];
  readonly #remove = () => removeRemains(this.folder);
  #daemon: ChildProcess | undefined;

  private constructor(folder: string, isOfOneProcessor: boolean) {
    this.folder = folder;
    this.#launch = isOfOneProcessor ? ['taskset', '-c', String(allowedProcessors()[0]), 'unshare'] : ['unshare'];
    this.socket = join(folder, 'shared.sock');
    this.ownSocket = join(folder, 'own.sock');
  }

  /** Resolves once the engine responds, and the image `busybox:local` and the network exist. It sees all processors, or one. */
  static async start({ isOfOneProcessor = false } = {}): Promise<TestDocker> {
    for (const folder of abandoned()) removeRemains(folder);
    const folder = mkdtempSync(join(tmpdir(), `hostkeep-docker-${PROCESS_ID.replace(':', '-')}-`));
    const docker = new TestDocker(folder, isOfOneProcessor);
    process.once('exit', docker.#remove);
    try {
      await docker.up();
      await docker.#importImage();
      await docker.cli('network', 'create', NETWORK);
      return docker;
    } catch (error) {
      await docker.stop();
      throw error;
    }
  }

  /** Returns the output of the docker CLI. */
  async cli(...args: string[]): Promise<string> {
    const { stdout } = await exec('docker', ['--host', `unix://${this.socket}`, ...args], { maxBuffer: 1 << 24 });
    return stdout.trim();
  }

  /** Starts a container with a shell command and returns its id. */
  run(command: string, ...options: string[]): Promise<string> {
    return this.cli('run', '-d', '--stop-timeout', '0', ...options, IMAGE, 'sh', '-c', command);
  }

  /** Restarts the engine after `down`; its containers stay stopped. */
  async up(): Promise<void> {
    const config = join(this.folder, 'daemon.json');
    writeFileSync(config, '{}');
    const at = (name: string) => join(this.folder, name);
    const [program, ...args] = this.#launch;
    const daemon = spawn(
      program,
      [
        ...args,
        ...ENTER,
        '--config-file',
        config,
        '--data-root',
        at('data'),
        '--exec-root',
        at('exec'),
        '--pidfile',
        at('pid'),
        '-H',
        `unix://${this.socket}`,
        '-H',
        `unix://${this.ownSocket}`,
        '--bridge=none',
        '--iptables=false',
        '--ip6tables=false',
        '--ip-forward=false',
        '--shutdown-timeout=5',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#daemon = daemon;
    let output = '';
    daemon.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2000)));
    for (const end = performance.now() + LIMIT_MS; !(await answers(this.socket)); await delay(50)) {
      if (daemon.exitCode !== null || performance.now() > end) throw new Error(`dockerd does not start: ${output}`);
    }
  }

  /** The beginning of a command that runs in the engine's network, where containers publish their ports on loopback. */
  get enter(): readonly [program: string, option: string] {
    return ['nsenter', `--net=/proc/${this.#daemon?.pid}/ns/net`];
  }

  /** Resolves with what a program prints there. */
  async inNetwork(...command: string[]): Promise<string> {
    const [program, option] = this.enter;
    return (await exec(program, [option, ...command])).stdout;
  }

  /** Stops the engine as an operator does. */
  async down(): Promise<void> {
    const daemon = this.#daemon;
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    daemon.kill('SIGTERM');
    await once(daemon, 'exit');
  }

  /** Kills the engine; its containers keep running. */
  async crash(): Promise<void> {
    this.#daemon?.kill('SIGKILL');
    await this.down();
  }

  /** Removes all containers, bridges, processes and files, even if the engine does not respond. */
  async stop(): Promise<void> {
    try {
      const ids = (await this.cli('ps', '-aq')).split('\n').filter((id) => id !== '');
      if (ids.length > 0) await this.cli('rm', '-f', ...ids);
    } catch {
      // removed without the engine below
    } finally {
      await this.down();
      process.off('exit', this.#remove);
      this.#remove();
    }
  }

  /** Builds the image from the host's busybox; nothing is pulled. */
  async #importImage(): Promise<void> {
    const root = mkdtempSync(join(this.folder, 'root-'));
    execFileSync('mkdir', ['--', ...['bin', 'tmp', 'etc', 'www', 'data'].map((name) => join(root, name))]);
    execFileSync('cp', ['--', '/bin/busybox', join(root, 'bin/busybox')]);
    execFileSync(join(root, 'bin/busybox'), ['--install', join(root, 'bin')]);
    execFileSync('tar', ['-C', root, '-cf', join(this.folder, 'image.tar'), '.']);
    await this.cli('import', '-c', 'ENV PATH=/bin', join(this.folder, 'image.tar'), IMAGE);
  }
}

/** The folders of engines whose test process was killed before it could stop them. */
function abandoned(): string[] {
  return readdirSync(tmpdir()).flatMap((name) => {
    const [, pid, started] = /^hostkeep-docker-(\d+)-(\d+)-/.exec(name) ?? [];
    return pid === undefined || isRunning(`${pid}:${started}`) ? [] : [join(tmpdir(), name)];
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping' }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('error', () => resolve(false));
    ping.end();
  });
}
