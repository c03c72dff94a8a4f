import { access } from 'node:fs/promises';
import { Agent, type IncomingMessage } from 'node:http';
import type { DockerOptions } from 'dockerode';
import { messageOf } from '../../../kernel/errors.ts';
import { Semaphore } from '../../../kernel/concurrency/semaphore.ts';
import { OwnSocketAgent } from './own-socket.ts';

export interface EngineOptions {
  readonly timeoutMs: number;
  /** For an account's own engine: the socket of the shared one, which it must not turn out to be. */
  readonly ownBeside?: string;
}

interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a tar archive. */
  readonly file?: Buffer;
  readonly timeoutMs?: number | undefined;
}

/** The part of the client library below its methods, because these read whole answers without a bound. */
interface Modem {
  dial(options: object, callback: (error: Error | null, response?: IncomingMessage | null) => void): void;
}

/** Some engines keep a question for statistics waiting for up to a second, so there may be many. */
const AT_ONCE = 100;
const LIMIT_BYTES = 16 * 2 ** 20;
/** What an account's own engine may make the server read and parse. */
const OWN_LIMIT_BYTES = 2 * 2 ** 20;
/** Every status counts as success for the client library, which would read the body of a failure without a bound. */
const EVERY_STATUS = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [i + 100, true]));

/** One engine behind a socket. Its answers are bounded in time and size, whatever the engine does. */
export class Engine {
  readonly socketPath: string;
  readonly isOwn: boolean;
  /** How many times it was asked. */
  calls = 0;
  readonly #agent: Agent;
  readonly #options: DockerOptions & { agent: Agent };
  #modem: Promise<Modem> | undefined;
  readonly #timeoutMs: number;
  readonly #slots = new Semaphore(AT_ONCE);
  /** What ends the questions on their way. */
  readonly #open = new Set<AbortController>();

  constructor(socketPath: string, { timeoutMs, ownBeside }: EngineOptions) {
    this.socketPath = socketPath;
    this.isOwn = ownBeside !== undefined;
    this.#timeoutMs = timeoutMs;
    this.#agent = ownBeside === undefined ? new Agent({ keepAlive: false }) : new OwnSocketAgent(socketPath, ownBeside);
    // host and protocol are named because the library would take them from DOCKER_HOST, and then leave the socket aside
    this.#options = { socketPath, host: '', protocol: 'http', agent: this.#agent };
  }

  /** Asks for JSON; the body is `undefined` when there is none. Rejects as `ask` does, and when the answer is not JSON. */
  async get(
    path: string,
    { query, timeoutMs }: Pick<Question, 'query' | 'timeoutMs'> = {},
  ): Promise<{ status: number; body: unknown }> {
    const { status, text } = await this.ask(path, { query, timeoutMs });
    try {
      return { status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    } catch (cause) {
      throw new Error(`the engine at ${this.socketPath} answers ${path} with what is not JSON`, { cause });
    }
  }

  /** Rejects when there is no answer in time, or one that is too large; a status of failure is an answer. The time begins when it is asked. */
  ask(path: string, question: Question): Promise<{ status: number; text: string }> {
    return this.#slots.run(() => this.#ask(path, question));
  }

  /** Loads the client library where there is a socket, so that the first who asks does not wait for it. */
  async prepare(): Promise<void> {
    const isThere = await access(this.socketPath).then(
      () => true,
      () => false,
    );
    if (isThere) await (this.#modem ??= openModem(this.#options));
  }

  close(): void {
    for (const abort of this.#open) abort.abort();
    this.#agent.destroy();
  }

  async #ask(
    path: string,
    { method = 'GET', query = {}, body = {}, file, timeoutMs = this.#timeoutMs }: Question,
  ): Promise<{ status: number; text: string }> {
    this.calls += 1;
    const abort = new AbortController();
    // after a pause of this process an answer may lie there unread: it is read before the time counts
    const limit = setTimeout(() => setImmediate(() => abort.abort()), timeoutMs);
    this.#open.add(abort);
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
        text: await readText(response, this.isOwn ? OWN_LIMIT_BYTES : LIMIT_BYTES),
      };
    } catch (cause) {
      throw new Error(
        `the engine at ${this.socketPath} ${abort.signal.aborted ? `gave no answer to ${path} within ${timeoutMs} ms` : `failed to answer ${path}: ${messageOf(cause)}`}`,
        { cause },
      );
    } finally {
      clearTimeout(limit);
      this.#open.delete(abort);
    }
  }

  async #dial(options: object): Promise<IncomingMessage> {
    this.#modem ??= openModem(this.#options);
    const modem = await this.#modem;
    return new Promise((resolve, reject) => {
      modem.dial(options, (error, response) => {
        if (response) resolve(response);
        else reject(error ?? new Error('no answer'));
      });
    });
  }
}

/** The library is not loaded before there is an engine: it takes a tenth of a second and 10 MiB, which a node without containers keeps. */
async function openModem(options: DockerOptions): Promise<Modem> {
  const { default: Dockerode } = await import('dockerode');
  return new Dockerode(options).modem as Modem;
}

async function readText(response: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw new Error(`the answer is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
