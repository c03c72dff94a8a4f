import type { Config } from '../config/configuration.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Leases } from '../store/lease.ts';
import type { EventTable } from '../store/events/event-types.ts';
import type { Locales } from '../config/locales.ts';
import type { Access, Address, RouteSpec } from './route-spec.ts';
import type { ExtensionPointName } from './extension-points.ts';
import type { Diagnosis } from './points/finding.ts';
import type { RouteMetrics } from './route-metrics.ts';

/** Scopes of API tokens, `<area>:read` or `<area>:write`. The area is a feature, or a part of the admin address. */
export interface RouteScopes {
  /** Any one of them; a user must hold the feature of that one. */
  readonly any: readonly string[];
  /** And all of these. */
  readonly all: readonly string[];
}

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
  /** Further features, all of which the account must have. */
  readonly requiredFeatures: readonly string[];
  /** Scopes that an API token needs; `undefined` if none may use the route. */
  readonly scopes: RouteScopes | undefined;
  readonly traffic: RouteMetrics;
}

/** The state of a plugin, for operators. */
export interface PluginStatus {
  readonly name: string;
  /** See `Plugin.description`; none of a plugin that is off. */
  readonly description?: string;
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

/** A setting in effect. */
export interface EffectiveSetting {
  readonly setting: string;
  /** Masked if it is secret. */
  readonly value: unknown;
  /** The file or the variable that set it, or `default`. */
  readonly origin: string;
}

/** The membership of a node in its fleet. */
export interface Membership {
  /** The name of this node. */
  readonly name: string;
  /** The authority of all nodes' certificates, and what shows the other nodes who this one is; PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** A node's place in its fleet. */
export interface FleetPlace {
  /** The name of this node. */
  readonly name: string;
  /** Unix sockets at which this process answers what another node admitted; only this user can open them. */
  readonly sockets: Readonly<Record<Address, string>>;
  /** Reads what the node is in its fleet; another process may have renewed its certificate. */
  membership(): Membership;
  /** Replaces the certificate, by one for the same key. */
  renew(certificate: string): void;
}

/** The information about the server that plugins may use. */
export interface NodeInfo {
  readonly version: string;
  /** Whether this is `hostkeep demo`, in which plugins may look for services that the configuration does not name. */
  readonly isDemo: boolean;
  /** Whether this process serves the node. If not, it only examines or removes something, and another one may serve. */
  readonly isServing: boolean;
  /** `undefined` for a node by itself. */
  readonly fleet: FleetPlace | undefined;
  /** By how much times in the store may be ahead of this node's clock, because another node wrote them; 0 without a fleet. */
  readonly clockSlackMs: number;
  /** Leases of work that one process may do at a time, of all that share the store. */
  readonly leases: Leases;
  /** Whether the server finishes accepted requests only, before it ends. */
  isStopping(): boolean;
  readonly config: Config;
  readonly locales: Locales;
  /** Returns the URL under which clients reach an address, as far as the server can know. */
  url(address: Address): string;
  /** Proves that the node and all plugins have what they need; see the extension point `doctor`. May take a minute. */
  examine(): Promise<Diagnosis[]>;
  /** Resolves with the settings of the kernel and of all plugins that are not switched off. */
  settings(): Promise<EffectiveSetting[]>;
  /** Returns the routes of all plugins; complete once every plugin is set up. */
  routes(): readonly RouteInfo[];
  plugins(): readonly PluginStatus[];
  /** Returns the events that the kernel and the plugins record. */
  events(): EventTable;
  /**
   * Returns the features that an account can use, sorted: those that it holds and that are provided, by a ready plugin
   * or by other software that `external_features` names.
   */
  usableFeatures(account: Pick<Account, 'features'>): readonly string[];
}
