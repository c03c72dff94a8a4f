/**
 * THE CONTRACT. A plugin is data plus one `setup`: importing it does nothing. Its folder's name is its name.
 * The route table is static, so that it can be listed, described and refused with 503 also when `setup` failed.
 */
import type { Identity } from '../identity/identity.ts';
import type { ErrorTable } from '../errors.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Log } from '../log.ts';
import type { NodeInfo } from './node-info.ts';
import type { Gathered, ExtensionPointName, ExtensionPoints } from './extension-points.ts';
import type { Static, TSchema } from '../schema.ts';
import type { Store } from '../storage/store.ts';
import type { Handlers, RouteSpecs } from './route-spec.ts';

export interface Host<C = unknown> {
  readonly config: C;
  readonly log: Log;
  readonly store: Store;
  readonly identity: Identity;
  readonly events: AuditLog;
  readonly node: NodeInfo;
  /** Asks all providers of a point at once; none waits longer than two seconds (30 where domains change), one that fails costs only its part. */
  gather<P extends ExtensionPointName>(point: P, ...args: Parameters<ExtensionPoints[P]>): Promise<Gathered<P>[]>;
  /** What a plugin that this one `needs` offers. */
  service<S>(plugin: string): S;
  onClose(release: () => void | Promise<void>): void;
}

export interface Setup<T extends RouteSpecs> {
  readonly handlers: Handlers<T>;
  readonly provides?: Partial<ExtensionPoints>;
  readonly service?: unknown;
}

export interface Plugin<C extends TSchema = TSchema, T extends RouteSpecs = RouteSpecs> {
  readonly name: string;
  /** Names of the features that it provides; `features.json` beside it describes them. */
  readonly features: readonly string[];
  /** Errors of its own, by code: status and English title. */
  readonly errors?: ErrorTable;
  readonly needs?: readonly string[];
  /** Schema of its section of the configuration, with defaults. */
  readonly config?: C;
  readonly routes: T | ((config: Static<C>) => T);
  /** Throws `Unavailable` when the host lacks what it needs. */
  setup(host: Host<Static<C>>): Setup<T> | Promise<Setup<T>>;
}

/** Checks a plugin's parts against each other; what the loader gets no longer tells its types. */
export function definePlugin<C extends TSchema, const T extends RouteSpecs>(plugin: Plugin<C, T>): Plugin {
  return plugin as unknown as Plugin;
}
