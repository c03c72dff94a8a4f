/**
 * The contract between kernel and plugins. A plugin is data plus one `setup`; importing it has no side effect. Its routes are
 * listed, described and answered with 503 even if `setup` failed.
 */
import type { Identity } from '../identity/identity.ts';
import type { DefinedErrors } from '../errors.ts';
import type { AccountJobs } from '../kit/jobs/account-jobs.ts';
import type { AuditLog } from '../store/events/audit-log.ts';
import type { EventTable } from '../store/events/event-types.ts';
import type { Log } from '../log.ts';
import type { NodeInfo } from './node-info.ts';
import type { Privileged, Verbs } from './privileged.ts';
import type { Forward } from './forwarding.ts';
import type { Gathered, ExtensionPointName, ExtensionPoints } from './extension-points.ts';
import type { Static, TSchema } from '../schema.ts';
import type { Store } from '../store/store.ts';
import type { Workers } from '../workers/workers.ts';
import type { RouteCalls } from './route-calls.ts';
import type { Handlers, RouteSpecs } from './route-spec.ts';

/** The node, and what the plugin may have it do. */
export interface PluginNode extends NodeInfo {
  /** Calls other plugins' routes for the client of one of the plugin's own. */
  readonly calls: RouteCalls;
  /** Returns what the plugin does with rights; `settings` are its own. See `Privileged`. */
  privileged<V extends Verbs<V>>(privileged: Privileged<V>, settings: unknown): V;
  /**
   * Calls `start` in the one process of the node that does what is done once, such as writing history, when this is that
   * process or takes over. What is to be released, `start` gives to `Host.onClose`.
   */
  onLeader(start: () => void | Promise<void>): void | Promise<void>;
  /**
   * Calls `work` once all plugins are set up, and before the server serves; at once if they are. Until then `Host.gather` asks only
   * those that are: what they do not say must not be undone.
   */
  afterSetup(work: () => void | Promise<void>): void | Promise<void>;
}

/** The kernel's services for a plugin. */
export interface Host<C = unknown> {
  /** Its section of the configuration, valid and with defaults. A reload sets the plugin up again. */
  readonly config: C;
  /** Adds the plugin's name to each line. */
  readonly log: Log;
  /** Data of customers and operators. `Store` says which SQL all engines take. */
  readonly store: Store;
  /** Data of this machine; its tables stand in `migrations/local`. */
  readonly local: Store;
  readonly identity: Identity;
  /** Records what has happened, in the transaction of the change. */
  readonly events: AuditLog;
  /** Runs what touches customers' files and engines; this process never does. */
  readonly jobs: AccountJobs;
  readonly node: PluginNode;
  /** The processes that serve the node, this one included; mostly it is the only one. */
  readonly workers: Workers;
  /** Calls all providers of a point concurrently, within the point's time limit. Never rejects: see `Gathered`. */
  gather<P extends ExtensionPointName>(point: P, ...args: Parameters<ExtensionPoints[P]>): Promise<Gathered<P>[]>;
  /** Returns the service of a plugin that this one lists in `uses`; `undefined` while that plugin is off or unavailable. */
  peer<S>(plugin: string): S | undefined;
  /** Has `release` called when the plugin closes or its setup fails; of several, the last one first. */
  onClose(release: () => void | Promise<void>): void;
}

/** The result of `Plugin.setup`. */
export interface Setup<T extends RouteSpecs> {
  readonly handlers: Handlers<T>;
  /** Its answers at the extension points that it serves. */
  readonly provides?: Partial<ExtensionPoints>;
  /** The service for plugins that name this one in `uses`; their types describe it. */
  readonly service?: unknown;
  /** Of the plugin that knows the other nodes of the fleet. */
  readonly forward?: Forward;
}

/** The manifest of a plugin; see `definePlugin`. */
export interface Plugin<C extends TSchema = TSchema, T extends RouteSpecs = RouteSpecs> {
  /** The name of its folder, and of its section of the configuration. */
  readonly name: string;
  /** Says in a sentence what its operations are about. */
  readonly description?: string;
  /** Names of the features that it provides, which `features.json` in its folder describes. */
  readonly features: readonly string[];
  /** Its own errors by code: status and English title. */
  readonly errors?: DefinedErrors;
  /** The events that it records; see `EventTypes`. */
  readonly events?: EventTable;
  /** Whether it keeps something by account names: while it is unavailable, those of removed accounts stay reserved. */
  readonly keepsByName?: boolean;
  /** Plugins that this one works with where they are ready, and does without where they are not. */
  readonly uses?: readonly string[];
  /** The schema of its section of the configuration, with defaults. */
  readonly config?: C;
  /** Its routes by name, or a function of its settings that returns them. */
  readonly routes: T | ((config: Static<C>) => T);
  /** Starts the plugin, within 30 seconds. Throws `Unavailable` if the host lacks something that the plugin needs. */
  setup(host: Host<Static<C>>): Setup<T> | Promise<Setup<T>>;
}

/** Type-checks the parts of a plugin against each other, and erases its types for the loader. */
export function definePlugin<C extends TSchema, const T extends RouteSpecs>(plugin: Plugin<C, T>): Plugin {
  return plugin as unknown as Plugin;
}
