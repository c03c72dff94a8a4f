import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One request as it goes over the wire; nothing is added to it but the length of the body. */
export interface Sent {
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
}

export interface Received {
  readonly status: number;
  /** Names in lower case, in the order of their arrival. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

const ANSWER_MS = 30_000;
const HEAD_END = '\r\n\r\n';

export function headerOf({ headers }: Received, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

export function headBytes({ method, target, headers }: Sent): Buffer {
  return Buffer.from(
    `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
}

/** Keeps connections to one address, and writes what it is told to, however wrong. */
export class Client {
  readonly url: string;
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Socket[] = [];

  constructor(url: string) {
    this.url = url;
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Rejects when nothing comes back in half a minute, or something that is no HTTP. A stream is closed after its first event. */
  async send(sent: Sent): Promise<Received> {
    for (let socket = this.#idle.pop(); socket !== undefined; socket = this.#idle.pop()) {
      const received = socket.destroyed ? undefined : await this.#ask(socket, sent);
      if (received !== undefined) return received; // otherwise the server had closed it while it was idle
    }
    const received = await this.#ask(await this.#open(), sent);
    if (received === undefined) throw new Error('the server closed the connection without an answer');
    return received;
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#port, this.#host).setNoDelay(true).setTimeout(ANSWER_MS);
    socket.on('error', () => socket.destroy());
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'close').then(() => Promise.reject(new Error('the server does not accept connections'))),
    ]);
    return socket;
  }

  #ask(socket: Socket, sent: Sent): Promise<Received | undefined> {
    return new Promise((resolve, reject) => {
      const reader = new Reader(sent.method === 'HEAD');
      const settle = (done: () => void, isKept: boolean) => {
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('timeout');
        if (isKept) this.#idle.push(socket);
        else socket.destroy();
        done();
      };
      socket.on('data', (chunk: Buffer) => {
        try {
          const received = reader.add(chunk);
          if (received !== undefined) settle(() => resolve(received), reader.mayGoOn);
        } catch (error) {
          settle(() => reject(error instanceof Error ? error : new Error(String(error))), false);
        }
      });
      socket.on('close', () =>
        settle(() => {
          const received = reader.end();
          if (received !== undefined || reader.isEmpty) resolve(received);
          else reject(new Error(`the connection ended within an answer: ${reader.text.slice(0, 300)}`));
        }, false),
      );
      socket.on('timeout', () => settle(() => reject(new Error('no answer in half a minute')), false));
      if (sent.body === undefined) socket.write(headBytes(sent));
      else
        socket.write(
          Buffer.concat([
            headBytes({ ...sent, headers: [...sent.headers, ['Content-Length', String(sent.body.length)]] }),
            sent.body,
          ]),
        );
    });
  }
}

/** Reads one answer from what arrives. */
class Reader {
  mayGoOn = false;
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

  add(chunk: Buffer): Received | undefined {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    return this.#received(false);
  }

  /** The answer whose end is that of its connection, as the parser's own refusals. */
  end(): Received | undefined {
    return this.#received(true);
  }

  #received(isOver: boolean): Received | undefined {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not an answer: ${JSON.stringify(first)}`);
    const headers = lines.map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
    );
    const body = this.#body(status, new Map(headers), this.#bytes.subarray(end + HEAD_END.length), isOver);
    return body && { status, headers, body };
  }

  /** `undefined` while it is not complete. */
  #body(status: number, headers: ReadonlyMap<string, string>, bytes: Buffer, isOver: boolean): Buffer | undefined {
    const isClosed = headers.get('connection')?.toLowerCase() === 'close';
    if (this.#isHead || status === 304 || status === 204) {
      this.mayGoOn = !isClosed && bytes.length === 0;
      return bytes;
    }
    if (headers.get('content-type') === 'text/event-stream') return bytes.includes('\n\n') ? bytes : undefined;
    const length = headers.get('content-length');
    if (length === undefined && !isClosed) throw new Error('an answer without a length');
    if (length === undefined) return isOver ? bytes : undefined;
    if (bytes.length < Number(length)) return undefined;
    if (bytes.length > Number(length)) throw new Error('more came than one answer');
    this.mayGoOn = !isClosed;
    return bytes;
  }
}
