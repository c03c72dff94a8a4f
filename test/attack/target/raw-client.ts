import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LIMIT_MS } from '../../support/until.ts';
import { ResponseReader, type RawResponse } from './response-reader.ts';

/** A request as it is sent; only the length of the body is added. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
}

export function headBytes({ method, target, headers }: RawRequest): Buffer {
  return Buffer.from(
    `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
}

/** The connection ended after some of a response had arrived. */
export class BrokenResponse extends Error {
  constructor(received: string) {
    super(`the connection ended in the middle of a response: ${received.slice(0, 300)}`);
  }
}

/** Sends requests unchanged, however malformed, over kept-alive connections to one address. */
export class RawClient {
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

  /**
   * Rejects if no response arrives within `LIMIT_MS`, or one that is not HTTP. An event stream is closed after its first
   * event.
   */
  async send(sent: RawRequest): Promise<RawResponse> {
    for (let socket = this.#idle.pop(); socket !== undefined; socket = this.#idle.pop()) {
      const received = socket.destroyed ? undefined : await this.#exchange(socket, sent);
      if (received !== undefined) return received; // undefined: the server closed the idle connection
    }
    const received = await this.#exchange(await this.#open(), sent);
    if (received === undefined) throw new Error('the server closed the connection without a response');
    return received;
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#port, this.#host).setNoDelay(true).setTimeout(LIMIT_MS);
    socket.on('error', () => socket.destroy());
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'close').then(() => Promise.reject(new Error('the server does not accept connections'))),
    ]);
    return socket;
  }

  #exchange(socket: Socket, sent: RawRequest): Promise<RawResponse | undefined> {
    return new Promise((resolve, reject) => {
      const reader = new ResponseReader(sent.method === 'HEAD');
      const settle = (done: () => void, isKept: boolean) => {
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('timeout');
        if (isKept) this.#idle.push(socket);
        else socket.destroy();
        done();
      };
      socket.on('data', (chunk: Buffer) => {
        try {
          const received = reader.add(chunk);
          if (received !== undefined) settle(() => resolve(received), reader.isReusable);
        } catch (error) {
          settle(() => reject(error instanceof Error ? error : new Error(String(error))), false);
        }
      });
      socket.on('close', () =>
        settle(() => {
          const received = reader.end();
          if (received !== undefined || reader.isEmpty) resolve(received);
          else reject(new BrokenResponse(reader.text));
        }, false),
      );
      socket.on('timeout', () => settle(() => reject(new Error(`no response within ${LIMIT_MS / 1000} s`)), false));
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
