import { performance } from 'node:perf_hooks'; // the global is looked up by a getter each time
import { collect, isAmbiguous } from './body.ts';
import { HttpError } from './errors.ts';
import { Exchange, nextRequestId } from './exchange.ts';
import type { Headers } from './headers.ts';
import { parseJson } from './json.ts';
import type { Log } from './log.ts';
import type { Address } from './plugin.ts';
import { problem } from './problem.ts';
import { Reply, Stream } from './reply.ts';
import { unauthenticated, type LiveRoute } from './routes.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Streams } from './streams.ts';
import type { RouteTable } from './table.ts';
import type { WireRequest, WireResponse } from './wire.ts';
import { write, writeNothing, writeStreamHead, type Manner } from './writer.ts';

export interface FlowParts {
  readonly address: Address;
  readonly sessions: Sessions;
  readonly log: Log;
  readonly titleOf: (locale: string, code: HttpError['code']) => string;
  /** Checks every JSON reply against its schema, for tests: what does not fit becomes a 500. */
  readonly checkReplies: boolean;
}

/** Reads the raw path parameters of a route's pattern. */
export type ReadParams = (req: WireRequest) => readonly string[];

const UNAVAILABLE_LOG_MS = 10_000;
const JSON_TYPE = 'application/json';
const PROBLEM = 'application/problem+json';
const NONE: Headers = [];

/** The way of a request: gate, schemas, handler, and one write. */
export class RequestFlow {
  /** Whether each client is told to close its connection. */
  isDraining = false;
  readonly #parts: FlowParts;
  readonly #streams: Streams;
  readonly #lastUnavailable = new WeakMap<LiveRoute, number>();

  constructor(parts: FlowParts, streams: Streams) {
    this.#parts = parts;
    this.#streams = streams;
  }

  /** Answers where no route does: to a browser that asks before it sends, what it may; to all others, why not. `of` is the pattern that matched. */
  refuse(of: string, table: RouteTable, res: WireResponse, req: WireRequest): void {
    if (isAmbiguous(req)) return void res.close();
    const [method, stranger] = [req.getMethod(), misdirected(table, req)];
    const isPreflight =
      stranger === undefined && method === 'options' && req.getHeader('access-control-request-method') !== '';
    const permission = isPreflight ? table.preflight(of, req.getHeader('origin')) : undefined;
    if (permission !== undefined) return writeNothing(res, permission);
    const { status, headers, body } = problem(stranger ?? table.refusal(of), nextRequestId(), (code) =>
      this.#parts.titleOf('en', code),
    );
    write(
      res,
      status,
      { type: PROBLEM, headers, body },
      { isHead: method === 'head', additions: table.additions(req), close: this.isDraining },
    );
  }

  /** All that the schemas name is read here, before anything is awaited, because uWS's request ends with this call. */
  serve(
    route: LiveRoute,
    table: RouteTable,
    res: WireResponse,
    req: WireRequest,
    isHead: boolean,
    readParams: ReadParams,
  ): void {
    if (isAmbiguous(req)) return void res.close(); // what comes behind it may be a request of somebody else
    const { info } = route;
    const exchange = new Exchange(
      route,
      table,
      this.#parts.address,
      isHead,
      res,
      table.proxies.isEmpty ? '' : req.getHeader('x-forwarded-for'),
      info.headers && readHeaders(req, info.headers),
    );
    exchange.additions = table.additions(req);
    if (info.method !== 'GET' || table.logsReads) void exchange.ip; // it is logged when the answer is written, and the socket tells it no more
    if (route.paramNames.length > 0) exchange.rawParams = readParams(req);
    if (info.query !== undefined) exchange.rawQuery = req.getQuery() ?? '';
    const authorization = route.isGuest ? '' : req.getHeader('authorization');
    const session = route.isGuest ? undefined : this.#parts.sessions.remembered(authorization);
    const stranger = misdirected(table, req);
    if (stranger !== undefined) return this.#fail(exchange, res, stranger);
    if (!route.hasBody && session?.cell.account !== undefined) return this.#answerAtOnce(exchange, res, session);
    this.#follow(exchange, res);
    const contentType = route.hasBody ? req.getHeader('content-type') : '';
    const body = route.hasBody
      ? collect(res, exchange.signal, route.bodyLimitBytes, Number(req.getHeader('content-length')))
      : undefined;
    void this.#answerLater(exchange, res, authorization, contentType, body);
  }

  /** The fast path: a remembered token and a plain value are answered without a promise. */
  #answerAtOnce(exchange: Exchange, res: WireResponse, session: Session): void {
    try {
      exchange.session = session;
      exchange.account = session.cell.account;
      if (exchange.account !== undefined)
        exchange.route.admit(exchange.account, exchange.address, exchange.table.usersMayEnter);
      const result = this.#handle(exchange);
      if (!(result instanceof Promise)) {
        if (result instanceof Stream) this.#watchAbort(exchange, res);
        return this.#finish(exchange, res, result);
      }
      this.#follow(exchange, res);
      result.then(
        (value) => this.#finishLater(exchange, res, value),
        (error: unknown) => this.#failLater(exchange, res, error),
      );
    } catch (error) {
      this.#fail(exchange, res, error);
    }
  }

  async #answerLater(
    exchange: Exchange,
    res: WireResponse,
    authorization: string,
    contentType: string,
    body: Promise<Uint8Array> | undefined,
  ): Promise<void> {
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
        if (!/^application\/json\s*(;|$)/i.test(contentType))
          throw new HttpError('unsupported_media_type', 'send the body as application/json');
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

  #follow(exchange: Exchange, res: WireResponse): void {
    exchange.table.enter();
    this.#watchAbort(exchange, res);
  }

  #watchAbort(exchange: Exchange, res: WireResponse): void {
    res.onAborted(() => {
      exchange.abort();
      this.#streams.endOf(exchange);
    });
  }

  #finishLater(exchange: Exchange, res: WireResponse, value: unknown): void {
    if (exchange.isAborted) this.#settle(exchange, 499);
    else res.cork(() => this.#finish(exchange, res, value));
    exchange.table.leave();
  }

  #failLater(exchange: Exchange, res: WireResponse, error: unknown): void {
    if (exchange.isAborted) this.#settle(exchange, 499);
    else res.cork(() => this.#fail(exchange, res, error));
    exchange.table.leave();
  }

  #finish(exchange: Exchange, res: WireResponse, value: unknown): void {
    try {
      if (value instanceof Stream) return this.#startStream(exchange, res, value);
      const { info } = exchange.route;
      if (this.#parts.checkReplies) checkReply(exchange.route, value);
      const content =
        value instanceof Reply
          ? value
          : { type: JSON_TYPE, status: undefined, headers: NONE, body: JSON.stringify(value) };
      const status = content.status ?? info.status ?? 200;
      write(res, status, content, this.#manner(exchange));
      this.#settle(exchange, status);
    } catch (error) {
      this.#fail(exchange, res, error);
    }
  }

  #fail(exchange: Exchange, res: WireResponse, cause: unknown): void {
    const error =
      cause instanceof HttpError
        ? cause
        : new HttpError('internal_error', 'the request could not be completed', { cause });
    const { log, titleOf } = this.#parts;
    const { status, headers, body } = problem(error, exchange.requestId, (code) =>
      titleOf(exchange.account?.locale ?? 'en', code),
    );
    if (status >= 500 && this.#isNews(exchange.route, status))
      log[status === 500 ? 'error' : 'warn'](
        {
          request_id: exchange.requestId,
          route: `${exchange.route.info.plugin}.${exchange.route.info.name}`,
          err: error.cause ?? error,
        },
        error.message,
      );
    write(res, status, { type: PROBLEM, headers, body }, this.#manner(exchange, this.isDraining || status === 413));
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

  #settle(exchange: Exchange, status: number): void {
    const ms = performance.now() - exchange.startedMs;
    const { info } = exchange.route;
    info.traffic.count(status, ms);
    if (info.method === 'GET' && !exchange.table.logsReads) return;
    const { log } = this.#parts;
    const line = {
      request_id: exchange.requestId,
      method: info.method,
      path: info.paths[0],
      status,
      ms: Math.round(ms * 10) / 10,
      account: exchange.account?.username,
      ip: exchange.ip,
    };
    if (info.method === 'GET') log.debug(line, 'read');
    else log.info(line, 'change');
  }

  #manner({ isHead, additions }: Exchange, close = this.isDraining): Manner {
    return { isHead, additions, close };
  }

  #startStream(exchange: Exchange, res: WireResponse, stream: Stream): void {
    writeStreamHead(res, stream.type, stream.headers, exchange.additions);
    const settle = () => this.#settle(exchange, 200);
    if (!exchange.isHead) return this.#streams.start(exchange, res, stream, settle);
    res.endWithoutBody();
    settle();
  }
}

function misdirected({ hosts }: RouteTable, req: WireRequest): HttpError | undefined {
  if (hosts === undefined || hosts.allows(req.getHeader('host'))) return undefined;
  return new HttpError(
    'host_not_allowed',
    'the Host header names no host of this server; see admin_hosts in the configuration',
  );
}

function readHeaders(req: WireRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name)]));
}

function checkReply(route: LiveRoute, value: unknown): void {
  const { status = route.info.status ?? 200, type } = value instanceof Reply ? value : { type: JSON_TYPE };
  if (type !== JSON_TYPE) return;
  const issue = route.replyIssue(
    status,
    value instanceof Reply ? JSON.parse(Buffer.from(value.body).toString('utf8')) : value,
  );
  if (issue !== undefined)
    throw new Error(`the reply of ${route.info.plugin}.${route.info.name} does not fit its schema: ${issue}`);
}
