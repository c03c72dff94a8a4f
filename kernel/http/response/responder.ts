import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { performance } from 'node:perf_hooks'; // faster than the global, whose getter runs at every access
import { fail, HttpError } from '../../errors.ts';
import { LogThrottle, type Log } from '../../log.ts';
import { Reply, Stream } from '../../contract/reply.ts';
import { WebSocketReply } from '../../contract/web-socket.ts';
import type { CompiledRoute } from '../compiled-route.ts';
import type { RequestContext } from '../request-context.ts';
import { nextRequestId } from '../request-id.ts';
import type { UwsResponse } from '../uws.ts';
import { problem, type ErrorTexts } from './problem-details.ts';
import { write, writeStreamHead, type Content, type Headers, type WriteOptions } from './response-writer.ts';
import type { Streams } from './streams.ts';

export interface ResponderParts {
  readonly log: Log;
  /** Returns what an error says in a language. */
  readonly textsOf: (locale: string, error: HttpError) => ErrorTexts;
  /** Returns the language for a client without an account, by its header `Accept-Language`. */
  readonly languageOf: (acceptLanguage: string) => string;
  /** Validates every JSON reply against its schema, for tests; a mismatch becomes a 500. */
  readonly checkReplies: boolean;
}

const JSON_TYPE = 'application/json';
const PROBLEM = 'application/problem+json';
const NONE: Headers = [];

/** Turns what a handler returned or threw into one response, and counts and logs the request. */
export class Responder {
  /** Whether replies ask the client to close its connection. */
  isDraining = false;
  readonly #parts: ResponderParts;
  readonly #streams: Streams;
  readonly #logThrottle = new LogThrottle();

  constructor(parts: ResponderParts, streams: Streams) {
    this.#parts = parts;
    this.#streams = streams;
  }

  /** Answers a request that no route handles; `acceptLanguage` is its header. */
  refuse(
    res: UwsResponse,
    error: HttpError,
    { acceptLanguage, ...options }: Omit<WriteOptions, 'close' | 'requestId'> & { readonly acceptLanguage: string },
  ): void {
    const { textsOf, languageOf } = this.#parts;
    const requestId = nextRequestId();
    const { status, headers, body } = problem(error, requestId, textsOf(languageOf(acceptLanguage), error));
    write(res, status, { type: PROBLEM, headers, body }, { ...options, close: this.isDraining, requestId });
  }

  /** Answers with what a handler returned. */
  finish(context: RequestContext, res: UwsResponse, value: unknown): void {
    try {
      if (value instanceof Stream) return this.#startStream(context, res, value);
      if (value instanceof WebSocketReply) return this.#upgrade(context, res, value);
      const { info } = context.route;
      if (this.#parts.checkReplies) checkReply(context.route, value);
      const content =
        value instanceof Reply
          ? value
          : { type: JSON_TYPE, status: undefined, headers: NONE, body: JSON.stringify(value) };
      const status = content.status ?? info.status ?? 200;
      write(res, status, status === 201 ? located(context, value, content) : content, this.#options(context));
      this.settle(context, status);
    } catch (error) {
      this.fail(context, res, error);
    }
  }

  /** Answers with an error; any but an `HttpError` is 500 `internal_error`, and its cause goes to the log only. */
  fail(context: RequestContext, res: UwsResponse, cause: unknown): void {
    const error =
      cause instanceof HttpError ? cause : fail.internal_error('the request could not be completed', { cause });
    const { log, textsOf, languageOf } = this.#parts;
    const { account, acceptLanguage, session } = context;
    const isPerson = account !== undefined && session?.grant === undefined; // a program reads what an API token opens
    const language = isPerson ? account.locale : languageOf(acceptLanguage);
    const { status, headers, body } = problem(error, context.requestId, textsOf(language, error));
    const route = `${context.route.info.plugin}.${context.route.info.name}`;
    // Every internal error is logged. Clients poll on while an external service is down, so those errors are throttled.
    if (status === 500 || (status > 500 && this.#logThrottle.isDue(route)))
      log[status === 500 ? 'error' : 'warn'](
        { request_id: context.requestId, route, err: error.cause ?? error },
        error.message,
      );
    const isHuge = status === 413 && context.incoming === undefined; // the rest of what should have been JSON
    write(res, status, { type: PROBLEM, headers, body }, this.#options(context, this.isDraining || isHuge));
    this.settle(context, status);
  }

  /** Counts and logs a request that was answered, or 499 for one whose client went away. */
  settle(context: RequestContext, status: number): void {
    const ms = performance.now() - context.startedMs;
    const { info } = context.route;
    info.traffic.count(status, ms);
    if (!isLogged(context)) return;
    const { log } = this.#parts;
    const line = {
      request_id: context.requestId,
      method: info.method,
      path: info.paths[0],
      status,
      ms: Math.round(ms * 10) / 10,
      account: context.account?.username,
      token: context.session?.grant === undefined ? undefined : context.session.id,
      ip: context.ip,
    };
    if (info.method === 'GET') log.debug(line, 'read');
    else log.info(line, 'change');
  }

  #options(context: RequestContext, close = this.isDraining): WriteOptions {
    const { isHead, additions } = context;
    const requestId = isLogged(context) ? context.requestId : context.knownRequestId;
    return { isHead, additions, close, requestId };
  }

  #upgrade(context: RequestContext, res: UwsResponse, reply: WebSocketReply): void {
    const { handshake } = context;
    if (handshake === undefined)
      throw fail.upgrade_required('this is a WebSocket: connect as one', { headers: { Upgrade: 'websocket' } });
    this.#streams.upgrade(context, res, handshake, reply, () => this.settle(context, 101));
  }

  #startStream(context: RequestContext, res: UwsResponse, stream: Stream): void {
    writeStreamHead(res, stream, context.additions, context.requestId);
    const settle = () => this.settle(context, stream.status);
    if (!context.isHead) return this.#streams.start(context, res, stream, settle);
    if (stream.sizeBytes !== undefined) res.writeHeader('Content-Length', String(stream.sizeBytes));
    res.endWithoutBody();
    settle();
    context.abort(); // another node may be about to send what nobody reads
    stream.discard();
  }
}

/** Whether the log has a line about the request when it is answered. */
const isLogged = ({ route, table }: RequestContext): boolean => route.info.method !== 'GET' || table.logsReads;

/** Adds the header `Location` to the answer about something that was made, if a route shows it. */
function located({ route, table }: RequestContext, value: unknown, content: Content): Content {
  if (content.headers.some(([name]) => name.toLowerCase() === 'location')) return content; // from another node
  const path = table.placeOf(route, value instanceof Reply ? JSON.parse(String(value.body)) : value);
  return path === undefined ? content : { ...content, headers: [...content.headers, ['Location', path]] };
}

function decoded({ body, headers }: Reply): string {
  const coding = headers.find(([name]) => name === 'Content-Encoding')?.[1];
  const bytes = Buffer.from(body);
  return String(coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes);
}

function checkReply(route: CompiledRoute, value: unknown): void {
  const { status = route.info.status ?? 200, type } = value instanceof Reply ? value : { type: JSON_TYPE };
  if (type !== JSON_TYPE || status === 304 || status === 204) return;
  const issue = route.replyIssue(status, value instanceof Reply ? JSON.parse(decoded(value)) : value);
  if (issue !== undefined)
    throw new Error(`the reply of ${route.info.plugin}.${route.info.name} does not fit its schema: ${issue}`);
}
