import { Readable } from 'node:stream';
import { HttpError } from '../../kernel/errors.ts';
import type { MoveLink } from '../../kernel/contract/points/move-part.ts';
import type { FleetNode, NodeConnection } from '../../kernel/contract/points/fleet-node.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import type { Move } from './rows.ts';
import {
  AHEAD_BYTES,
  toError,
  wirePath,
  REQUESTS,
  type Bringing,
  type Digest,
  type Failure,
  type RequestName,
} from './wire.ts';
import { fail } from './errors.ts';

const CONNECT_MS = 5000;
/** The longest time that the other node may need to answer; it may remove or compare many files. */
const ANSWER_MS = 900_000;
/** The longest time in which it takes nothing of what is sent. */
const STALL_MS = 60_000;
/** How often the other node is looked after while it works, and how many looks in a row may fail. */
const LOOK_MS = 5000;
const LOOKS = 3;
/** How often people are told how much has been sent. */
const TELL_MS = 10_000;

/** The node to which an account moves, as its old home sees it. Errors: those of the other node, 503 `node_unreachable`. */
export class Target {
  readonly #connection: NodeConnection;
  readonly #node: FleetNode;
  readonly #move: Pick<Move, 'username' | 'claim'>;
  readonly #signal: AbortSignal;
  readonly #say: MoveLink['say'];
  #sentBytes = 0;
  #toldAt = performance.now();

  /** `say` tells people which step begins, and how far it is. */
  constructor(node: FleetNode, move: Pick<Move, 'username' | 'claim'>, signal: AbortSignal, say: MoveLink['say']) {
    this.#connection = node.connect({ connectMs: CONNECT_MS, answerMs: ANSWER_MS });
    this.#node = node;
    this.#move = move;
    this.#signal = signal;
    this.#say = say;
  }

  async begin(bringing: Bringing): Promise<void> {
    await this.#ask('begin', { body: JSON.stringify(bringing) });
  }

  /** Sends an archive, no faster than the other node takes it. */
  async send(archive: AsyncIterable<Buffer>): Promise<void> {
    const [body, stalled] = await watched(this.#counted(archive), STALL_MS);
    await this.#ask('files', { body, signal: stalled });
  }

  /** Returns the way for what a plugin brings. */
  linkOf(plugin: string): MoveLink {
    return {
      say: this.#say,
      signal: this.#signal,
      ask: async ({ name, about = '' }, body) => {
        const more = { plugin, name, about };
        if (typeof body === 'string') return this.#ask('part', { body, more });
        const [stream, stalled] = await watched(this.#counted(body), ANSWER_MS);
        return this.#ask('part', { body: stream, signal: stalled, more });
      },
    };
  }

  async digest(): Promise<string> {
    return ((await this.#ask('digest')) as Digest).digest;
  }

  async discard(): Promise<void> {
    await this.#ask('discard');
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Says now and then how much has been sent in all. */
  async *#counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      this.#sentBytes += chunk.length;
      if (performance.now() - this.#toldAt < TELL_MS) continue;
      this.#toldAt = performance.now();
      this.#say(`sent ${formatSize(this.#sentBytes)}`);
    }
  }

  async #ask(name: RequestName, { body, signal, more }: Asked = {}): Promise<unknown> {
    const { name: node } = this.#node;
    const gone = new AbortController();
    const watch = this.#watch(gone);
    try {
      const { status, text } = await this.#connection.request({
        method: REQUESTS[name],
        path: wirePath(name, this.#move, more),
        body: body ?? null,
        signal: AbortSignal.any([this.#signal, gone.signal, ...(signal === undefined ? [] : [signal])]),
      });
      const value: unknown = text === '' ? undefined : JSON.parse(text);
      if (status >= 400) throw toError(node, (value ?? {}) as Failure);
      return value;
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof HttpError) throw error;
      throw fail.node_unreachable(`the node ${node} cannot be reached, or has ended the connection`, {
        retryAfterSeconds: 5,
        cause: error,
      });
    } finally {
      clearInterval(watch);
    }
  }

  /** Aborts `gone` once the node is out of reach: one that is frozen, or cut off, closes no connection. */
  #watch(gone: AbortController): NodeJS.Timeout {
    let failed = 0;
    return setInterval(() => {
      this.#node.reach().then(
        () => (failed = 0),
        (error: unknown) => (failed += 1) >= LOOKS && gone.abort(error),
      );
    }, LOOK_MS);
  }
}

interface Asked {
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
  /** Further members of the query. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Resolves with a body once it has begun, and with a signal that is aborted if nothing of it is taken for too long. */
async function watched(source: AsyncIterable<Buffer>, stallMs: number): Promise<[Readable, AbortSignal]> {
  const stalled = new AbortController();
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next(); // which may take long, and the other node does not wait for it
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (let next = first; next.done !== true; next = await chunks.next()) {
        const watch = setTimeout(() => stalled.abort(new Error(`nothing was taken for ${stallMs} ms`)), stallMs);
        try {
          yield next.value;
        } finally {
          clearTimeout(watch);
        }
      }
    } finally {
      await chunks.return?.();
    }
  }
  return [Readable.from(pieces(), { objectMode: false, highWaterMark: AHEAD_BYTES }), stalled.signal];
}
