import type { Config } from '../config/configuration.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Leases } from '../store/lease.ts';
import type { EventTable } from '../store/events/event-types.ts';
import type { Feature, Locales } from '../config/locales.ts';
import { Type } from '../schema.ts';
import type { Access, Address, RouteSpec } from './route-spec.ts';
import type { ExtensionPointName } from './extension-points.ts';
import type { EffectiveSetting, SettingTrial } from './settings/effective-setting.ts';
import type { Diagnosis } from './points/finding.ts';

/** Upper bounds of the latency histogram, in seconds. */
export const LATENCY_BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15] as const;

/** Counts the replies of one route by status and latency; cheap enough for every request. */
export class RouteMetrics {
  /** Requests by status. */
  readonly statuses = new Map<number, number>();
  /** Requests by latency bucket; the last bucket is for those above every bound. */
  readonly latency = new Array<number>(LATENCY_BUCKETS.length + 1).fill(0);
  secondsTotal = 0;

  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] ?? 0)) bucket += 1;
    this.latency[bucket] = (this.latency[bucket] ?? 0) + 1;
    this.secondsTotal += seconds;
  }
}

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
  /**
   * Puts stored settings into force, as a reload does with files: those of a trial, or else those that are kept now; see
   * `StoredSettings`. Resolves when requests get the new ones. Otherwise changes nothing, and rejects: with 400 `invalid_request` if
   * the changed value does not fit, else with the reason, such as that a plugin does not start with it.
   */
  applyStored(trial?: SettingTrial): Promise<void>;
  /** Returns the routes of all plugins; complete once every plugin is set up. */
  routes(): readonly RouteInfo[];
  plugins(): readonly PluginStatus[];
  /** Returns the events that the kernel and the plugins record. */
  events(): EventTable;
  /** Resolves with all features in a language, each with the path of the page that shows it; empty if nothing does. */
  features(locale: string): Promise<Feature[]>;
  /**
   * Returns the features that an account holds and that are provided, sorted: by a ready plugin that has them open to accounts,
   * or by other software that `external_features` names.
   */
  providedFeatures(account: Pick<Account, 'features'>): readonly string[];
  /** Returns those of `providedFeatures` that work: without what its plugin lacks at the moment. */
  usableFeatures(account: Pick<Account, 'features'>): readonly string[];
}

/** The member that replies about a switched feature have. */
export const featureWarning = {
  warning: Type.Union([Type.String(), Type.Null()], {
    description:
      'Says that the switch changes nothing yet, because nothing on this server provides the feature; else null',
  }),
};

/** Returns why switching a feature on changes nothing yet; `null` if it is provided. */
export function warnIfUnprovided(node: Pick<NodeInfo, 'providedFeatures'>, feature: string): string | null {
  if (node.providedFeatures({ features: new Set([feature]) }).length > 0) return null;
  return (
    `nothing on this server provides ${feature} at the moment, so the switch changes nothing yet; if other software does, ` +
    'name it in external_features'
  );
}
