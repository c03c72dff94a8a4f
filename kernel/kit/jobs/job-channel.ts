import type { Duplex } from 'node:stream';

/** Lengths of the JSON and of the bytes after it, 32 bits each. */
const HEADER_BYTES = 8;

/** How deep arrays and objects may lie in each other: to parse and to walk a message of nothing but brackets takes seconds. */
const MAX_DEPTH = 100;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** `{` and `}`; `[` and `]` differ from them in this bit. */
const [OPENING, CLOSING, SQUARE] = [0x7b, 0x7d, 0x20];

interface ChannelOptions {
  /** The largest message that is read; a longer one closes the channel. */
  readonly maxBytes: number;
  onMessage(message: unknown, bytes: Buffer): void;
  /** Called once: with what the other side did wrong, or without a fault when the stream ends. */
  onClose(fault?: Error): void;
}

/** Messages between a job's process and its caller: JSON, never code, because the other side may be in foreign hands. */
export class JobChannel {
  readonly #stream: Duplex;
  readonly #options: ChannelOptions;
  #chunks: Buffer[] = [];
  #length = 0;
  #isClosed = false;

  constructor(stream: Duplex, options: ChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    stream.on('data', (chunk: Buffer) => this.#read(chunk)).resume(); // an owner before may have paused it
    stream.on('error', () => this.#close()); // the end of the process says why
    stream.on('close', () => this.#close());
  }

  send(message: unknown, bytes?: Uint8Array): void {
    if (this.#isClosed) return;
    const json = JSON.stringify(message);
    const jsonBytes = Buffer.byteLength(json);
    const start = Buffer.allocUnsafe(HEADER_BYTES + jsonBytes);
    start.writeUInt32LE(jsonBytes, 0);
    start.writeUInt32LE(bytes?.length ?? 0, 4);
    start.write(json, HEADER_BYTES);
    this.#stream.cork(); // both in one call of the system, without a copy of the bytes
    this.#stream.write(start);
    if (bytes !== undefined) this.#stream.write(bytes);
    this.#stream.uncork();
  }

  /** Leaves the stream, unread, to its next owner, after a last message if one is given. Returns the stream. */
  release(message?: unknown): Duplex {
    if (message !== undefined) this.send(message);
    this.#isClosed = true;
    for (const event of ['data', 'error', 'close']) this.#stream.removeAllListeners(event);
    return this.#stream.pause().on('error', () => undefined); // its next owner sees it closed
  }

  /** Sends what is written, then closes this side. */
  end(): void {
    this.#stream.end();
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    try {
      while (this.#next());
    } catch (error) {
      this.#stream.destroy();
      this.#close(error as Error);
    }
  }

  /** Takes one message out of what was read. Throws for one that is too long, too deep or no JSON. */
  #next(): boolean {
    if (this.#isClosed || this.#length < HEADER_BYTES) return false;
    if ((this.#chunks[0]?.length ?? 0) < HEADER_BYTES) this.#chunks = [Buffer.concat(this.#chunks)];
    const header = this.#chunks[0] as Buffer;
    const [jsonBytes, otherBytes] = [header.readUInt32LE(0), header.readUInt32LE(4)];
    const end = HEADER_BYTES + jsonBytes + otherBytes;
    if (end > this.#options.maxBytes) throw new Error(`a message of ${end} bytes exceeds ${this.#options.maxBytes}`);
    if (this.#length < end) return false;
    const all = this.#chunks.length === 1 ? header : Buffer.concat(this.#chunks);
    this.#chunks = all.length === end ? [] : [all.subarray(end)];
    this.#length -= end;
    const json = all.subarray(HEADER_BYTES, HEADER_BYTES + jsonBytes);
    assertShallow(json);
    this.#options.onMessage(JSON.parse(json.toString()), all.subarray(HEADER_BYTES + jsonBytes, end));
    return true;
  }

  #close(fault?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose(fault);
  }
}

/** Throws for JSON that nests too deep, before it is parsed. */
function assertShallow(json: Buffer): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (isText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if ((byte | SQUARE) === CLOSING) depth -= 1;
    else if ((byte | SQUARE) === OPENING && ++depth > MAX_DEPTH)
      throw new Error(`a message nests deeper than ${MAX_DEPTH}`);
  }
}
