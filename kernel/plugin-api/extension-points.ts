/**
 * The extension points: what plugins supply to one another, by name, without knowing each other. A provider is a
 * function in `Setup.provides`; a plugin that wants the parts calls `host.gather(point, …)`.
 */
import type { Account } from '../identity/accounts.ts';
import type { DashboardPart } from './points/dashboard-part.ts';
import type { DemoContext, DemoReport } from './points/demo.ts';
import type { DomainPart } from './points/domain-part.ts';
import type { Finding } from './points/finding.ts';
import type { Metric } from './points/metric.ts';
import type { PortsPart } from './points/ports-part.ts';
import type { SitePart } from './points/site-part.ts';
import type { WebServerPart } from './points/web-server-part.ts';

export interface ExtensionPoints {
  /** Asked when a dashboard is built; also called again after an event of the account. */
  dashboard(account: Account): DashboardPart | Promise<DashboardPart>;
  /** A throw makes the ports unknown; who has none to tell of answers `{}`. */
  ports(account: Account): PortsPart | Promise<PortsPart>;
  /** Totals over the server, summed by name. */
  counts():
    | Partial<Record<'users' | 'domains' | 'websites', number>>
    | Promise<Partial<Record<'users' | 'domains' | 'websites', number>>>;
  metrics(): readonly Metric[] | Promise<readonly Metric[]>;
  /** Makes the outside world fit before a domain is added; a throw refuses the domain, and all are then asked to remove it. */
  domainAdded(domain: DomainPart): void | Promise<void>;
  /** The same before a domain is removed; a throw keeps the domain, and all are then asked to add it again. */
  domainRemoved(domain: DomainPart): void | Promise<void>;
  /** Websites of an account, by name. */
  sites(account: Account): readonly SitePart[] | Promise<readonly SitePart[]>;
  /** Asked when a domain of this node is fetched from it. */
  webServer(): WebServerPart | Promise<WebServerPart>;
  doctor(): readonly Finding[] | Promise<readonly Finding[]>;
  /** Fills an empty demo with content; called once, in the order of the plugins' needs. */
  demo(context: DemoContext): void | Promise<void>;
  /**
   * Shows the demo's accounts what answers on this host, called at each of its starts. Nothing that is not the demo's own
   * is changed, and all that is made is removed when the demo ends.
   */
  demoOutside(context: DemoContext): DemoReport | Promise<DemoReport>;
}

export type ExtensionPointName = keyof ExtensionPoints;

interface PointRules {
  /** How long each provider may take. */
  readonly timeoutMs: number;
  /** Whether a provider's failure refuses the request that gathers (and is reported by it), or is logged and costs only its part. */
  readonly failure: 'refuses' | 'costs its part';
}

const PART: PointRules = { timeoutMs: 2000, failure: 'costs its part' };
/** Providers of these change the world outside, such as the configuration of a web server. */
const CHANGE: PointRules = { timeoutMs: 30_000, failure: 'refuses' };

export const EXTENSION_POINTS: Readonly<Record<ExtensionPointName, PointRules>> = {
  dashboard: PART,
  ports: PART,
  counts: PART,
  metrics: PART,
  domainAdded: CHANGE,
  domainRemoved: CHANGE,
  sites: PART,
  webServer: PART,
  doctor: PART,
  demo: PART,
  demoOutside: PART,
};

/** What one provider answered, or why it did not. */
export type Gathered<P extends ExtensionPointName> = {
  readonly plugin: string;
  readonly ms: number;
} & (
  | { readonly ok: true; readonly value: Awaited<ReturnType<ExtensionPoints[P]>> }
  | { readonly ok: false; readonly error: unknown }
);
