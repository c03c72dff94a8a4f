import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline, type Duplex, type Readable } from 'node:stream';
import Dockerode from 'dockerode';
import { errorMessage } from '../../errors.ts';
import { connectOwn, connectTo } from './own-socket.ts';
import { members, text } from './untrusted-json.ts';

/** The engine of a process. It never serves another. */
export interface EngineTarget {
  readonly socketPath: string;
  /** For an account's own engine: the socket of the shared engine, which it must not turn out to be. */
  readonly ownBeside: string | null;
}

interface Bounds {
  /** The time for all replies together. */
  readonly timeoutMs: number;
  /** The size of each reply. */
  readonly maxBytes: number;
}

/** The client library for one question: kept to one socket, with replies of bounded time and size. */
export class EngineLibrary {
  readonly docker: Dockerode;
  readonly #agent: EngineAgent;

  constructor({ socketPath, ownBeside }: EngineTarget, bounds: Bounds) {
    const connectEngine = () => (ownBeside === null ? connectTo(socketPath) : connectOwn(socketPath, ownBeside));
    this.#agent = new EngineAgent(connectEngine, bounds);
    // without host and protocol the library would take them from DOCKER_HOST and ignore the socket
    const options = { socketPath, host: '', protocol: 'http', agent: this.#agent };
    this.docker = new Dockerode(options as object);
  }

  /** Resolves with the log of a container as it comes; the library would read all of it first. */
  logs(id: string, options: { readonly since: number }): Promise<Readable> {
    const { modem } = this.docker as unknown as { readonly modem: Modem };
    const request = {
      ...{ path: `/containers/${id}/logs?`, method: 'GET', isStream: true },
      statusCodes: { 200: true, 404: 'no such container' },
      options: { ...options, stdout: true, stderr: true, timestamps: true, follow: false },
    };
    return new Promise((resolve, reject) => {
      modem.dial(request, (error, reply) => {
        // read at once, because it flows already; whoever reads is told how it ends
        if (error === null) resolve(pipeline(reply, new PassThrough(), () => undefined));
        else reject(error);
      });
    });
  }

  /** Says which request failed, and why. */
  describe(error: unknown): string {
    const { path } = this.#agent;
    const status = statusIn(error);
    if (status === undefined) return `failed to answer ${path}: ${errorMessage(error)}`;
    const why = reasonIn(error);
    return `answers ${path} with ${status}${why && `: ${why}`}`;
  }
}

/** Returns the status of the reply that the library made an error of. */
export function statusIn(error: unknown): number | undefined {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}

/** Returns what the engine itself says in that reply; empty if it says nothing. */
export function reasonIn(error: unknown): string {
  return text(members((error as { json?: unknown }).json)['message']).slice(0, 200);
}

/** The engine did not answer in time. */
export class LateReply extends Error {}

/** The engine sent more than is read. */
export class LargeReply extends Error {}

/** The part of the library by which it asks for a stream. */
interface Modem {
  dial(request: object, callback: (error: Error | null, reply: IncomingMessage) => void): void;
}
type Connected = (error: Error | null, socket: Duplex) => void;

/** Connects to the engine only, and bounds replies, which the library reads whole. */
class EngineAgent extends Agent {
  /** Of the latest request. */
  path = '';
  readonly #connect: () => Promise<Socket>;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #endsAt: number;

  constructor(connectEngine: () => Promise<Socket>, { timeoutMs, maxBytes }: Bounds) {
    super({ keepAlive: false });
    this.#connect = connectEngine;
    this.#maxBytes = maxBytes;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
  }

  addRequest(request: ClientRequest, ...rest: unknown[]): void {
    this.path = request.path.split('?')[0] ?? '';
    const expire = () => request.destroy(new LateReply(`no answer within ${this.#timeoutMs} ms`));
    // after a pause of this process a reply may be waiting unread: read it before the time limit counts
    const limit = setTimeout(() => setImmediate(expire), this.#endsAt - performance.now());
    request.once('close', () => clearTimeout(limit));
    request.prependListener('response', (response: IncomingMessage) => {
      // the library follows redirects without this agent and its bounds: it must not see them
      delete response.headers.location;
      let sizeBytes = 0;
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > this.#maxBytes)
          request.destroy(new LargeReply(`the reply is larger than ${this.#maxBytes} bytes`));
      });
      // the library would wait for the rest of a reply that was cut off
      response.on('error', (error) => request.emit('error', error));
    });
    (Agent.prototype as unknown as { addRequest: (...args: unknown[]) => void }).addRequest.call(
      this,
      request,
      ...rest,
    );
  }

  override createConnection(_options: object, callback?: Connected): undefined {
    this.#connect().then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  }
}
