import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Dockerode from 'dockerode';
import { errorMessage } from '../../../kernel/errors.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import type { EngineTarget } from './engine-questions.ts';
import { connectOwn } from './own-socket.ts';

interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a tar archive. */
  readonly file?: Buffer;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface EngineReply {
  readonly status: number;
  readonly text: string;
}

/** The layer of the client library below its methods, which read whole replies without a bound. */
interface Modem {
  dial(options: object, callback: (error: Error | null, response?: IncomingMessage | null) => void): void;
}

/** The client library reads the body of a failure without a bound, so every status is declared a success. */
const EVERY_STATUS = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [i + 100, true]));

/** The client library, kept to one socket. Replies are bounded in time and size. */
export class EngineModem {
  readonly #modem: Modem;

  /** `root` is the files root of the account whose own engine it is. */
  constructor({ socketPath, ownBeside }: EngineTarget, root: FilesRoot) {
    const agent = new EngineAgent(() =>
      ownBeside === null ? connectTo(socketPath) : connectOwn(socketPath, ownBeside, root),
    );
    // without host and protocol the library would take them from DOCKER_HOST and ignore the socket
    this.#modem = new Dockerode({ socketPath, host: '', protocol: 'http', agent } as object).modem as Modem;
  }

  /** Rejects when the reply is late or too large; a reply with an error status resolves. */
  async request(path: string, { method, query, body, file, timeoutMs, maxBytes }: EngineRequest): Promise<EngineReply> {
    const abort = new AbortController();
    // after a pause of this process a reply may be waiting unread: read it before the time limit counts
    const limit = setTimeout(() => setImmediate(() => abort.abort()), timeoutMs);
    try {
      const response = await this.#dial({
        path: `${path}?`,
        method,
        isStream: true,
        statusCodes: EVERY_STATUS,
        options: { _query: query ?? {}, _body: body ?? {} },
        abortSignal: abort.signal,
        ...(file && { file }),
      });
      return { status: response.statusCode ?? 0, text: await readText(response, maxBytes) };
    } catch (cause) {
      const failure = abort.signal.aborted
        ? `did not answer ${path} within ${timeoutMs} ms`
        : `failed to answer ${path}: ${errorMessage(cause)}`;
      throw new Error(failure, { cause });
    } finally {
      clearTimeout(limit);
    }
  }

  #dial(options: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#modem.dial(options, (error, response) => {
        if (response) resolve(response);
        else reject(error ?? new Error('no response'));
      });
    });
  }
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** Connects to the engine only. */
class EngineAgent extends Agent {
  readonly #connect: () => Promise<Socket>;

  constructor(connectEngine: () => Promise<Socket>) {
    super({ keepAlive: false });
    this.#connect = connectEngine;
  }

  /** The library follows redirects, without this agent, its limits and its handling of errors: it must not see them. */
  addRequest(request: ClientRequest, ...rest: unknown[]): void {
    request.prependListener('response', ({ headers }: IncomingMessage) => void delete headers.location);
    (Agent.prototype as unknown as { addRequest: (...args: unknown[]) => void }).addRequest.call(
      this,
      request,
      ...rest,
    );
  }

  override createConnection(_options: object, callback?: Connected): undefined {
    this.#connect().then(
      (socket) => callback?.(null, socket),
      (error: unknown) =>
        callback?.(error instanceof Error ? error : new Error(errorMessage(error)), undefined as unknown as Duplex),
    );
    return undefined;
  }
}

async function connectTo(path: string): Promise<Socket> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Error(`the reply is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
