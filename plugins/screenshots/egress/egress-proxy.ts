import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { EgressPolicy, Upstream } from './egress-policy.ts';
import {
  CONNECTED,
  greetingLength,
  MESSAGE_LIMIT_BYTES,
  NO_AUTHENTICATION,
  NOT_ALLOWED,
  parseRequest,
  SocksError,
  type Destination,
} from './socks.ts';

const CONNECT_MS = 5000;
const NO_DOMAINS: ReadonlySet<string> = new Set();

interface EgressLimits {
  readonly bytes: number;
  readonly connections: number;
}

/**
 * The only way out for one page: a SOCKS proxy on its own loopback port. The browser passes it names, not addresses,
 * and the policy decides on every connection, hence on every redirect too. Because it tunnels bytes, `Host` and the TLS
 * server name stay those of the page's URL. Nothing passes before `open` or after `stop`.
 */
export class EgressProxy {
  readonly #policy: EgressPolicy;
  readonly #limits: EgressLimits;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #own = NO_DOMAINS;
  #isOpen = false;
  #bytes = 0;
  #connections = 0;
  /** Why the page's first refused connection was refused. */
  refusal: string | undefined;

  private constructor(policy: EgressPolicy, limits: EgressLimits) {
    this.#policy = policy;
    this.#limits = limits;
    this.#server = createServer((socket) => void this.#serve(this.#keep(socket)));
  }

  static async listen(policy: EgressPolicy, limits: EgressLimits): Promise<EgressProxy> {
    const egress = new EgressProxy(policy, limits);
    await new Promise<void>((resolve, reject) => {
      egress.#server.once('error', reject);
      egress.#server.listen(0, '127.0.0.1', resolve);
    });
    return egress;
  }

  get url(): string {
    return `socks5://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Lets the page connect; `own` are its account's domains. */
  open(own: ReadonlySet<string>): void {
    this.#own = own;
    this.#isOpen = true;
  }

  /** Cuts the page off; content that it has loaded stays. */
  stop(reason: string): void {
    this.#isOpen = false;
    this.refusal ??= reason;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.stop('the page was closed');
    this.#server.close();
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket.on('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy());
  }

  async #serve(client: Socket): Promise<void> {
    client.setTimeout(CONNECT_MS, () => client.destroy());
    try {
      const destination = await handshake(client);
      await this.#tunnel(client, await this.#admit(destination));
    } catch (error) {
      if (!client.destroyed) client.end(NOT_ALLOWED);
      this.refusal ??= error instanceof Error ? error.message : String(error);
    }
  }

  async #admit(destination: Destination): Promise<Upstream> {
    if (!this.#isOpen) throw new SocksError('the page may not connect now');
    this.#connections += 1;
    if (this.#connections > this.#limits.connections) throw new SocksError('the page opened too many connections');
    return this.#policy.admit(destination, this.#own);
  }

  async #tunnel(client: Socket, to: Upstream): Promise<void> {
    const { host, port } = to;
    const upstream = this.#keep(connect({ ...to, timeout: CONNECT_MS }));
    await new Promise<void>((resolve, reject) => {
      upstream.once('connect', resolve).once('timeout', () => reject(new Error(`${host}:${port} did not answer`)));
      upstream.once('close', () => reject(new Error(`${host}:${port} could not be reached`)));
    }).catch((error: unknown) => {
      upstream.destroy();
      throw error;
    });
    if (!this.#isOpen || client.destroyed) return void upstream.destroy();
    client.setTimeout(0);
    upstream.setTimeout(0);
    client.write(CONNECTED);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => this.#count(chunk.length)).pipe(to);
      from.once('close', () => to.destroySoon());
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes) this.stop('the page sent or received too much');
  }
}

/** Reads a client's greeting and request. Rejects with `SocksError`, also when the client disconnects first. */
function handshake(client: Socket): Promise<Destination> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    let isGreeted = false;
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      try {
        if (bytes.length > MESSAGE_LIMIT_BYTES) throw new SocksError('message too long');
        const greeting = isGreeted ? undefined : greetingLength(bytes);
        if (greeting !== undefined) {
          isGreeted = true;
          bytes = bytes.subarray(greeting);
          client.write(NO_AUTHENTICATION);
        }
        const request = isGreeted ? parseRequest(bytes) : undefined;
        if (request === undefined) return;
        client.off('data', read).pause();
        if (request.length < bytes.length) client.unshift(bytes.subarray(request.length));
        resolve(request.destination);
      } catch (error) {
        reject(error instanceof Error ? error : new SocksError('unreadable message'));
      }
    };
    client.on('data', read).once('close', () => reject(new SocksError('the browser closed the connection')));
  });
}
