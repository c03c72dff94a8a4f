import type { ErrorCode } from '../errors.ts';
import type { Account } from '../identity/accounts.ts';
import type { Session } from '../identity/sessions.ts';
import type { Static, TObject, TSchema } from '../schema.ts';
import type { Reply, Stream } from './reply.ts';

export type Address = 'user' | 'admin';
/**
 * Who may ask. On the admin address `user` means an administrator, and `feature` an administrator or a user who holds
 * it; a route of both addresses is for administrators alone there.
 */
export type Access = 'guest' | 'user' | 'feature' | 'admin';

export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/api/things/:id`, a last `*name` takes the rest of the path; several paths are aliases. */
  readonly path: string | readonly string[];
  readonly address?: Address | 'both';
  /** `feature` unless said otherwise, so that a forgotten line closes the door. */
  readonly access?: Access;
  /** The feature, or any one of several, that opens it; the plugin's first feature unless said. */
  readonly feature?: string | readonly string[];
  /** Further features, of any plugin, all of which the account must hold. */
  readonly requiresFeatures?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
  readonly bodyLimitBytes?: number;
  readonly reply: TSchema;
  readonly status?: number;
  /** Replies besides that are no problems, by their status: login's 401 that asks for a code. */
  readonly replies?: Readonly<Record<number, TSchema>>;
  /** Media types that it answers besides JSON. */
  readonly produces?: readonly string[];
  /** Request headers, in lower case, that the handler reads. */
  readonly headers?: readonly string[];
  /** Errors of its own, besides those of every route. */
  readonly errors?: readonly ErrorCode[];
}
export type RouteSpecs = Readonly<Record<string, RouteSpec>>;

type Part<R, K extends string> = R extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : undefined;
type Named<R> = R extends { readonly headers: readonly (infer N extends string)[] } ? N : never;

export interface Call<R = RouteSpec> {
  readonly account: R extends { readonly access: 'guest' } ? undefined : Account;
  readonly session: R extends { readonly access: 'guest' } ? undefined : Session;
  readonly params: Part<R, 'params'>;
  readonly query: Part<R, 'query'>;
  readonly body: Part<R, 'body'>;
  readonly address: Address;
  /** The client's address. */
  readonly ip: string;
  readonly requestId: string;
  /** Aborted when the client went away. */
  readonly signal: AbortSignal;
  header(name: Named<R>): string;
}
type Answer<T> = T | Reply | Stream;
export type Handlers<T extends RouteSpecs> = {
  readonly [K in keyof T]: (call: Call<T[K]>) => Answer<Static<T[K]['reply']>> | Promise<Answer<Static<T[K]['reply']>>>;
};
