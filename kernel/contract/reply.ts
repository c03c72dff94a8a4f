interface StreamOptions {
  /** Defaults to 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The number of bytes that follow, which the client is told; the source sends as many, and none while the client is behind. */
  readonly sizeBytes?: number;
}
interface ReplyOptions {
  /** The media type; `application/json` unless given. */
  readonly type?: string;
  /** Defaults to the route's status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose bytes are ready, for content that is not JSON or has its own headers. May be sent again. */
export class Reply {
  readonly body: Uint8Array | string;
  readonly type: string;
  readonly status: number | undefined;
  readonly headers: readonly (readonly [string, string])[];

  constructor(body: Uint8Array | string, { type = 'application/json', status, headers = {} }: ReplyOptions = {}) {
    this.body = body;
    this.type = type;
    this.status = status;
    this.headers = Object.entries(headers);
  }

  /** Returns the same answer with further headers. */
  with(headers: Readonly<Record<string, string>>): Reply {
    const { body, type, status } = this;
    const all = { ...Object.fromEntries(this.headers), ...headers };
    return new Reply(body, { type, headers: all, ...(status !== undefined && { status }) });
  }
}

/** Returns an answer whose bytes are ready. */
export function reply(body: Uint8Array | string, options?: ReplyOptions): Reply {
  return new Reply(body, options);
}

/** Returns a reply whose JSON is serialized once, for an answer that is sent many times. */
export function ready(value: unknown, options?: ReplyOptions): Reply {
  return new Reply(Buffer.from(JSON.stringify(value)), options);
}

/** The client's end of a stream. */
export interface Sink {
  /** Sends a chunk. Returns whether the client keeps up; if not, the caller decides which chunks to skip. */
  write(chunk: string | Uint8Array): boolean;
  /** Whether sent bytes still wait for the client. */
  readonly isBehind: boolean;
  /** Calls back each time that nothing waits any more. */
  onDrain(callback: () => void): void;
  end(): void;
  /** Breaks the connection, so that the client does not take what it has for the whole answer. */
  abort(): void;
}

/**
 * An answer that is sent as it comes. It ends early with its session, its feature or the server; the client then sees that it
 * is not complete, unless it is `text/event-stream`, which has no end of its own.
 */
export class Stream {
  readonly type: string;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly sizeBytes: number | undefined;
  /** Called once, when the head is sent or nobody reads. Returns a function that is called once the stream has ended, for any reason. */
  readonly open: (sink: Sink) => () => void;

  constructor(
    type: string,
    open: (sink: Sink) => () => void,
    { status = 200, headers = {}, sizeBytes }: StreamOptions = {},
  ) {
    this.type = type;
    this.status = status;
    this.open = open;
    this.headers = Object.entries(headers);
    this.sizeBytes = sizeBytes;
  }

  /** Has the source release what it holds for an answer that nobody reads. */
  discard(): void {
    this.open(NOBODY)();
  }
}

const NOBODY: Sink = {
  isBehind: true,
  write: () => false,
  onDrain: () => undefined,
  end: () => undefined,
  abort: () => undefined,
};

/**
 * Returns an answer of chunks, each of which is taken while the client takes the one before; if they fail, it is broken off.
 * `onEnd` is called once, when it has ended for any reason.
 */
export function streamed(
  type: string,
  chunks: AsyncIterable<Uint8Array>,
  { onEnd, ...options }: StreamOptions & { readonly onEnd?: () => void } = {},
): Stream {
  const open = (sink: Sink): (() => void) => {
    let isOver = false;
    let drained = Promise.resolve();
    let wake = (): void => undefined;
    sink.onDrain(() => wake());
    const send = async () => {
      for await (const chunk of chunks) {
        await drained;
        if (isOver) return;
        if (!sink.write(chunk) && !isOver) drained = new Promise((resolve) => (wake = resolve));
      }
      await drained;
      sink.end();
    };
    send().catch(() => sink.abort()); // the client sees that it is not complete; the source says why where it fails
    return () => {
      isOver = true;
      wake();
      onEnd?.();
    };
  };
  return new Stream(type, open, options);
}
