import { fail } from '../../errors.ts';

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects. */
const RETRY_MS = 3000;
const RETRY_AFTER = { retryAfterSeconds: 5 };

/** The client's end of a stream. */
interface EventSink {
  readonly isBehind: boolean;
  write(chunk: string): boolean;
  end(): void;
}

/** Counts the open streams of each account, in all processes of the node. */
interface StreamCounter {
  readonly total: number;
  of(account: string): number;
  add(account: string): () => void;
}

interface StreamLimits {
  readonly all: number;
  readonly own: number;
}

/** Errors: 503 `overloaded` where so many streams are open, in all or of the account. */
export function assertRoom(
  counter: Pick<StreamCounter, 'total' | 'of'>,
  account: string,
  { all, own: most }: StreamLimits,
): void {
  const own = counter.of(account);
  if (counter.total >= all) throw fail.overloaded(`the limit of ${all} open streams is reached`, RETRY_AFTER);
  if (own >= most) throw fail.overloaded(`the account already has ${own} open streams`, RETRY_AFTER);
}

/** Open streams of server-sent events: their limits, and the heartbeat by which a client knows that the server is there. */
export class EventStreams {
  readonly #sinks = new Set<EventSink>();
  readonly #counter: StreamCounter;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(counter: StreamCounter, heartbeatMs = HEARTBEAT_MS) {
    this.#counter = counter;
    this.#heartbeat = setInterval(() => this.send(': still here\n\n'), heartbeatMs).unref();
  }

  /** The open streams of this process. */
  get size(): number {
    return this.#sinks.size;
  }

  /** Ends all streams. Their clients reconnect to the next instance of the plugin, for example after a reload. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const sink of [...this.#sinks]) sink.end();
  }

  /** Sends to all streams; a client that does not keep up loses this chunk, so that the server's memory stays bounded. */
  send(chunk: string): void {
    for (const sink of this.#sinks) if (!sink.isBehind) sink.write(chunk);
  }

  /**
   * Returns the `open` of a stream, which calls `begin` once the client is to hear its first events, and what that returns
   * once the stream has ended. Errors: 503 `overloaded` where so many streams are open, in all or of the account.
   */
  opening<S extends EventSink>(
    accountId: number,
    limits: StreamLimits,
    begin: (sink: S) => (() => unknown) | undefined,
  ): (sink: S) => () => void {
    const account = String(accountId);
    assertRoom(this.#counter, account, limits);
    return (sink) => {
      this.#sinks.add(sink);
      const release = this.#counter.add(account);
      sink.write(`retry: ${RETRY_MS}\n\n`);
      const end = begin(sink);
      return () => {
        this.#sinks.delete(sink);
        release();
        end?.();
      };
    };
  }
}

/** Returns the number in a `Last-Event-ID`; `undefined` unless the header is one. */
export function parseLastEventId(header: string): number | undefined {
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Returns an event as it is sent. */
export function formatEvent(type: string, id: number, data: unknown): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
