import { finished, Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import type { FarSocketRequest, ForwardedRequest } from './forwarded-request.ts';
import type { ForwardedAnswer } from '../../../kernel/contract/forwarding.ts';
import { Stream } from '../../../kernel/contract/reply.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { toAnswer } from './answer.ts';
import { fail, type HttpError } from '../../../kernel/errors.ts';

/** How long a node that could not be reached is not asked again. */
const PAUSE_MS = 1000;
/** A request that waits for longer has the node looked after: one that is gone answers nothing, one at work answers late. */
const PATIENCE_MS = 3000;
/** The longest time until an answer begins; routes have limits of their own, all below. */
export const HEADERS_MS = 330_000;
/** The longest silence of a stream: all of them send something every 15 seconds. */
export const SILENCE_MS = 60_000;

/** Connections to each address of a node. */
export const CONNECTIONS = 1024;
/** Those that one account may have in use, because whoever reads slowly keeps one; and its requests that wait for one. */
const OF_ACCOUNT = 32;
const WAITING = 256;
/** Handshakes of WebSockets, each of which needs a connection of its own, with the work of a TLS handshake at both nodes. */
const HANDSHAKES = { slots: 32, perClient: 4, waiting: WAITING };

/** Codes of undici for a connection that ended before the answer was complete, so that a read may be sent once more. */
const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export interface LinkParts {
  readonly name: string;
  readonly pools: Readonly<Record<Address, Pool>>;
  /** See `openFarSocket`. */
  openSocket(address: Address, request: FarSocketRequest, ends: Set<() => void>): Promise<ForwardedAnswer>;
  /** Rejects if the node cannot be reached now. */
  reach(): Promise<void>;
}

interface Answered {
  readonly answer: ForwardedAnswer;
  /** Of all answers but those to handshakes. */
  readonly body?: Dispatcher.ResponseData['body'];
}

export type Outcome = 'answered' | 'unreachable' | 'aborted';

/** The connection of this process to another node. */
export class NodeLink {
  readonly #parts: LinkParts;
  readonly #queue = new FairQueue({ slots: CONNECTIONS, perClient: OF_ACCOUNT, waiting: WAITING });
  readonly #handshakes = new FairQueue(HANDSHAKES);
  readonly counts: Record<Outcome, number> = { answered: 0, unreachable: 0, aborted: 0 };
  /** When it could not be reached, by the monotonic clock. */
  #failedMs: number | undefined;
  #isTrying = false;
  #reaching: Promise<void> | undefined;
  /** Of WebSockets, which have connections of their own. */
  readonly #ends = new Set<() => void>();

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /**
   * Errors: 503 `node_unreachable`, at once while the node is known to be out of reach, and `overloaded` where too many requests
   * of the account wait.
   */
  send(request: ForwardedRequest): Promise<ForwardedAnswer> {
    const { accountId, isHandshake, signal } = request;
    const queue = isHandshake ? this.#handshakes : this.#queue;
    return new Promise((resolve, reject) => {
      const work = () =>
        new Promise<void>((release) => {
          this.#answer(request, release).then(resolve, (error: unknown) => {
            release();
            reject(error);
          });
        });
      queue.run(accountId, work, { signal }).catch(reject);
    });
  }

  /** Calls `release` once nothing more comes of an answer. */
  async #answer(request: ForwardedRequest, release: () => void): Promise<ForwardedAnswer> {
    if (this.#failedMs !== undefined) await this.#assertBack(this.#failedMs);
    try {
      const { answer, body } = await this.#ask(request);
      // event streams and WebSockets may be open for days, and the other node limits them
      if (body !== undefined && answer instanceof Stream && answer.type !== 'text/event-stream')
        finished(body, release);
      else release();
      this.counts.answered += 1;
      return answer;
    } catch (error) {
      if (request.signal.aborted) {
        this.counts.aborted += 1;
        throw error;
      }
      this.#failedMs = performance.now();
      throw this.#unreachable(error);
    }
  }

  /** Lets requests in progress end; new ones take another way. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#parts.pools).map((pool) => pool.close()));
  }

  /** Ends requests in progress, too. */
  async destroy(): Promise<void> {
    for (const end of this.#ends) end();
    await Promise.all(Object.values(this.#parts.pools).map((pool) => pool.destroy()));
  }

  /** Lets one request at a time find out whether a node that was out of reach is back, and refuses the others without waiting. */
  async #assertBack(failedMs: number): Promise<void> {
    if (this.#isTrying || performance.now() - failedMs < PAUSE_MS) throw this.#unreachable();
    this.#isTrying = true;
    try {
      await this.#reach(); // which takes no longer if the request does
      this.#failedMs = undefined;
    } catch (error) {
      this.#failedMs = performance.now();
      throw this.#unreachable(error);
    } finally {
      this.#isTrying = false;
    }
  }

  #unreachable(cause?: unknown): HttpError {
    this.counts.unreachable += 1;
    return fail.node_unreachable(`the node ${this.#parts.name} cannot be reached`, { retryAfterSeconds: 1, cause });
  }

  /** Sends a read once more on a new connection if the node closed the one in use; never a change. */
  async #ask(request: ForwardedRequest): Promise<Answered> {
    try {
      return await this.#exchange(request);
    } catch (error) {
      const isLost = LOST.has((error as { readonly code?: string }).code ?? '');
      if (!isLost || request.method !== 'GET' || request.isHandshake || request.signal.aborted) throw error;
      return this.#exchange(request);
    }
  }

  async #exchange({ address, method, path, body, ip, isHandshake, ...request }: ForwardedRequest): Promise<Answered> {
    const gone = new AbortController();
    const signal = AbortSignal.any([request.signal, gone.signal]);
    const headers = { ...request.headers, 'x-forwarded-for': ip };
    const watch = setInterval(() => {
      this.#reach().catch((error: unknown) => gone.abort(error));
    }, PATIENCE_MS);
    try {
      if (isHandshake) return { answer: await this.#parts.openSocket(address, { path, headers, signal }, this.#ends) };
      const response = await this.#parts.pools[address].request({
        method: method as Dispatcher.HttpMethod,
        path,
        headers: {
          ...headers,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...(typeof body === 'object' && body.sizeBytes !== undefined && { 'content-length': String(body.sizeBytes) }),
        },
        body: typeof body === 'object' ? Readable.from(body) : (body ?? null),
        signal,
      });
      return { answer: await toAnswer(response), body: response.body };
    } finally {
      clearInterval(watch);
    }
  }

  /** All requests that wait share one look. */
  #reach(): Promise<void> {
    return (this.#reaching ??= this.#parts.reach().finally(() => (this.#reaching = undefined)));
  }
}
