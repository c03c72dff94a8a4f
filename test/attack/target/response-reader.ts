import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const HEAD_END = '\r\n\r\n';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case, in order of arrival. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export function headerOf({ headers }: RawResponse, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

/** Returns the body without the coding that the request allowed. */
export function plainBody(received: RawResponse): Buffer {
  const coding = headerOf(received, 'content-encoding');
  if (coding === 'br') return brotliDecompressSync(received.body);
  return coding === 'gzip' ? gunzipSync(received.body) : received.body;
}

export function jsonOf(received: RawResponse): unknown {
  try {
    return JSON.parse(plainBody(received).toString()) as unknown;
  } catch {
    return undefined;
  }
}

export function codeOf(received: RawResponse): string {
  const body = jsonOf(received);
  return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
}

/** Reads one response from the arriving bytes. */
export class ResponseReader {
  isReusable = false;
  readonly #isHead: boolean;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(isHead: boolean) {
    this.#isHead = isHead;
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  get text(): string {
    return this.#bytes.toString('latin1');
  }

  add(chunk: Buffer): RawResponse | undefined {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    return this.#received(false);
  }

  /** Returns a response that ends with the connection, such as the parser's own refusals. */
  end(): RawResponse | undefined {
    return this.#received(true);
  }

  #received(isClosing: boolean): RawResponse | undefined {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(first)}`);
    const headers = lines.map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
    );
    const body = this.#body(status, new Map(headers), this.#bytes.subarray(end + HEAD_END.length), isClosing);
    return body && { status, headers, body };
  }

  /** Returns `undefined` while the body is incomplete. */
  #body(status: number, headers: ReadonlyMap<string, string>, bytes: Buffer, isClosing: boolean): Buffer | undefined {
    const isClosed = headers.get('connection')?.toLowerCase() === 'close';
    if (this.#isHead || status === 304 || status === 204) {
      this.isReusable = !isClosed && bytes.length === 0;
      return bytes;
    }
    if (headers.get('content-type') === 'text/event-stream') return bytes.includes('\n\n') ? bytes : undefined;
    if (headers.get('transfer-encoding') === 'chunked') {
      const body = joinedChunks(bytes);
      this.isReusable = !isClosed && body !== undefined;
      return body;
    }
    const length = headers.get('content-length');
    if (length === undefined && !isClosed) throw new Error('a response without a length');
    if (length === undefined) return isClosing ? bytes : undefined;
    if (bytes.length < Number(length)) return undefined;
    if (bytes.length > Number(length)) throw new Error('more than one response');
    this.isReusable = !isClosed;
    return bytes;
  }
}

/** Returns the content of a chunked body (RFC 9112, section 7.1); `undefined` while it is incomplete. */
function joinedChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (Number.isNaN(size)) throw new Error('not a chunk');
    const end = line + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0 && bytes.length > end + 2) throw new Error('more than one response');
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(line + 2, end));
    at = end + 2;
  }
}
