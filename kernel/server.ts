import uWS, { type HttpRequest, type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { addressText, Addresses, clientAddress, HostGuard } from './address.ts';
import { splitHostPort, type Config } from './config.ts';
import { HttpError } from './errors.ts';
import { Exchange, nextRequestId } from './exchange.ts';
import { parseJson } from './json.ts';
import type { Log } from './log.ts';
import type { Address } from './plugin.ts';
import { problem, STATUS_LINES } from './problem.ts';
import { Reply, Stream } from './reply.ts';
import { methodsOf, pattern, unauthenticated, type LiveRoute } from './routes.ts';
import type { Session, Sessions } from './sessions.ts';
import { OpenStream, type Wire } from './stream.ts';

export interface ServerParts {
  readonly config: Config;
  readonly address: Address;
  readonly routes: readonly LiveRoute[];
  readonly sessions: Sessions;
  readonly log: Log;
  readonly titleOf: (locale: string, code: HttpError['code']) => string;
  /** Checks every JSON reply against its schema, for tests: what does not fit becomes a 500. */
  readonly checkReplies: boolean;
}

type Headers = readonly (readonly [string, string])[];
/** On every reply. What an account sees is nobody else's, and so in no shared cache. */
const FIXED: Headers = [['Cache-Control', 'no-store'], ['X-Content-Type-Options', 'nosniff']];
const CONTROL = /[\u0000-\u001f\u007f]/;
/** How long a stopping server waits for answers that are being made. */
const DRAIN_MS = 30_000;
const STREAM_CHECK_MS = 1000;

/** One address: routes on uWebSockets.js's router, and the way of a request through gate, schemas and handler to one write. */
export class Server {
  readonly #parts: ServerParts;
  readonly #app: TemplatedApp;
  readonly #proxies: Addresses;
  readonly #hosts: HostGuard | undefined;
  readonly #usersMayEnter: boolean;
  readonly #streams = new Map<OpenStream, Session | undefined>();
  #listener: us_listen_socket | undefined;
  #port: number | undefined;
  #pending = 0;
  #onIdle: (() => void) | undefined;
  #isDraining = false;
  #streamTimer: NodeJS.Timeout | undefined;

  constructor(parts: ServerParts) {
    const { config, address, routes } = parts;
    this.#parts = parts;
    this.#app = config.tls.cert === '' ? uWS.App() : uWS.SSLApp({ cert_file_name: config.tls.cert, key_file_name: config.tls.key });
    this.#proxies = new Addresses(config.trusted_proxies);
    this.#hosts = address === 'admin' ? new HostGuard(config.admin_hosts) : undefined;
    this.#usersMayEnter = routes.some((route) => route.info.access === 'feature');
    const isClosed = address === 'user' && config.edition === 'community';
    if (isClosed) this.#refuseAll(new HttpError('edition_required', 'the end-user API is part of the enterprise edition'));
    else this.#register();
  }

  /** The port that it listens on; port 0 of the configuration takes a free one. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Throws when the port is taken. */
  listen(): void {
    const { address, config } = this.#parts;
    const { host, port } = splitHostPort(address === 'user' ? config.listen : config.admin_listen);
    const listen = this.#app.listen.bind(this.#app) as unknown as (h: string, p: number, option: number, cb: (socket: us_listen_socket | false) => void) => void;
    listen(host, port, uWS.ListenOptions?.LIBUS_LISTEN_EXCLUSIVE_PORT ?? 1, (socket) => {
      if (socket !== false) this.#listener = socket;
    });
    if (this.#listener === undefined) throw new Error(`cannot listen on ${host}:${port}; is another program using the port?`);
    clearInterval(this.#streamTimer);
    this.#streamTimer = setInterval(() => void this.#checkStreams(), STREAM_CHECK_MS).unref();
    this.#port = uWS.us_socket_local_port(this.#listener);
  }

  /** Takes no new connections. */
  stopListening(): void {
    if (this.#listener !== undefined) uWS.us_listen_socket_close(this.#listener);
    this.#listener = undefined;
  }

  /** Answers what was accepted, tells each client to close its connection, and then closes what is left. */
  async close(): Promise<void> {
    this.stopListening();
    this.#isDraining = true;
    clearInterval(this.#streamTimer);
    for (const stream of [...this.#streams.keys()]) stream.end();
    if (this.#pending > 0) {
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, DRAIN_MS);
        this.#onIdle = () => {
          clearTimeout(limit);
          resolve();
        };
      });
    }
    await new Promise((resolve) => setImmediate(resolve)); // what the kernel has already read is answered first
    this.#app.close();
  }

  #register(): void {
    const byPath = new Map<string, LiveRoute[]>();
    for (const route of this.#parts.routes) {
      for (const path of route.info.paths) {
        byPath.set(pattern(path), [...(byPath.get(pattern(path)) ?? []), route]);
        this.#registerRoute(route, path);
      }
    }
    for (const [path, routes] of byPath) {
      const allow = methodsOf(routes.map((route) => route.info)).join(', ');
      const error = new HttpError('method_not_allowed', `this path answers ${allow}`, { headers: { Allow: allow } });
      this.#app.any(path, (res, req) => this.#refuse(res, req, error));
    }
    this.#refuseAll(new HttpError('not_found', 'there is nothing at this path'));
  }

  #registerRoute(route: LiveRoute, path: string): void {
    const prefix = path.indexOf('*');
    const read = (req: HttpRequest): readonly string[] => (prefix < 0 ? route.paramNames.map((_, i) => req.getParameter(i)) : [req.getUrl().slice(prefix)]);
    const serve = (isHead: boolean) => (res: HttpResponse, req: HttpRequest) => this.#serve(route, res, req, isHead, read);
    const { method } = route.info;
    const register = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'del' } as const;
    this.#app[register[method]](pattern(path), serve(false));
    if (method === 'GET') this.#app.head(pattern(path), serve(true));
  }

  #refuseAll(error: HttpError): void {
    this.#app.any('/*', (res, req) => this.#refuse(res, req, error));
  }

  #refuse(res: HttpResponse, req: HttpRequest, error: HttpError): void {
    const isHead = req.getMethod() === 'head';
    const { status, headers, body } = problem(this.#guardHost(req) ?? error, nextRequestId(), (code) => this.#parts.titleOf('en', code));
    this.#write(res, status, 'application/problem+json', headers, body, isHead);
  }

  #guardHost(req: HttpRequest): HttpError | undefined {
    if (this.#hosts === undefined || this.#hosts.allows(req.getHeader('host'))) return undefined;
    return new HttpError('host_not_allowed', 'the Host header names no host of this server; see admin_hosts in the configuration');
  }

  /** All that the schemas name is read here, before anything is awaited, because uWS's request ends with this call. */
  #serve(route: LiveRoute, res: HttpResponse, req: HttpRequest, isHead: boolean, readParams: (req: HttpRequest) => readonly string[]): void {
    const { info } = route;
    const exchange = new Exchange(route, this.#parts.address, isHead, info.headers && readHeaders(req, info.headers), this.#ipReader(res, req));
    if (route.paramNames.length > 0) exchange.rawParams = readParams(req);
    if (info.query !== undefined) exchange.rawQuery = req.getQuery();
    const authorization = route.isGuest ? '' : req.getHeader('authorization');
    const session = route.isGuest ? undefined : this.#parts.sessions.remembered(authorization);
    const misdirected = this.#guardHost(req);
    if (misdirected !== undefined) return this.#fail(exchange, res, misdirected);
    if (!route.hasBody && session?.cell.account !== undefined) return this.#answerAtOnce(exchange, res, session);
    if (info.method !== 'GET') void exchange.ip; // a change is logged with its address, also when the client has gone by then
    this.#follow(exchange, res);
    const contentType = route.hasBody ? req.getHeader('content-type') : '';
    const body = route.hasBody ? collect(res, exchange, route.bodyLimitBytes, Number(req.getHeader('content-length'))) : undefined;
    void this.#answerLater(exchange, res, authorization, contentType, body);
  }

  /** The fast path: a remembered token and a plain value are answered without a promise. */
  #answerAtOnce(exchange: Exchange, res: HttpResponse, session: Session): void {
    try {
      exchange.session = session;
      exchange.account = session.cell.account;
      if (exchange.account !== undefined) exchange.route.admit(exchange.account, exchange.address, this.#usersMayEnter);
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
        route.admit(known.account, this.#parts.address, this.#usersMayEnter);
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
    this.#pending += 1;
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
    this.#release();
  }

  #failLater(exchange: Exchange, res: HttpResponse, error: unknown): void {
    if (exchange.isAborted) this.#settle(exchange, 499);
    else res.cork(() => this.#fail(exchange, res, error));
    this.#release();
  }

  #release(): void {
    this.#pending -= 1;
    if (this.#pending === 0) this.#onIdle?.();
  }

  #finish(exchange: Exchange, res: HttpResponse, value: unknown): void {
    try {
      if (value instanceof Stream) return this.#startStream(exchange, res, value);
      const { info } = exchange.route;
      if (this.#parts.checkReplies) checkReply(exchange.route, value);
      if (value instanceof Reply) this.#write(res, value.status ?? info.status ?? 200, value.type, value.headers, value.body, exchange.isHead);
      else this.#write(res, info.status ?? 200, 'application/json', [], JSON.stringify(value), exchange.isHead);
      this.#settle(exchange, value instanceof Reply ? (value.status ?? info.status ?? 200) : (info.status ?? 200));
    } catch (error) {
      this.#fail(exchange, res, error);
    }
  }

  #fail(exchange: Exchange, res: HttpResponse, cause: unknown): void {
    const error = cause instanceof HttpError ? cause : new HttpError('internal_error', 'the request could not be completed', { cause });
    const { log, titleOf } = this.#parts;
    const { status, headers, body } = problem(error, exchange.requestId, (code) => titleOf(exchange.account?.locale ?? 'en', code));
    if (status >= 500) log.error({ request_id: exchange.requestId, route: `${exchange.route.info.plugin}.${exchange.route.info.name}`, err: error.cause ?? error }, error.message);
    this.#write(res, status, 'application/problem+json', headers, body, exchange.isHead, status === 413);
    this.#settle(exchange, status);
  }

  /** The one writer. A header that holds control bytes is refused, because uWS would send them. */
  #write(res: HttpResponse, status: number, type: string, headers: Headers, body: string | Uint8Array, isHead: boolean, close = this.#isDraining): void {
    for (const [name, value] of headers) if (CONTROL.test(name) || CONTROL.test(value)) throw new Error(`control character in the reply header ${JSON.stringify(name)}`);
    if (status !== 200) res.writeStatus(STATUS_LINES[status] ?? String(status));
    res.writeHeader('Content-Type', type);
    for (const [name, value] of FIXED) if (headers.length === 0 || !headers.some(([other]) => other === name)) res.writeHeader(name, value);
    for (const [name, value] of headers) res.writeHeader(name, value);
    if (isHead) res.endWithoutBody(Buffer.byteLength(body), close);
    else if (status === 304) res.endWithoutBody(undefined, close);
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
    res.writeHeader('Content-Type', stream.type);
    for (const [name, value] of [...FIXED, ...stream.headers]) res.writeHeader(name, value);
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

  #ipReader(res: HttpResponse, req: HttpRequest): () => string {
    if (this.#proxies.isEmpty) return () => addressText(new Uint8Array(res.getRemoteAddress()));
    const forwardedFor = req.getHeader('x-forwarded-for');
    return () => clientAddress(addressText(new Uint8Array(res.getRemoteAddress())), forwardedFor, this.#proxies);
  }
}

function readHeaders(req: HttpRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name)]));
}

/** The body once it is complete; refused as soon as it is, or says that it will be, over the limit. */
function collect(res: HttpResponse, exchange: Exchange, limitBytes: number, announcedBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(new HttpError('body_too_large', `a body here has at most ${limitBytes} bytes`));
    const chunks: Buffer[] = [];
    let size = 0;
    if (announcedBytes > limitBytes) tooLarge();
    exchange.signal.addEventListener('abort', () => reject(new Error('the client went away')), { once: true });
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > limitBytes || announcedBytes > limitBytes) return tooLarge();
      chunks.push(Buffer.from(chunk.slice(0))); // uWS takes its memory back when this returns
      if (isLast) resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
  });
}

function checkReply(route: LiveRoute, value: unknown): void {
  if (value instanceof Reply && value.type !== 'application/json') return;
  const issue = route.replyIssues(value instanceof Reply ? JSON.parse(Buffer.from(value.body).toString('utf8')) : value);
  if (issue !== undefined) throw new Error(`the reply of ${route.info.plugin}.${route.info.name} does not fit its schema: ${issue}`);
}
