import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { isListenedAt, splitHostPort } from '../kit/net/host-port.ts';
import type { Config } from '../config/configuration.ts';
import { RequestPipeline, type PipelineParts, type ReadParams } from './request-pipeline.ts';
import { pattern } from './routing-table.ts';
import type { CompiledRoute } from './compiled-route.ts';
import { SOCKET_BEHAVIOR, type SocketData } from './response/open-socket.ts';
import { Streams } from './response/streams.ts';
import type { RoutingTable } from './routing-table.ts';
import {
  loadUws,
  type ListenSocket,
  type TemplatedApp,
  type UwsRequest,
  type UwsResponse,
  type UwsSocketContext,
} from './uws.ts';
import { isWebSocket } from '../contract/route-spec.ts';
import type { Handshake } from './request-context.ts';

interface ServerParts extends PipelineParts {
  /** host:port */
  readonly listen: string;
  readonly tls: Config['tls'];
}

const REGISTER = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'del',
  CONNECT: 'connect',
  HEAD: 'head',
  OPTIONS: 'options',
} as const;

/** The key of handshakes of WebSockets among the methods. They come before other requests of their pattern. */
const HANDSHAKE = 'HANDSHAKE';
type Method = keyof typeof REGISTER | typeof HANDSHAKE;

/** Where a method and a pattern lead: uWS's router cannot remove routes, so its slots change with the table. */
interface Slot {
  route: CompiledRoute | undefined;
}

/** The server of one address: its listener, and uWebSockets.js's router, which leads to the current table's routes. */
export class Server {
  readonly #parts: ServerParts;
  #app: TemplatedApp;
  /** Apps with earlier certificates, which keep serving the connections that they accepted. */
  readonly #retired: TemplatedApp[] = [];
  #certificate: string;
  readonly #slots = new Map<string, Slot>();
  readonly #patterns = new Set<string>();
  readonly #streams: Streams;
  readonly #flow: RequestPipeline;
  #table: RoutingTable;
  #listener: ListenSocket | undefined;

  constructor(parts: ServerParts, table: RoutingTable) {
    this.#parts = parts;
    this.#certificate = certificateDigest(parts.tls);
    this.#app = newApp(parts.tls);
    this.#streams = new Streams(parts.sessions);
    this.#flow = new RequestPipeline(parts, this.#streams);
    this.#registerRefusal('/*');
    this.#table = table;
    this.use(table);
  }

  /** Replaces the table and ends the old one's streams. Resolves once the old one has answered what it accepted. */
  async use(table: RoutingTable): Promise<void> {
    const old = this.#table;
    this.#table = table;
    for (const slot of this.#slots.values()) slot.route = undefined;
    for (const route of table.routes) {
      for (const path of route.info.paths) {
        this.#slot(route.info.method, path).route = route;
        if (route.info.method === 'GET') this.#slot('HEAD', path).route = route;
        if (isWebSocket(route.info)) this.#slot(HANDSHAKE, path).route = route;
      }
    }
    if (old === table) return;
    this.#streams.endUnder(old);
    await old.idle();
  }

  /** Starts listening at a Unix socket, whose folder decides who can open it. A file that a process left there is replaced. */
  listenAt(path: string): void {
    rmSync(path, { force: true });
    this.#app.listen_unix((socket) => {
      this.#listener = socket;
    }, path);
    if (this.#listener === undefined)
      throw new Error(`cannot listen at ${path}: the path of a socket has at most 107 bytes`);
  }

  /**
   * Starts listening and returns the port: that of other workers where it is given, otherwise the configured one, which the
   * system chooses if it is 0. Throws if it is taken.
   */
  listen(port?: number): number {
    this.#listener = listenWith(this.#app, this.#parts.listen, port);
    return loadUws().us_socket_local_port(this.#listener);
  }

  /**
   * Serves new connections with the certificate that the files hold now. Throws, and changes nothing, if it is unusable, or if
   * the system chose the port, which cannot be shared while the listeners are swapped.
   */
  async renewCertificate(): Promise<void> {
    const certificate = certificateDigest(this.#parts.tls);
    const [app, listener] = [this.#app, this.#listener];
    if (certificate === this.#certificate || listener === undefined) return;
    const next = newApp(this.#parts.tls);
    try {
      this.#app = next;
      this.#registerRefusal('/*');
      for (const [name, slot] of this.#slots) this.#register(slot, ...(name.split(' ') as [Method, string]));
      for (const to of this.#patterns) this.#registerRefusal(to);
      this.#listener = listenWith(next, this.#parts.listen);
    } catch (error) {
      this.#app = app;
      next.close();
      throw error;
    }
    this.#certificate = certificate;
    this.#retired.push(app);
    await new Promise((resolve) => setImmediate(resolve)); // lets the old listener accept the connections in its queue
    loadUws().us_listen_socket_close(listener);
  }

  /**
   * Resolves with the port, which the system chooses if it is 0. Rejects if another process listens there, with whom uWS would
   * silently share it; a port that is only held, as `config/package/debian/hold-ports` does, is free.
   */
  async assertPortFree(given?: number): Promise<number> {
    const { host, port } = placeOf(this.#parts.listen, given);
    const probe = createServer();
    return new Promise<number>((resolve, reject) => {
      probe.once('error', (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EADDRINUSE' && !isListenedAt(port)) return resolve(port);
        reject(new Error(`cannot listen on ${host}:${port}; is another program using the port?`, { cause }));
      });
      probe.listen({ host, port, exclusive: true }, () => {
        const free = (probe.address() as AddressInfo).port;
        probe.close(() => resolve(free));
      });
    });
  }

  /** Answers all requests in progress with 500, because the state of the process is unknown; `close` is to follow. */
  fail(cause: unknown): void {
    this.#flow.drain();
    this.#flow.failAll(cause);
  }

  /** Finishes accepted requests, asks each client to close its connection, and then closes what is left. */
  async close(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve)); // lets the listener accept the connections in its queue
    if (this.#listener !== undefined) loadUws().us_listen_socket_close(this.#listener);
    this.#listener = undefined;
    this.#flow.drain();
    this.#streams.close();
    await this.#table.idle();
    await new Promise((resolve) => setImmediate(resolve)); // lets requests that have already arrived be answered
    for (const app of [...this.#retired, this.#app]) app.close();
  }

  #slot(method: Method, path: string): Slot {
    const to = pattern(path);
    let slot = this.#slots.get(`${method} ${to}`);
    if (slot !== undefined) return slot;
    slot = { route: undefined };
    this.#slots.set(`${method} ${to}`, slot);
    this.#register(slot, method, to);
    if (!this.#patterns.has(to)) this.#registerRefusal(to);
    this.#patterns.add(to);
    return slot;
  }

  #register(slot: Slot, method: Method, to: string): void {
    const rest = to.indexOf('*');
    const parameters = [...to.matchAll(/:p/g)].map((_, i) => i);
    const readParams: ReadParams = (req) =>
      rest < 0 ? parameters.map((i) => req.getParameter(i)) : [req.getUrl().slice(rest)];
    const lead = (res: UwsResponse, req: UwsRequest, handshake?: Handshake) => {
      const isPreflight = method === 'OPTIONS' && req.getHeader('access-control-request-method') !== '';
      if (slot.route === undefined || this.#table.closed !== undefined || isPreflight)
        this.#flow.refuse(to, this.#table, res, req);
      else this.#flow.serve(slot.route, this.#table, res, req, method === 'HEAD', readParams, handshake);
    };
    if (method !== HANDSHAKE) return void this.#app[REGISTER[method]](to, (res, req) => lead(res, req));
    this.#app.ws<SocketData>(to, {
      ...SOCKET_BEHAVIOR,
      upgrade: (res, req, native) => lead(res, req, handshakeIn(req, native)),
    });
  }

  #registerRefusal(to: string): void {
    this.#app.any(to, (res, req) => this.#flow.refuse(to, this.#table, res, req));
  }
}

/** Returns nothing for what asks to be closed (RFC 6455, section 4.2.1): uWS would make a WebSocket of a closed connection. */
function handshakeIn(req: UwsRequest, native: UwsSocketContext): Handshake | undefined {
  if (!/\bupgrade\b/i.test(req.getHeader('connection'))) return undefined;
  return { key: req.getHeader('sec-websocket-key'), native };
}

function newApp({ cert, key }: Config['tls']): TemplatedApp {
  if (cert === '') return loadUws().App();
  try {
    return loadUws().SSLApp({ cert_file_name: cert, key_file_name: key });
  } catch (cause) {
    throw new Error(
      `tls.cert ${cert} and tls.key ${key} cannot be used: one of them is not a PEM file, or they do not match`,
      { cause },
    );
  }
}

function listenWith(app: TemplatedApp, address: string, given?: number): ListenSocket {
  const { host, port } = placeOf(address, given);
  let listener: ListenSocket | undefined;
  app.listen(host, port, (socket) => {
    if (socket !== false) listener = socket;
  });
  if (listener === undefined) throw new Error(`cannot listen on ${host}:${port}; is the port held for another user?`);
  return listener;
}

function placeOf(address: string, given: number | undefined): { host: string; port: number } {
  const { host, port } = splitHostPort(address);
  return { host, port: given ?? port };
}

function certificateDigest({ cert, key }: Config['tls']): string {
  const hash = createHash('sha256');
  for (const file of cert === '' ? [] : [cert, key]) hash.update(readFileSync(file)).update('\n');
  return hash.digest('hex');
}
