import { BodyStream } from './body-stream.ts';
import { collect, readFraming, parseJson } from './request-body.ts';
import { fail, HttpError, invalid, unauthenticated } from '../errors.ts';
import { RequestContext, type Handshake } from './request-context.ts';
import { pageSession } from './origin/page-session.ts';
import type { Address, Call } from '../contract/route-spec.ts';
import { Stream } from '../contract/reply.ts';
import { WebSocketReply } from '../contract/web-socket.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Session, Sessions } from '../identity/gate/sessions.ts';
import type { Streams } from './response/streams.ts';
import type { RoutingTable } from './routing-table.ts';
import type { UwsRequest, UwsResponse } from './uws.ts';
import { writeNothing } from './response/response-writer.ts';
import { Responder, type ResponderParts } from './response/responder.ts';

const BODY_LIMIT_BYTES = 64 * 1024;

export interface PipelineParts extends ResponderParts {
  readonly address: Address;
  readonly sessions: Sessions;
}

/** Reads the raw path parameters of a route's pattern. */
export type ReadParams = (req: UwsRequest) => readonly string[];

const AUTHORIZATION = Buffer.from('authorization');
const HOST = Buffer.from('host');
/** Values of If-Match that hold of whatever exists. */
const ANY_OR_NONE: ReadonlySet<string> = new Set(['', '*']);
const ACCEPT_LANGUAGE = Buffer.from('accept-language');

/** Processes requests: host and framing checks, authentication, authorization, schemas, handler, and a single write. */
export class RequestPipeline {
  readonly #parts: PipelineParts;
  readonly #streams: Streams;
  readonly #responder: Responder;
  /** Requests whose reply takes more than one turn of the event loop. */
  readonly #running = new Map<RequestContext, UwsResponse>();

  constructor(parts: PipelineParts, streams: Streams) {
    this.#parts = parts;
    this.#streams = streams;
    this.#responder = new Responder(parts, streams);
  }

  /** From now on, each reply asks the client to close its connection. */
  drain(): void {
    this.#responder.isDraining = true;
  }

  /** Answers what no route handles: a CORS preflight, or with an error. `of` is the pattern that matched. */
  refuse(of: string, table: RoutingTable, res: UwsResponse, req: UwsRequest): void {
    if (readFraming(req) === 'ambiguous') return void res.close();
    const [method, misdirection] = [req.getMethod(), misdirected(table, req)];
    const isPreflight =
      misdirection === undefined && method === 'options' && req.getHeader('access-control-request-method') !== '';
    const permission = isPreflight ? table.preflight(of, req.getHeader('origin')) : undefined;
    if (permission !== undefined) return writeNothing(res, permission);
    this.#responder.refuse(res, misdirection ?? table.refusal(of), {
      acceptLanguage: req.getHeader(ACCEPT_LANGUAGE),
      isHead: method === 'head',
      additions: table.additions(req),
    });
  }

  /** Serves a route. Reads all that the schemas name before the first await: uWS's request ends with this call. */
  serve(
    route: CompiledRoute,
    table: RoutingTable,
    res: UwsResponse,
    req: UwsRequest,
    isHead: boolean,
    readParams: ReadParams,
    handshake?: Handshake,
  ): void {
    const framing = readFraming(req);
    if (framing === 'ambiguous') return void res.close(); // what follows on the connection may be a smuggled request
    const context = new RequestContext(
      route,
      table,
      this.#parts.address,
      isHead,
      res,
      req,
      route.info.headers && readHeaders(req, route.info.headers),
    );
    context.hasBody = framing === 'body';
    context.handshake = handshake;
    try {
      this.#receive(context, res, req, readParams);
    } catch (error) {
      this.#responder.fail(context, res, error); // uWS ends the process if a handler neither answers nor waits
    }
  }

  /** Answers every request in progress with 500. Its handler goes on, with nobody to answer. */
  failAll(cause: unknown): void {
    for (const [context, res] of this.#running) {
      this.#failLater(context, res, cause);
      context.abort();
    }
  }

  #receive(context: RequestContext, res: UwsResponse, req: UwsRequest, readParams: ReadParams): void {
    const { route, table } = context;
    const { info } = route;
    context.additions = table.additions(req);
    if (info.method !== 'GET' || table.logsReads) void context.ip; // for the log: a closed socket has no address
    if (route.paramNames.length > 0) context.rawParams = readParams(req);
    context.rawQuery = req.getQuery() ?? '';
    if (route.hasNoTag) context.namesTag = !ANY_OR_NONE.has(req.getHeader('if-match'));
    let authorization = route.isGuest ? '' : req.getHeader(AUTHORIZATION);
    if (authorization === '') {
      context.page = pageSession(req, res, table, this.#parts, context.handshake !== undefined);
      if (!route.isGuest) authorization = context.page?.authorization ?? '';
    }
    context.authorization = authorization;
    const session = route.isGuest ? undefined : this.#parts.sessions.remembered(authorization);
    if (session?.cell.account === undefined || session.grant !== undefined)
      context.acceptLanguage = req.getHeader(ACCEPT_LANGUAGE);
    const misdirection = misdirected(table, req);
    if (misdirection !== undefined) return this.#responder.fail(context, res, misdirection);
    if (!route.hasBody && session?.cell.account !== undefined) return this.#answerAtOnce(context, res, session);
    this.#follow(context, res);
    const contentType = route.hasBody ? req.getHeader('content-type') : '';
    const length = route.hasBody ? req.getHeader('content-length') : '';
    if (route.takesBytes)
      context.incoming = new BodyStream(res, context.signal, length === '' ? undefined : Number(length));
    const body =
      route.hasBody && !route.takesBytes ? collect(res, context.signal, BODY_LIMIT_BYTES, Number(length)) : undefined;
    void this.#answerLater(context, res, contentType, body);
  }

  /** The fast path: answers without a promise if the token is cached and the handler returns a plain value. */
  #answerAtOnce(context: RequestContext, res: UwsResponse, session: Session): void {
    try {
      if (session.cell.account !== undefined) this.#admit(context, session, session.cell.account);
      const result = this.#handle(context);
      if (!(result instanceof Promise)) {
        if (result instanceof Stream) this.#watchAbort(context, res);
        return this.#responder.finish(context, res, result);
      }
      this.#follow(context, res);
      result.then(
        (value) => this.#finishLater(context, res, value),
        (error: unknown) => this.#failLater(context, res, error),
      );
    } catch (error) {
      this.#responder.fail(context, res, error);
    }
  }

  async #answerLater(
    context: RequestContext,
    res: UwsResponse,
    contentType: string,
    body: Promise<Uint8Array> | undefined,
  ): Promise<void> {
    const { route } = context;
    try {
      if (!route.isGuest) {
        const known = await this.#parts.sessions.authenticate(context.authorization);
        if (known === undefined) throw unauthenticated();
        this.#admit(context, known.session, known.account);
      }
      if (body !== undefined) {
        if (!context.hasBody) throw invalid('body', [{ path: '', message: 'is missing: send JSON' }]);
        if (!/^application\/json\s*(;|$)/i.test(contentType))
          throw fail.unsupported_media_type('send the body as application/json');
        context.body = route.body(parseJson(await body));
      }
      if (context.incoming !== undefined) context.body = context.incoming;
      this.#finishLater(context, res, await this.#handle(context));
    } catch (error) {
      this.#failLater(context, res, error);
    }
  }

  /** Errors: 401 for an API token from outside its networks; see `CompiledRoute.authorize`. */
  #admit(context: RequestContext, session: Session, account: Account): void {
    const { route, table } = context;
    if (session.grant !== undefined && !this.#parts.sessions.admits(session, context)) throw unauthenticated();
    context.session = session;
    context.account = account;
    route.authorize(account, table.usersMayEnter, session.grant);
  }

  #handle(context: RequestContext): unknown {
    const { route, table } = context;
    if (context.hasBody && route.info.method === 'GET')
      throw fail.invalid_request('a GET request takes no body: send its values in the query of the URL');
    if (route.paramNames.length > 0) context.params = route.params(context.rawParams);
    if (route.info.query !== undefined || context.rawQuery !== '') context.query = route.query(context.rawQuery);
    if (context.namesTag) throw fail.no_entity_tag('this has no ETag, so send no If-Match');
    const call = context as unknown as Call;
    if (route.info.at === undefined) return route.handle(call);
    return table.dispatch(route.info, context, context.authorization, () => route.handle(call));
  }

  /**
   * Lets a reply take its time. Until it is written, uWS closes the connection at the next request that arrives on it (its
   * HttpContext.h): pipelined requests are answered only while each reply is ready at once. Pausing the socket would not help,
   * because the next request is mostly in the same segment, and would hide that the client disconnected.
   */
  #follow(context: RequestContext, res: UwsResponse): void {
    context.table.enter();
    this.#running.set(context, res);
    this.#watchAbort(context, res);
  }

  #watchAbort(context: RequestContext, res: UwsResponse): void {
    if (!context.table.proxies.isEmpty) void context.ip; // while the header that names it can be read
    res.onAborted(() => {
      context.abort();
      this.#streams.endOf(context);
    });
  }

  #finishLater(context: RequestContext, res: UwsResponse, value: unknown): void {
    if (context.isAborted && value instanceof Stream) value.discard();
    const isUpgrade = value instanceof WebSocketReply && context.handshake !== undefined;
    this.#conclude(context, res, () => this.#responder.finish(context, res, value), isUpgrade);
  }

  #failLater(context: RequestContext, res: UwsResponse, error: unknown): void {
    this.#conclude(context, res, () => this.#responder.fail(context, res, error));
  }

  /**
   * At its end, `cork` closes some of the connections that became WebSockets in it: it reads memory that the upgrade has freed
   * (uWebSockets, pull request 1929). Without it uWS warns of several writes, and does all of them.
   */
  #conclude(context: RequestContext, res: UwsResponse, answer: () => void, isUpgrade = false): void {
    if (!this.#running.delete(context)) return; // answered when the server failed
    if (!context.isAborted) context.incoming?.leave();
    if (context.isAborted) this.#responder.settle(context, 499);
    else if (isUpgrade) answer();
    else res.cork(answer);
    context.table.leave();
  }
}

function misdirected({ hosts }: RoutingTable, req: UwsRequest): HttpError | undefined {
  if (hosts === undefined || hosts.allows(req.getHeader(HOST))) return undefined;
  return fail.host_not_allowed('the Host header names no host of this server; see admin_hosts in the configuration');
}

function readHeaders(req: UwsRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, req.getHeader(name)]));
}
