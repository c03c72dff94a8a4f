import { access } from 'node:fs/promises';
import { Agent, type IncomingMessage } from 'node:http';
import type { DockerOptions } from 'dockerode';
import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { OwnSocketAgent } from './own-socket.ts';

export interface EngineOptions {
  readonly timeoutMs: number;
  /** Set for an account's own engine: the socket of the shared engine, which it must not turn out to be. */
  readonly ownBeside?: string;
}

interface EngineRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a tar archive. */
  readonly file?: Buffer;
  readonly timeoutMs?: number | undefined;
}

/** The layer of the client library below its methods, which read whole replies without a bound. */
interface Modem {
  dial(options: object, callback: (error: Error | null, response?: IncomingMessage | null) => void): void;
}

/** Some engines delay a request for statistics by up to a second, so many may be open at once. */
const REQUESTS_AT_ONCE = 100;
const REPLY_BYTES = 16 * 2 ** 20;
/** The bound for an account's own engine, which its account may have replaced by any program. */
const OWN_REPLY_BYTES = 2 * 2 ** 20;
/** The client library reads the body of a failure without a bound, so every status is declared a success. */
const EVERY_STATUS = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [i + 100, true]));

/** A client of one engine at a Unix socket. Replies are bounded in time and size. */
export class EngineClient {
  readonly socketPath: string;
  readonly isOwn: boolean;
  /** Number of requests sent. */
  requests = 0;
  readonly #agent: Agent;
  readonly #options: DockerOptions & { agent: Agent };
  #modem: Promise<Modem> | undefined;
  readonly #timeoutMs: number;
  readonly #slots = new Semaphore(REQUESTS_AT_ONCE);
  /** One for each open request. */
  readonly #aborts = new Set<AbortController>();

  constructor(socketPath: string, { timeoutMs, ownBeside }: EngineOptions) {
    this.socketPath = socketPath;
    this.isOwn = ownBeside !== undefined;
    this.#timeoutMs = timeoutMs;
    this.#agent = ownBeside === undefined ? new Agent({ keepAlive: false }) : new OwnSocketAgent(socketPath, ownBeside);
    // without host and protocol the library would take them from DOCKER_HOST and ignore the socket
    this.#options = { socketPath, host: '', protocol: 'http', agent: this.#agent };
  }

  /**
   * Returns the parsed JSON, `undefined` for an empty body. Rejects as `request` does, and when the body is not JSON.
   */
  async getJson(
    path: string,
    { query, timeoutMs }: Pick<EngineRequest, 'query' | 'timeoutMs'> = {},
  ): Promise<{ status: number; body: unknown }> {
    const { status, text } = await this.request(path, { query, timeoutMs });
    try {
      return { status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    } catch (cause) {
      throw new Error(`the engine at ${this.socketPath} answers ${path} with invalid JSON`, { cause });
    }
  }

  /**
   * Rejects when the reply is late or too large; a reply with an error status resolves. The timeout does not include
   * the wait for a free slot.
   */
  request(path: string, request: EngineRequest): Promise<{ status: number; text: string }> {
    return this.#slots.run(() => this.#request(path, request));
  }

  /** Whether there is anything at the path of the socket. */
  hasSocket(): Promise<boolean> {
    return access(this.socketPath).then(
      () => true,
      () => false,
    );
  }

  /** Loads the client library if the socket exists, so that the first request need not wait for it. */
  async preload(): Promise<void> {
    if (await this.hasSocket()) await (this.#modem ??= openModem(this.#options));
  }

  close(): void {
    for (const abort of this.#aborts) abort.abort();
    this.#agent.destroy();
  }

  async #request(
    path: string,
    { method = 'GET', query = {}, body = {}, file, timeoutMs = this.#timeoutMs }: EngineRequest,
  ): Promise<{ status: number; text: string }> {
    this.requests += 1;
    const abort = new AbortController();
    // after a pause of this process a reply may be waiting unread: read it before the time limit counts
    const limit = setTimeout(() => setImmediate(() => abort.abort()), timeoutMs);
    this.#aborts.add(abort);
    try {
      const response = await this.#dial({
        path: `${path}?`,
        method,
        isStream: true,
        statusCodes: EVERY_STATUS,
        options: { _query: query, _body: body },
        abortSignal: abort.signal,
        ...(file && { file }),
      });
      return {
        status: response.statusCode ?? 0,
        text: await readText(response, this.isOwn ? OWN_REPLY_BYTES : REPLY_BYTES),
      };
    } catch (cause) {
      const failure = abort.signal.aborted
        ? `did not answer ${path} within ${timeoutMs} ms`
        : `failed to answer ${path}: ${messageOf(cause)}`;
      throw new Error(`the engine at ${this.socketPath} ${failure}`, { cause });
    } finally {
      clearTimeout(limit);
      this.#aborts.delete(abort);
    }
  }

  async #dial(options: object): Promise<IncomingMessage> {
    this.#modem ??= openModem(this.#options);
    const modem = await this.#modem;
    return new Promise((resolve, reject) => {
      modem.dial(options, (error, response) => {
        if (response) resolve(response);
        else reject(error ?? new Error('no response'));
      });
    });
  }
}

/** Loads the library only where there is an engine: it costs a tenth of a second and 10 MiB. */
async function openModem(options: DockerOptions): Promise<Modem> {
  const { default: Dockerode } = await import('dockerode');
  return new Dockerode(options).modem as Modem;
}

async function readText(response: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw new Error(`the reply is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
