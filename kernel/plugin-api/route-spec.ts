import type { ErrorCode } from '../errors.ts';
import type { Account } from '../identity/accounts.ts';
import type { Session } from '../identity/sessions.ts';
import type { Static, TObject, TSchema } from '../schema.ts';
import type { Reply, Stream } from './reply.ts';

export type Address = 'user' | 'admin';
/**
 * The clients that may use a route. On the admin address, `user` admits administrators, and `feature` admits
 * administrators and users who have the feature; a route of both addresses admits only administrators there.
 */
export type Access = 'guest' | 'user' | 'feature' | 'admin';

export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** For example `/api/things/:id`. A final `*name` matches the rest of the path. Several paths are aliases. */
  readonly path: string | readonly string[];
  readonly address?: Address | 'both';
  /** `feature` unless given, so that a forgotten line denies access. */
  readonly access?: Access;
  /** The feature that grants access, or a list of which any one does; the plugin's first feature unless given. */
  readonly feature?: string | readonly string[];
  /** Further features, of any plugin, all of which the account must have. */
  readonly requiresFeatures?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
  readonly bodyLimitBytes?: number;
  readonly reply: TSchema;
  readonly status?: number;
  /** Further replies, by status, that are not problems, e.g. login's 401 that requests a code. */
  readonly replies?: Readonly<Record<number, TSchema>>;
  /** Media types of replies other than JSON. */
  readonly produces?: readonly string[];
  /** Request headers, in lower case, that the handler reads. */
  readonly headers?: readonly string[];
  /** Its own errors, in addition to those of every route. */
  readonly errors?: readonly ErrorCode[];
}
export type RouteSpecs = Readonly<Record<string, RouteSpec>>;

type Part<R, K extends string> = R extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : undefined;
type Named<R> = R extends { readonly headers: readonly (infer N extends string)[] } ? N : never;

/** Writes the `Set-Cookie` of a page's session. */
export interface PageCookie {
  begin(token: string, seconds: number): string;
  end(): string;
}

export interface Call<R = RouteSpec> {
  readonly account: R extends { readonly access: 'guest' } ? undefined : Account;
  readonly session: R extends { readonly access: 'guest' } ? undefined : Session;
  readonly params: Part<R, 'params'>;
  readonly query: Part<R, 'query'>;
  readonly body: Part<R, 'body'>;
  readonly address: Address;
  /** The cookie of the page that asks; `undefined` for all other clients. */
  readonly page: PageCookie | undefined;
  /** The client's IP address. */
  readonly ip: string;
  readonly requestId: string;
  /** Aborted if the client disconnects. */
  readonly signal: AbortSignal;
  header(name: Named<R>): string;
}
type Answer<T> = T | Reply | Stream;
export type Handlers<T extends RouteSpecs> = {
  readonly [K in keyof T]: (call: Call<T[K]>) => Answer<Static<T[K]['reply']>> | Promise<Answer<Static<T[K]['reply']>>>;
};
