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
  readonly headers: readonly (readonly [string, string])[];
  /** Called once the head is sent. Returns a function that is called once the stream has ended, for any reason. */
  readonly open: (sink: Sink) => () => void;

  constructor(type: string, open: (sink: Sink) => () => void, headers: Readonly<Record<string, string>> = {}) {
    this.type = type;
    this.open = open;
    this.headers = Object.entries(headers);
  }
}
