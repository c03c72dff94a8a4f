interface ReplyOptions {
  /** Media type; `application/json` unless said. */
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer whose bytes are ready, for what is not JSON or has headers of its own. May be kept and sent again. */
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

export function reply(body: Uint8Array | string, options?: ReplyOptions): Reply {
  return new Reply(body, options);
}

/** The JSON of a value, made once, for an answer that is sent many times. */
export function ready(value: unknown, options?: ReplyOptions): Reply {
  return new Reply(Buffer.from(JSON.stringify(value)), options);
}

/** Where a stream's chunks go. */
export interface Sink {
  /** Sends a chunk, and says whether the client keeps up; what to leave out while it does not is the caller's choice. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes that wait for the client. */
  readonly isBehind: boolean;
  end(): void;
}

/** An answer without an end of its own. It ends with the session, with the client, or when the server stops. */
export class Stream {
  readonly type: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Called once the head is sent; what it returns is called when the stream has ended, for whatever reason. */
  readonly open: (sink: Sink) => () => void;

  constructor(type: string, open: (sink: Sink) => () => void, headers: Readonly<Record<string, string>> = {}) {
    this.type = type;
    this.open = open;
    this.headers = Object.entries(headers);
  }
}
