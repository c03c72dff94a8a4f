import type { Config } from '../config/configuration.ts';
import type { Locales } from '../config/locales.ts';
import type { Access, Address, RouteSpec } from './route-spec.ts';
import type { ExtensionPointName } from './extension-points.ts';
import type { RouteMetrics } from './route-metrics.ts';

/** A route as one address serves it. A route of both addresses is there twice. */
export interface RouteInfo extends RouteSpec {
  readonly plugin: string;
  /** Key in the plugin's route table. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly address: Address;
  readonly access: Access;
  /** Features of which any one opens the route; empty where none is asked for. */
  readonly features: readonly string[];
  readonly traffic: RouteMetrics;
}

export interface PluginStatus {
  readonly name: string;
  readonly state: 'ready' | 'unavailable' | 'off';
  readonly features: readonly string[];
  /** Extension points that it answers; none unless it is ready. */
  readonly provides: readonly ExtensionPointName[];
  /** Why it is not ready. */
  readonly reason?: string;
  readonly remedy?: string;
}

/** What a plugin may know of the server that it runs in. */
export interface NodeInfo {
  readonly version: string;
  /** Whether this is `hostkeep demo`, in which plugins may look for what the configuration does not name. */
  readonly isDemo: boolean;
  readonly config: Config;
  readonly locales: Locales;
  /** URL under which clients reach an address, as far as the server can know. */
  url(address: Address): string;
  /** All routes of all plugins; complete once every plugin is set up. */
  routes(): readonly RouteInfo[];
  plugins(): readonly PluginStatus[];
  /** Features that somebody provides: a plugin that is ready, or what the setting `external_features` names. */
  features(): ReadonlySet<string>;
}
