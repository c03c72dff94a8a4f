import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Socket } from 'node:net';

type Headers = Readonly<Record<string, string>>;
type Data = string | Buffer;

const [TEXT, BINARY, CLOSE, PING] = [1, 2, 8, 9];

/** A client of WebSockets (RFC 6455) that can send and refuse to read what no browser would. */
export class SocketClient {
  /** Messages that the server has sent. */
  readonly texts: string[] = [];
  /** Of its messages that are no text. */
  sizeBytes = 0;
  /** The code with which the server closed it; 0 without one, `undefined` while it is open. */
  closed: number | undefined;
  readonly socket: Socket;
  #parts: Buffer[] = [];
  #rest: Buffer;

  constructor(socket: Socket, head: Buffer) {
    this.socket = socket;
    this.#rest = head;
    socket.on('data', (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#next());
    });
    socket.on('error', () => undefined).on('close', () => (this.closed ??= 0));
    while (this.#next());
  }

  get bytes(): Buffer {
    if (this.#parts.length !== 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] as Buffer;
  }

  get output(): string {
    return this.bytes.toString();
  }

  send(data: Data): void {
    this.#write(typeof data === 'string' ? TEXT : BINARY, Buffer.from(data));
  }

  close(): void {
    this.socket.end();
  }

  #write(code: number, payload: Buffer): void {
    const head = Buffer.alloc(14); // the key at its end, of zeros, masks nothing
    head[0] = 0x80 | code;
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    const length = payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9;
    const short = Buffer.from([0x80 | code, 0x80 | payload.length]);
    const middle = Buffer.from([0x80 | code, 0x80 | 126, payload.length >> 8, payload.length & 255]);
    const key = Buffer.alloc(4);
    if (length === 9) this.socket.write(Buffer.concat([head, payload]));
    else this.socket.write(Buffer.concat([length === 1 ? short : middle, key, payload]));
  }

  #next(): boolean {
    const rest = this.#rest;
    if (rest.length < 2) return false;
    const [first, second] = [rest.readUInt8(0), rest.readUInt8(1)];
    const start = second === 127 ? 10 : second === 126 ? 4 : 2;
    if (rest.length < start) return false;
    const length = second === 127 ? Number(rest.readBigUInt64BE(2)) : second === 126 ? rest.readUInt16BE(2) : second;
    if (rest.length < start + length) return false;
    this.#take(first & 15, rest.subarray(start, start + length));
    this.#rest = rest.subarray(start + length);
    return true;
  }

  #take(code: number, payload: Buffer): void {
    if (code === TEXT) this.texts.push(payload.toString());
    else if (code === BINARY) {
      this.#parts.push(payload);
      this.sizeBytes += payload.length;
    } else if (code === PING) this.#write(PING + 1, payload);
    else if (code === CLOSE) {
      this.closed = payload.length < 2 ? 0 : payload.readUInt16BE(0);
      this.socket.end();
    }
  }
}

/** Resolves with the client of a WebSocket, or with the status and the code of the error with which it is refused. */
export async function openSocket(url: string, headers: Headers): Promise<SocketClient | string> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const { origin } = new URL(url);
  const path = url.slice(origin.length); // as it stands, also with a part such as `..`
  const asked = request(origin, { path, headers: { ...handshake, ...headers }, agent: false });
  asked.end();
  const [answer, socket, head] = (await Promise.race([once(asked, 'upgrade'), once(asked, 'response')])) as [
    IncomingMessage,
    Socket | undefined,
    Buffer,
  ];
  if (socket !== undefined) return new SocketClient(socket, head);
  const { error } = JSON.parse(await text(answer)) as { error: string };
  return `${answer.statusCode} ${error}`;
}

/** Resolves with the client of a WebSocket. Rejects if it is refused. */
export async function connectSocket(url: string, headers: Headers): Promise<SocketClient> {
  const opened = await openSocket(url, headers);
  if (typeof opened === 'string') throw new Error(`the WebSocket is refused: ${opened}`);
  return opened;
}
