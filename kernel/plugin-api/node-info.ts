import type { Config } from '../config/configuration.ts';
import type { Account } from '../identity/accounts.ts';
import type { Locales } from '../config/locales.ts';
import type { Access, Address, RouteSpec } from './route-spec.ts';
import type { ExtensionPointName } from './extension-points.ts';
import type { RouteMetrics } from './route-metrics.ts';

/** A route as one address serves it. A route of both addresses appears twice. */
export interface RouteInfo extends RouteSpec {
  readonly plugin: string;
  /** The key in the plugin's route table. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly address: Address;
  readonly access: Access;
  /** Features of which any one grants access; empty if the route requires none. */
  readonly features: readonly string[];
  readonly traffic: RouteMetrics;
}

export interface PluginStatus {
  readonly name: string;
  /**
   * `degraded`: it runs, but lacked something outside at the last check, which was seconds ago. `unavailable`: its setup
   * failed, and its routes answer 503.
   */
  readonly state: 'ready' | 'degraded' | 'unavailable' | 'off';
  readonly features: readonly string[];
  /** See `Plugin.keepsByName`. */
  readonly keepsByName?: boolean;
  /** The extension points that it provides; none unless it is ready or degraded. */
  readonly provides: readonly ExtensionPointName[];
  /** Why it is not ready. */
  readonly reason?: string;
  readonly remedy?: string;
}

/** The information about the server that plugins may use. */
export interface NodeInfo {
  readonly version: string;
  /** Whether this is `hostkeep demo`, in which plugins may look for services that the configuration does not name. */
  readonly isDemo: boolean;
  /** Whether this process serves the node. If not, it only examines or removes something, and another one may serve. */
  readonly isServing: boolean;
  /** Whether the server finishes accepted requests only, before it ends. */
  isStopping(): boolean;
  readonly config: Config;
  readonly locales: Locales;
  /** Returns the URL under which clients reach an address, as far as the server can know. */
  url(address: Address): string;
  /** Returns the routes of all plugins; complete once every plugin is set up. */
  routes(): readonly RouteInfo[];
  plugins(): readonly PluginStatus[];
  /**
   * Returns the features that an account can use, sorted: those that it holds and that are provided, by a ready plugin
   * or by other software that `external_features` names.
   */
  usableFeatures(account: Pick<Account, 'features'>): readonly string[];
}
