/**
 * THE CONTRACT. A plugin is data plus one `setup`: importing it does nothing. Its folder's name is its name.
 * The route table is static, so that it can be listed, described and refused with 503 also when `setup` failed.
 */
import type { Account } from './accounts.ts';
import type { Directory } from './directory.ts';
import type { ErrorCode } from './errors.ts';
import type { EventLog } from './events.ts';
import type { Log } from './log.ts';
import type { NodeInfo } from './node.ts';
import type { Gathered, PointName, Points } from './points.ts';
import type { Reply, Stream } from './reply.ts';
import type { Static, TObject, TSchema } from './schema.ts';
import type { Session } from './sessions.ts';
import type { Store } from './store.ts';

export type Address = 'user' | 'admin';
/** On the admin address `user` means an admin, and `feature` an admin or a user who holds it. */
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
  /** Features that it asks for besides, all of them, whoever owns them. */
  readonly also?: readonly string[];
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
export type RouteTable = Readonly<Record<string, RouteSpec>>;

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
export type Handlers<T extends RouteTable> = {
  readonly [K in keyof T]: (call: Call<T[K]>) => Answer<Static<T[K]['reply']>> | Promise<Answer<Static<T[K]['reply']>>>;
};

export interface Host<C = unknown> {
  readonly config: C;
  readonly log: Log;
  readonly store: Store;
  readonly directory: Directory;
  readonly events: EventLog;
  readonly node: NodeInfo;
  /** Asks all providers of a point at once; none waits longer than two seconds (30 where domains change), one that fails costs only its part. */
  gather<P extends PointName>(point: P, ...args: Parameters<Points[P]>): Promise<Gathered<P>[]>;
  /** What a plugin that this one `needs` offers. */
  service<S>(plugin: string): S;
  onClose(release: () => void | Promise<void>): void;
}

export interface Setup<T extends RouteTable> {
  readonly handlers: Handlers<T>;
  readonly provides?: Partial<Points>;
  readonly service?: unknown;
}

export interface Plugin<C extends TSchema = TSchema, T extends RouteTable = RouteTable> {
  readonly name: string;
  readonly features: readonly string[];
  readonly needs?: readonly string[];
  /** Schema of its section of the configuration, with defaults. */
  readonly config?: C;
  readonly routes: T | ((config: Static<C>) => T);
  /** Throws `Unavailable` when the host lacks what it needs. */
  setup(host: Host<Static<C>>): Setup<T> | Promise<Setup<T>>;
}

/** Checks a plugin's parts against each other; what the loader gets no longer tells its types. */
export function definePlugin<C extends TSchema, const T extends RouteTable>(plugin: Plugin<C, T>): Plugin {
  return plugin as unknown as Plugin;
}
