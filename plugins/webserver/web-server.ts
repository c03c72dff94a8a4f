import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { connect } from 'node:net';
import { messageOf } from '../../kernel/errors.ts';
import type { WebServerPart } from '../../kernel/plugin-api/points/web-server-part.ts';
import { runProgram } from '../../kernel/system/run-program.ts';
import type { Driver } from './drivers.ts';
import { BEACON_FILE, type VhostFolder } from './vhost-folder.ts';

interface WebServerTimeouts {
  readonly commandMs: number;
  /** How long the server may take to serve a new configuration. */
  readonly servedMs: number;
}

const OUTPUT_BYTES = 1 << 20;
const POLL_MS = 10;
const CONNECT_MS = 1000;
/** nginx stops its old workers 100 ms after starting new ones; until then either may answer. */
const SETTLED_MS = 250;

/** The running web server: its commands, and whether it serves what is in the folder. */
export class WebServer {
  readonly #driver: Driver;
  readonly #folder: VhostFolder;
  readonly #listen: string;
  readonly #timeouts: WebServerTimeouts;

  constructor(driver: Driver, folder: VhostFolder, listen: string, timeouts: WebServerTimeouts) {
    this.#driver = driver;
    this.#folder = folder;
    this.#listen = listen;
    this.#timeouts = timeouts;
  }

  /** Rejects with the server's message about an invalid configuration. */
  async check(): Promise<void> {
    await this.#run(this.#driver.check);
  }

  /**
   * Reloads the configuration. Resolves when the server serves what is in the folder; rejects when it does not in time.
   */
  async reload(): Promise<void> {
    const token = randomBytes(8).toString('hex');
    const beacon = this.#driver.beacon?.(token, this.#listen);
    if (beacon !== undefined) await this.#folder.put(BEACON_FILE, beacon);
    await this.#run(this.#driver.reload);
    if (beacon !== undefined) await this.#untilServed(token);
  }

  async version(): Promise<string> {
    return (await this.#run(this.#driver.version)).trim();
  }

  async #untilServed(token: string): Promise<void> {
    const signal = AbortSignal.timeout(this.#timeouts.servedMs);
    for (let since: number | undefined; since === undefined || performance.now() - since < SETTLED_MS;) {
      const isNew = (await fetchBody(this.#listen, `${token}.hostkeep.invalid`, signal)) === token;
      since = isNew ? (since ?? performance.now()) : undefined;
      if (signal.aborted)
        throw new Error(
          `${this.#driver.name} does not serve the new configuration on ${this.#listen} after ${this.#timeouts.servedMs} ms`,
        );
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async #run(command: readonly string[]): Promise<string> {
    const [program = '', ...args] = command;
    const { commandMs } = this.#timeouts;
    const failed = (why: string, cause?: unknown) => new Error(`${command.join(' ')}: ${why}`, { cause });
    const { code, endedBy, stdout, stderr } = await runProgram(program, args, {
      timeoutMs: commandMs,
      stdoutBytes: OUTPUT_BYTES,
      stderrCharacters: OUTPUT_BYTES,
      exception: 'web server',
    }).catch((error: unknown) => {
      throw failed(messageOf(error), error);
    });
    if (code === 0) return stdout + stderr;
    if (endedBy === 'SIGKILL') throw failed('timed out');
    throw failed(stderr.trim() || `ended with ${endedBy ?? code}`);
  }
}

/** Requests a host name from the server at a `listen` address and returns the body; empty when there is no reply. */
function fetchBody(listen: string, hostName: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const request = get(
      { ...connectAddressOf(listen), headers: { host: hostName }, agent: false, signal },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += body.length < 64 ? chunk.toString() : ''));
        response.on('end', () => resolve(body));
        response.on('error', () => resolve(''));
      },
    );
    request.on('error', () => resolve(''));
  });
}

/**
 * Returns the address on this host at which to connect to a server that listens on `listen`, maybe on all addresses.
 */
export function connectAddressOf(listen: string): WebServerPart {
  const [, host = '', port] = /^(?:(.*):)?(\d+)$/.exec(listen) ?? [];
  return {
    host: host === '[::]' ? '::1' : ['', '*', '0.0.0.0'].includes(host) ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''),
    port: Number(port),
  };
}

/** Whether a server accepts connections at an address. */
export function canConnect({ host, port }: WebServerPart): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false));
  });
}
