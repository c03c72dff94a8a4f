import { createServer } from 'node:net';
import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { collect } from './body.ts';
import { splitHostPort, type Config } from './config.ts';
import { HttpError } from './errors.ts';
import { Exchange, nextRequestId } from './exchange.ts';
import { assertHeaders, writeEach, writeFixed, writeHeaders, type Headers } from './headers.ts';
import { parseJson } from './json.ts';
import type { Log } from './log.ts';
import type { Address } from './plugin.ts';
import { problem, STATUS_LINES } from './problem.ts';
import { Reply, Stream } from './reply.ts';
import { pattern, unauthenticated, type LiveRoute } from './routes.ts';
import type { Session, Sessions } from './sessions.ts';
import { OpenStream, type Wire } from './stream.ts';
import type { RouteTable } from './table.ts';

export interface ServerParts {
  readonly address: Address;
  /** host:port */
  readonly listen: string;
  readonly tls: Config['tls'];
  readonly sessions: Sessions;
  readonly log: Log;
  readonly titleOf: (locale: string, code: HttpError['code']) => string;
  /** Checks every JSON reply against its schema, for tests: what does not fit becomes a 500. */
  readonly checkReplies: boolean;
}

const STREAM_CHECK_MS = 1000;
const UNAVAILABLE_LOG_MS = 10_000;
const REGISTER = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del', HEAD: 'head' } as const;

/** Where a method and a pattern lead at the moment. uWS's router is told of each once; where it leads changes with the table. */
interface Slot {
  route: LiveRoute | undefined;
}

/** One address: uWebSockets.js's router, and the way of a request through gate, schemas and handler to one write. */
export class Server {
  readonly #parts: ServerParts;
  readonly #app: TemplatedApp;
  readonly #slots = new Map<string, Slot>();
  readonly #patterns = new Set<string>();
  readonly #streams = new Map<OpenStream, Session | undefined>();
  readonly #lastUnavailable = new WeakMap<LiveRoute, number>();
  #table: RouteTable;
  #listener: us_listen_socket | undefined;
  #isDraining = false;
  #streamTimer: NodeJS.Timeout | undefined;

  constructor(parts: ServerParts, table: RouteTable) {
    const { cert, key } = parts.tls;
    this.#parts = parts;
    this.#app = cert === '' ? uWS.App() : uWS.SSLApp({ cert_file_name: cert, key_file_name: key });
    this.#app.any('/*', (res, req) => this.#refuse(res, req, '/*'));
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
    for (const stream of [...this.#streams.keys()]) if (stream.exchange.table === old) stream.end();
    await old.idle();
  }

  /** Returns the port, which the system chose where 0 was asked for. Throws when it cannot be had. */
  listen(): number {
    const { host, port } = splitHostPort(this.#parts.listen);
    this.#app.listen(host, port, (socket) => {
      if (socket !== false) this.#listener = socket;
    });
    if (this.#listener === undefined) throw new Error(`cannot listen on ${host}:${port}`);
    this.#streamTimer = setInterval(() => void this.#checkStreams(), STREAM_CHECK_MS).unref();
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
    this.#isDraining = true;
    clearInterval(this.#streamTimer);
    for (const stream of [...this.#streams.keys()]) stream.end();
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
    if (!this.#patterns.has(to)) this.#app.any(to, (res, req) => this.#refuse(res, req, to));
    this.#patterns.add(to);
    return slot;
  }

  #register(slot: Slot, method: keyof typeof REGISTER, to: string): void {
    const rest = to.indexOf('*');
    const parameters = [...to.matchAll(/:p/g)].map((_, i) => i);
    const readParams = (req: HttpRequest): readonly string[] => (rest < 0 ? parameters.map((i) => req.getParameter(i)) : [req.getUrl().slice(rest)]);
    this.#app[REGISTER[method]](to, (res, req) => {
      if (slot.route === undefined || this.#table.closed !== undefined) this.#refuse(res, req, to);
      else this.#serve(slot.route, res, req, method === 'HEAD', readParams);
    });
  }

  /** Answers where no route does: to a browser that asks before it sends, what it may; to all others, why not. */
  #refuse(res: HttpResponse, req: HttpRequest, to: string): void {
    const isHead = req.getMethod() === 'head';
    const misdirected = this.#guardHost(req);
    const isPreflight = misdirected === undefined && req.getMethod() === 'options' && req.getHeader('access-control-request-method') !== '';
    const permission = isPreflight ? this.#table.preflight(to, req.getHeader('origin')) : undefined;
    if (permission !== undefined) return this.#permit(res, permission);
    const { status, headers, body } = problem(misdirected ?? this.#table.refusal(to), nextRequestId(), (code) => this.#parts.titleOf('en', code));
    this.#write(res, status, 'application/problem+json', headers, body, this.#table.cors?.headers(req.getHeader('origin')), isHead);
  }

  #permit(res: HttpResponse, permission: Headers): void {
    res.writeStatus(STATUS_LINES[204] ?? '204');
    writeHeaders(res, permission);
    res.endWithoutBody();
  }

  #guardHost(req: HttpRequest): HttpError | undefined {
    const { hosts } = this.#table;
    if (hosts === undefined || hosts.allows(req.getHeader('host'))) return undefined;
    return new HttpError('host_not_allowed', 'the Host header names no host of this server; see admin_hosts in the configuration');
  }

  /** All that the schemas name is read here, before anything is awaited, because uWS's request ends with this call. */
  #serve(route: LiveRoute, res: HttpResponse, req: HttpRequest, isHead: boolean, readParams: (req: HttpRequest) => readonly string[]): void {
    const { info } = route;
    const table = this.#table;
    const exchange = new Exchange(route, table, this.#parts.address, isHead, res, table.proxies.isEmpty ? '' : req.getHeader('x-forwarded-for'), info.headers && readHeaders(req, info.headers));
    if (table.cors !== undefined) exchange.cors = table.cors.headers(req.getHeader('origin'));
    if (info.method !== 'GET' || this.#parts.log.isLevelEnabled('debug')) void exchange.ip; // it is logged when the answer is written, and the socket tells it no more
    if (route.paramNames.length > 0) exchange.rawParams = readParams(req);
    if (info.query !== undefined) exchange.rawQuery = req.getQuery() ?? ''; // undefined where there is no question mark, other than its types say
    const authorization = route.isGuest ? '' : req.getHeader('authorization');
    const session = route.isGuest ? undefined : this.#parts.sessions.remembered(authorization);
    const misdirected = this.#guardHost(req);
    if (misdirected !== undefined) return this.#fail(exchange, res, misdirected);
    if (!route.hasBody && session?.cell.account !== undefined) return this.#answerAtOnce(exchange, res, session);
    this.#follow(exchange, res);
    const contentType = route.hasBody ? req.getHeader('content-type') : '';
    const body = route.hasBody ? collect(res, exchange.signal, route.bodyLimitBytes, Number(req.getHeader('content-length'))) : undefined;
    void this.#answerLater(exchange, res, authorization, contentType, body);
  }

  /** The fast path: a remembered token and a plain value are answered without a promise. */
  #answerAtOnce(exchange: Exchange, res: HttpResponse, session: Session): void {
    try {
      exchange.session = session;
      exchange.account = session.cell.account;
      if (exchange.account !== undefined) exchange.route.admit(exchange.account, exchange.address, exchange.table.usersMayEnter);
      const result = this.#handle(exchange);
      if (!(result instanceof Promise)) {
        if (result instanceof Stream) this.#watchAbort(exchange, res);
        return this.#finish(exchange, res, result);
      }
      this.#follow(exchange, res);
      result.then((value) => this.#finishLater(exchange, res, value), (error: unknown) => this.#failLater(exchange, res, error));
    } catch (error) {
      this.#fail(exchange, res, error);
    }
  }

  async #answerLater(exchange: Exchange, res: HttpResponse, authorization: string, contentType: string, body: Promise<Uint8Array> | undefined): Promise<void> {
    const { route } = exchange;
    try {
      if (!route.isGuest) {
        const known = await this.#parts.sessions.resolve(authorization);
        if (known === undefined) throw unauthenticated();
        exchange.session = known.session;
        exchange.account = known.account;
        route.admit(known.account, this.#parts.address, exchange.table.usersMayEnter);
      }
      if (body !== undefined) {
        if (!/^application\/json\s*(;|$)/i.test(contentType)) throw new HttpError('unsupported_media_type', 'send the body as application/json');
        exchange.body = route.body(parseJson(await body));
      }
      this.#finishLater(exchange, res, await this.#handle(exchange));
    } catch (error) {
      this.#failLater(exchange, res, error);
    }
  }

  #handle(exchange: Exchange): unknown {
    const { route } = exchange;
    if (route.paramNames.length > 0) exchange.params = route.params(exchange.rawParams);
    if (route.info.query !== undefined) exchange.query = route.query(exchange.rawQuery);
    return route.handle(exchange as unknown as Parameters<LiveRoute['handle']>[0]);
  }

  #follow(exchange: Exchange, res: HttpResponse): void {
    exchange.table.enter();
    this.#watchAbort(exchange, res);
  }

  #watchAbort(exchange: Exchange, res: HttpResponse): void {
    res.onAborted(() => {
      exchange.abort();
      for (const stream of this.#streams.keys()) if (stream.exchange === exchange) stream.end();
    });
  }

  #finishLater(exchange: Exchange, res: HttpResponse, value: unknown): void {
    if (exchange.isAborted) this.#settle(exchange, 499);
    else res.cork(() => this.#finish(exchange, res, value));
    exchange.table.leave();
  }

  #failLater(exchange: Exchange, res: HttpResponse, error: unknown): void {
    if (exchange.isAborted) this.#settle(exchange, 499);
    else res.cork(() => this.#fail(exchange, res, error));
    exchange.table.leave();
  }

  #finish(exchange: Exchange, res: HttpResponse, value: unknown): void {
    try {
      if (value instanceof Stream) return this.#startStream(exchange, res, value);
      const { info } = exchange.route;
      if (this.#parts.checkReplies) checkReply(exchange.route, value);
      if (value instanceof Reply) this.#write(res, value.status ?? info.status ?? 200, value.type, value.headers, value.body, exchange.cors, exchange.isHead);
      else this.#write(res, info.status ?? 200, 'application/json', [], JSON.stringify(value), exchange.cors, exchange.isHead);
      this.#settle(exchange, value instanceof Reply ? (value.status ?? info.status ?? 200) : (info.status ?? 200));
    } catch (error) {
      this.#fail(exchange, res, error);
    }
  }

  #fail(exchange: Exchange, res: HttpResponse, cause: unknown): void {
    const error = cause instanceof HttpError ? cause : new HttpError('internal_error', 'the request could not be completed', { cause });
    const { log, titleOf } = this.#parts;
    const { status, headers, body } = problem(error, exchange.requestId, (code) => titleOf(exchange.account?.locale ?? 'en', code));
    if (status >= 500 && this.#isNews(exchange.route, status)) log[status === 500 ? 'error' : 'warn']({ request_id: exchange.requestId, route: `${exchange.route.info.plugin}.${exchange.route.info.name}`, err: error.cause ?? error }, error.message);
    this.#write(res, status, 'application/problem+json', headers, body, exchange.cors, exchange.isHead, status === 413);
    this.#settle(exchange, status);
  }

  /** Every fault of ours is logged; that something outside is not there, once in a while for a route, as clients poll it all the same. */
  #isNews(route: LiveRoute, status: number): boolean {
    const now = performance.now();
    if (status === 500) return true;
    if (now - (this.#lastUnavailable.get(route) ?? -UNAVAILABLE_LOG_MS) < UNAVAILABLE_LOG_MS) return false;
    this.#lastUnavailable.set(route, now);
    return true;
  }

  /** The one writer. A header that holds control bytes is refused, because uWS would send them. */
  #write(res: HttpResponse, status: number, type: string, headers: Headers, body: string | Uint8Array, cors: Headers | undefined, isHead: boolean, close = this.#isDraining): void {
    assertHeaders(headers);
    if (status !== 200) res.writeStatus(STATUS_LINES[status] ?? String(status));
    res.writeHeader('Content-Type', type);
    if (headers.length === 0) writeFixed(res);
    else writeHeaders(res, headers);
    if (cors !== undefined) writeEach(res, cors);
    // Given any argument, endWithoutBody never ends the reply, and the process dies of it.
    if (isHead) res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody();
    else if (status === 304) res.endWithoutBody();
    else res.end(body, close);
  }

  #settle(exchange: Exchange, status: number): void {
    const ms = performance.now() - exchange.startedMs;
    const { info } = exchange.route;
    info.traffic.count(status, ms);
    const { log } = this.#parts;
    if (info.method === 'GET' && !log.isLevelEnabled('debug')) return;
    const line = { request_id: exchange.requestId, method: info.method, path: info.paths[0], status, ms: Math.round(ms * 10) / 10, account: exchange.account?.username, ip: exchange.ip };
    if (info.method === 'GET') log.debug(line, 'read');
    else log.info(line, 'change');
  }

  #startStream(exchange: Exchange, res: HttpResponse, stream: Stream): void {
    assertHeaders(stream.headers);
    res.writeHeader('Content-Type', stream.type);
    writeHeaders(res, stream.headers);
    if (exchange.cors !== undefined) writeEach(res, exchange.cors);
    if (exchange.isHead) {
      res.endWithoutBody(undefined, this.#isDraining);
      return this.#settle(exchange, 200);
    }
    const open = new OpenStream(exchange, res as unknown as Wire, () => {
      this.#streams.delete(open);
      this.#settle(exchange, 200);
    });
    this.#streams.set(open, exchange.session);
    open.start(stream);
  }

  /** A stream ends with its session. */
  async #checkStreams(): Promise<void> {
    for (const [stream, session] of [...this.#streams]) if (session !== undefined && !(await this.#parts.sessions.isAlive(session))) stream.end();
  }
}

function readHeaders(req: HttpRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name)]));
}

function checkReply(route: LiveRoute, value: unknown): void {
  const { status = route.info.status ?? 200, type } = value instanceof Reply ? value : { type: 'application/json' };
  if (type !== 'application/json') return;
  const issue = route.replyIssue(status, value instanceof Reply ? JSON.parse(Buffer.from(value.body).toString('utf8')) : value);
  if (issue !== undefined) throw new Error(`the reply of ${route.info.plugin}.${route.info.name} does not fit its schema: ${issue}`);
}
