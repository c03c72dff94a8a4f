import { createServer } from 'node:net';
import uWS, { type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { splitHostPort, type Config } from './config.ts';
import { RequestFlow, type FlowParts, type ReadParams } from './request-flow.ts';
import { pattern, type LiveRoute } from './routes.ts';
import { Streams } from './streams.ts';
import type { RouteTable } from './table.ts';

export interface ServerParts extends FlowParts {
  /** host:port */
  readonly listen: string;
  readonly tls: Config['tls'];
}

const REGISTER = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del', HEAD: 'head' } as const;

/** Where a method and a pattern lead at the moment. uWS's router is told of each once; where it leads changes with the table. */
interface Slot {
  route: LiveRoute | undefined;
}

/** One address: its listener, and uWebSockets.js's router, which leads to the routes of the table in force. */
export class Server {
  readonly #parts: ServerParts;
  readonly #app: TemplatedApp;
  readonly #slots = new Map<string, Slot>();
  readonly #patterns = new Set<string>();
  readonly #streams: Streams;
  readonly #flow: RequestFlow;
  #table: RouteTable;
  #listener: us_listen_socket | undefined;

  constructor(parts: ServerParts, table: RouteTable) {
    const { cert, key } = parts.tls;
    this.#parts = parts;
    this.#app = cert === '' ? uWS.App() : uWS.SSLApp({ cert_file_name: cert, key_file_name: key });
    this.#streams = new Streams(parts.sessions);
    this.#flow = new RequestFlow(parts, this.#streams);
    this.#app.any('/*', (res, req) => this.#flow.refuse('/*', this.#table, res, req));
    this.#table = table;
    this.use(table);
  }

  /** Answers by another table from now on. Resolves once what the one before accepted is answered; its streams end. */
  async use(table: RouteTable): Promise<void> {
    const old = this.#table;
    this.#table = table;
    for (const slot of this.#slots.values()) slot.route = undefined;
    for (const route of table.routes) {
      for (const path of route.info.paths) {
        this.#slot(route.info.method, path).route = route;
        if (route.info.method === 'GET') this.#slot('HEAD', path).route = route;
      }
    }
    if (old === table) return;
    this.#streams.endUnder(old);
    await old.idle();
  }

  /** Returns the port, which the system chose where 0 was asked for. Throws when it cannot be had. */
  listen(): number {
    const { host, port } = splitHostPort(this.#parts.listen);
    this.#app.listen(host, port, (socket) => {
      if (socket !== false) this.#listener = socket;
    });
    if (this.#listener === undefined) throw new Error(`cannot listen on ${host}:${port}`);
    return uWS.us_socket_local_port(this.#listener);
  }

  /** Rejects when another program has the port, or another Hostkeep, with which uWS would share it. */
  async assertPortFree(): Promise<void> {
    const { host, port } = splitHostPort(this.#parts.listen);
    const probe = createServer();
    await new Promise<void>((resolve, reject) => {
      probe.once('error', (cause) => reject(new Error(`cannot listen on ${host}:${port}; is another program using the port?`, { cause })));
      probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
    });
  }

  /** Answers what was accepted, tells each client to close its connection, and then closes what is left. */
  async close(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve)); // connections that wait to be accepted are, right before this
    if (this.#listener !== undefined) uWS.us_listen_socket_close(this.#listener);
    this.#listener = undefined;
    this.#flow.isDraining = true;
    this.#streams.close();
    await this.#table.idle();
    await new Promise((resolve) => setImmediate(resolve)); // what the kernel has already read is answered first
    this.#app.close();
  }

  #slot(method: keyof typeof REGISTER, path: string): Slot {
    const to = pattern(path);
    let slot = this.#slots.get(`${method} ${to}`);
    if (slot !== undefined) return slot;
    slot = { route: undefined };
    this.#slots.set(`${method} ${to}`, slot);
    this.#register(slot, method, to);
    if (!this.#patterns.has(to)) this.#app.any(to, (res, req) => this.#flow.refuse(to, this.#table, res, req));
    this.#patterns.add(to);
    return slot;
  }

  #register(slot: Slot, method: keyof typeof REGISTER, to: string): void {
    const rest = to.indexOf('*');
    const parameters = [...to.matchAll(/:p/g)].map((_, i) => i);
    const readParams: ReadParams = (req) => (rest < 0 ? parameters.map((i) => req.getParameter(i)) : [req.getUrl().slice(rest)]);
    this.#app[REGISTER[method]](to, (res, req) => {
      if (slot.route === undefined || this.#table.closed !== undefined) this.#flow.refuse(to, this.#table, res, req);
      else this.#flow.serve(slot.route, this.#table, res, req, method === 'HEAD', readParams);
    });
  }
}
