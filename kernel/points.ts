/**
 * The extension points: what one plugin may supply for another, by name, without either knowing the other.
 * Types only. A provider is a function in `Setup.provides`; who asks uses `host.gather(point, …)`.
 */
import type { Account } from './accounts.ts';

/** Members of the dashboard; who supplies one supplies it only for accounts that hold its feature. */
export interface DashboardPart {
  db_usage?: number;
  domains?: { docroot: string; domain_id: number; domain_url: string }[];
  email_count?: number;
  ftp_count?: number;
  last_ip?: string;
  locale?: string;
  maindomains?: { domain_url: string; tld: string }[];
  subdomains?: { domain_url: string; tld: string; main_domain: string }[];
  twofa_enabled?: true | null;
  /** [site path, kind of application] */
  user_websites?: [string, string][];
}

/** Host ports of an account's services, where one is published. */
export interface PortsPart {
  phpmyadmin_port?: number;
  remote_mysql_port?: number;
  remote_ssh_port?: number;
  webterminal_port?: number;
}

/** One figure for the metrics page, by the Prometheus conventions. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

/** A domain of an account, as others are told of it. `docroot` is the client's path. */
export interface DomainPart {
  readonly name: string;
  readonly docroot: string;
  readonly account: Account;
}

/** A website of an account. */
export interface SitePart {
  /** As people see it, without scheme: `example.com` or `example.com/blog`. */
  readonly site: string;
  /** Kind of application, e.g. `wordpress`. */
  readonly type: string;
}

/** Where this host meets the web server that serves the domains, over plain HTTP. */
export interface WebServerPart {
  readonly host: string;
  readonly port: number;
}

/** What `hostkeep doctor` says of one thing that a plugin uses. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, with its version, or why not. */
  readonly detail: string;
  /** What to install or set, when not ok. */
  readonly remedy?: string;
}

export interface DemoContext {
  /** The account with every feature. */
  readonly demo: Account;
  /** The account on the smallest plan. */
  readonly other: Account;
}

/** On what of this host a part of the demo rests, in lines for a person. */
export interface DemoReport {
  /** What was found, with its version, and how to see it. */
  readonly uses?: readonly string[];
  /** What was not, why, and how to get it. */
  readonly leftOut?: readonly string[];
}

export interface Points {
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

export type PointName = keyof Points;

/** What one provider answered, or why it did not. */
export type Gathered<P extends PointName> = {
  readonly plugin: string;
  readonly ms: number;
} & (
  | { readonly ok: true; readonly value: Awaited<ReturnType<Points[P]>> }
  | { readonly ok: false; readonly error: unknown }
);
