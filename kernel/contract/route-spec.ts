import type { Locales } from '../config/locales.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Session } from '../identity/gate/sessions.ts';
import type { Static, TObject, TSchema } from '../schema.ts';
import type { Bytes } from './incoming-body.ts';
import type { Reply, Stream } from './reply.ts';
import type { WebSocketReply } from './web-socket.ts';

/** The addresses of a node: that of customers, and that of operators. */
export type Address = 'user' | 'admin';
/**
 * The clients that may use a route. On the admin address, `user` admits administrators, and `feature` admits
 * administrators and users who have the feature; a route of both addresses admits only administrators there.
 */
export type Access = 'guest' | 'user' | 'feature' | 'admin';

/** A route, as the manifest of its plugin describes it. */
export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'CONNECT' | 'OPTIONS';
  /** Such as `/api/things/:id`; a final `*name` matches the rest of the path. All but the first are deprecated aliases. */
  readonly path: string | readonly string[];
  /** `user` unless given. */
  readonly address?: Address | 'both';
  /** `feature` unless given, so that a forgotten line denies access. */
  readonly access?: Access;
  /**
   * The feature that grants access, or a list of which any one does; the plugin's first feature unless given. `all` names
   * further features, of any plugin, which the account must have as well: a plugin without features names those here.
   */
  readonly feature?: string | readonly string[] | { readonly any?: readonly string[]; readonly all: readonly string[] };
  /**
   * Names the scope of API tokens, unless it is that of the feature, or of the first part of the path. `area`: the scope of that
   * area. `refused`: none may use the route, because it changes credentials, tokens or sessions. `delegated`: any token may,
   * because all that the route does is to call other routes for its client, each of which asks for its own scope.
   */
  readonly tokens?: 'refused' | 'delegated' | { readonly area: string };
  /**
   * For what makes something: `kept` keeps the answer for a day for those who repeat a request with its `Idempotency-Key`, and
   * `refused` refuses the header, because the answer holds a secret. The handler returns a plain value.
   */
  readonly idempotencyKey?: 'kept' | 'refused';
  /**
   * Which node of a fleet answers; any unless given. `home`: that of the account that asks, because its files, containers
   * or databases are there. `named`: that of the account which the parameter `username` names. `node`: the one that the
   * parameter `node` of the query names, which is optional, and otherwise this one.
   */
  readonly at?: 'home' | 'named' | 'node';
  readonly summary: string;
  readonly description?: string;
  /** `false` leaves it out of the API's description: it serves our own pages, or offers other operations in another form. */
  readonly described?: false;
  /** The values in the path, as in `/api/things/:id`. */
  readonly params?: TObject;
  readonly query?: TObject;
  /** The JSON body, or `Bytes` for one that the handler reads as it comes; a route without it takes none. */
  readonly body?: TObject | typeof Bytes;
  readonly reply: TSchema;
  /** Of the reply; 200 unless given. 101 is a WebSocket, for which the handler returns a `WebSocketReply`. */
  readonly status?: number;
  /** Further replies, by status, that are not problems, e.g. login's 401 that requests a code. */
  readonly replies?: Readonly<Record<number, TSchema>>;
  /** Media types of replies other than JSON. */
  readonly produces?: readonly string[];
  /** Request headers, in lower case, that the handler reads. */
  readonly headers?: readonly string[];
  /** Its own errors, in addition to those of every route. */
  readonly errors?: readonly string[];
}
/** Whether the answers of a route are WebSockets. */
export const isWebSocket = ({ status }: RouteSpec): boolean => status === 101;

/** Whether a route changes what the account has at its home, and does not leave that to routes that it calls. */
export const changesHome = (route: RouteSpec): boolean =>
  route.at === 'home' && (route.method !== 'GET' || isWebSocket(route)) && route.tokens !== 'delegated';

export type RouteSpecs = Readonly<Record<string, RouteSpec>>;

type Part<R, K extends string> = R extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : undefined;
type Named<R> = R extends { readonly headers: readonly (infer N extends string)[] } ? N : never;

/** Writes the `Set-Cookie` of a page's session. */
export interface PageCookie {
  begin(token: string, seconds: number): string;
  end(): string;
}

/** A request, as the handler of its route sees it. */
export interface Call<R = RouteSpec> {
  readonly account: R extends { readonly access: 'guest' } ? undefined : Account;
  readonly session: R extends { readonly access: 'guest' } ? undefined : Session;
  /** Path, query and body as the route's schemas have them, with defaults; `undefined` without a schema. */
  readonly params: Part<R, 'params'>;
  readonly query: Part<R, 'query'>;
  readonly body: Part<R, 'body'>;
  readonly address: Address;
  /** The cookie of the page that asks; `undefined` for all other clients. */
  readonly page: PageCookie | undefined;
  /** The client's IP address. */
  readonly ip: string;
  /** Stands in log lines and in problem replies. */
  readonly requestId: string;
  /** Aborted if the client disconnects. */
  readonly signal: AbortSignal;
  /** The header `Accept-Language`; empty for a person, whose account has a language. */
  readonly acceptLanguage: string;
  /** Returns the value of a header that the route names in `headers`; empty if the client sent none. */
  header(name: Named<R>): string;
}
/** Returns the language of texts for whoever asks: the account's, and for the programs of API tokens what they ask for. */
export function readersLanguage(
  { account, session, acceptLanguage }: Pick<Call, 'account' | 'session' | 'acceptLanguage'>,
  locales: Pick<Locales, 'preferred'>,
): string {
  return session.grant === undefined ? account.locale : locales.preferred(acceptLanguage);
}

type Answer<T> = T | Reply | Stream | WebSocketReply;
/** The handlers of a plugin, by the names of its routes. */
export type Handlers<T extends RouteSpecs> = {
  readonly [K in keyof T]: (call: Call<T[K]>) => Answer<Static<T[K]['reply']>> | Promise<Answer<Static<T[K]['reply']>>>;
};
