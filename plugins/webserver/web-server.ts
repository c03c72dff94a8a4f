import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { WebServerPart } from '../../kernel/plugin-api/points/web-server-part.ts';
import type { Driver } from './drivers.ts';
import { BEACON_FILE } from './template.ts';
import type { VhostFolder } from './vhost-folder.ts';

export interface Times {
  readonly commandMs: number;
  readonly servedMs: number;
}

const OUTPUT_BYTES = 1 << 20;
const POLL_MS = 10;
/** nginx tells its old workers to end 100 ms after the new ones began; until then either may answer. */
const SETTLED_MS = 250;

/** The web server as it runs: its commands, and whether it answers with what is in the folder. */
export class WebServer {
  readonly #driver: Driver;
  readonly #folder: VhostFolder;
  readonly #listen: string;
  readonly #times: Times;

  constructor(driver: Driver, folder: VhostFolder, listen: string, times: Times) {
    this.#driver = driver;
    this.#folder = folder;
    this.#listen = listen;
    this.#times = times;
  }

  /** Rejects with what the server says about a configuration that it would not take. */
  async check(): Promise<void> {
    await this.#run(this.#driver.check);
  }

  /** Puts what is in the folder in force; resolves when the server answers with it. Rejects when it does not in time. */
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
    const signal = AbortSignal.timeout(this.#times.servedMs);
    for (let since: number | undefined; since === undefined || performance.now() - since < SETTLED_MS;) {
      const isNew = (await answerOf(this.#listen, `${token}.hostkeep.invalid`, signal)) === token;
      since = isNew ? (since ?? performance.now()) : undefined;
      if (signal.aborted)
        throw new Error(
          `${this.#driver.name} does not answer on ${this.#listen} with the new configuration after ${this.#times.servedMs} ms`,
        );
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #run(command: readonly string[]): Promise<string> {
    const [program = '', ...args] = command;
    return new Promise((resolve, reject) => {
      execFile(
        program,
        args,
        { timeout: this.#times.commandMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout + stderr);
          else
            reject(
              new Error(
                `${command.join(' ')}: ${error.killed === true ? 'no end in time' : stderr.trim() || error.message}`,
                { cause: error },
              ),
            );
        },
      );
    });
  }
}

/** Body that the server at a `listen` address answers for a host name; empty when it does not answer. */
function answerOf(listen: string, hostName: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ ...metAt(listen), headers: { host: hostName }, agent: false, signal }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += body.length < 64 ? chunk.toString() : ''));
      response.on('end', () => resolve(body));
      response.on('error', () => resolve(''));
    });
    request.on('error', () => resolve(''));
  });
}

/** Where a server that listens on `listen`, maybe on all addresses, is met on this host. */
export function metAt(listen: string): WebServerPart {
  const [, host = '', port] = /^(?:(.*):)?(\d+)$/.exec(listen) ?? [];
  return {
    host: host === '[::]' ? '::1' : ['', '*', '0.0.0.0'].includes(host) ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''),
    port: Number(port),
  };
}
