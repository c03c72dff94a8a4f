import { performance } from 'node:perf_hooks'; // faster than the global, whose getter runs at every access
import type { BodyStream } from './body-stream.ts';
import type { Account } from '../identity/accounts/account.ts';
import { ipText } from '../kit/net/ip.ts';
import type { Headers } from './response/response-writer.ts';
import type { PageSession } from './origin/page-session.ts';
import type { Address } from '../contract/route-spec.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { Session } from '../identity/gate/sessions.ts';
import { givenRequestId, nextRequestId } from './request-id.ts';
import type { RoutingTable } from './routing-table.ts';
import type { UwsRequest, UwsResponse, UwsSocketContext } from './uws.ts';

/** The request of a client for a WebSocket (RFC 6455, section 4.2). */
export interface Handshake {
  readonly key: string;
  readonly native: UwsSocketContext;
}

/** One request: what its handler sees (`Call`), and what the server needs to answer, log and abort it. */
export class RequestContext {
  readonly route: CompiledRoute;
  readonly table: RoutingTable;
  readonly address: Address;
  readonly isHead: boolean;
  readonly startedMs = performance.now();
  account: Account | undefined;
  page: PageSession | undefined;
  session: Session | undefined;
  /** The value of `Authorization`, or what a page's cookie stands for. */
  authorization = '';
  params: unknown;
  query: unknown;
  body: unknown;
  /** The body of a route that reads it as it comes. */
  incoming: BodyStream | undefined;
  rawParams: readonly string[] = [];
  rawQuery = '';
  hasBody = false;
  /** `undefined` unless the client asks for a WebSocket. */
  handshake: Handshake | undefined;
  /** Whether it is on condition of an ETag, which the route has none of. */
  namesTag = false;
  /** The header `Accept-Language`, read unless the language of a person, whose account is known, holds. */
  acceptLanguage = '';
  isAborted = false;
  /** Headers that the configuration adds to the reply; `undefined` if it adds none. */
  additions: Headers | undefined;
  readonly #headers: Readonly<Record<string, string>> | undefined;
  readonly #socket: UwsResponse;
  /** uWS's request, which is valid until the handler's first `await`. */
  readonly #request: UwsRequest;
  #ip: string | undefined;
  #requestId: string | undefined;
  #abort: AbortController | undefined;

  constructor(
    route: CompiledRoute,
    table: RoutingTable,
    address: Address,
    isHead: boolean,
    socket: UwsResponse,
    request: UwsRequest,
    headers: Readonly<Record<string, string>> | undefined,
  ) {
    this.route = route;
    this.table = table;
    this.address = address;
    this.isHead = isHead;
    this.#socket = socket;
    this.#request = request;
    this.#headers = headers;
    const { idHeader } = table.proxies;
    if (idHeader !== undefined) this.#requestId = givenRequestId(request.getHeader(idHeader));
  }

  /** The client's address; empty if it left before the first use, which must precede the handler's first `await`. */
  get ip(): string {
    if (this.#ip === undefined && this.isAborted) return '';
    this.#ip ??= this.table.proxies.clientOf(ipText(new Uint8Array(this.#socket.getRemoteAddress())), this.#request);
    return this.#ip;
  }

  get requestId(): string {
    this.#requestId ??= nextRequestId();
    return this.#requestId;
  }

  /** The id, if anybody has asked for it. */
  get knownRequestId(): string | undefined {
    return this.#requestId;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.isAborted) this.#abort.abort();
    return this.#abort.signal;
  }

  header(name: string): string {
    const value = this.#headers?.[name];
    if (value === undefined) throw new Error(`the route does not declare the request header ${name}`);
    return value === '' && name === 'authorization' ? (this.page?.authorization ?? '') : value;
  }

  abort(): void {
    this.isAborted = true;
    this.#abort?.abort();
  }
}
