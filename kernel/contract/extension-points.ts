/**
 * Extension points let plugins supply data to each other without depending on each other: a provider is a function in
 * `Setup.provides`, and who needs the data calls `host.gather(point, …)`.
 */
import type { Account } from '../identity/accounts/account.ts';
import type { RemovedAccount } from '../identity/accounts/removed-accounts.ts';
import type { AccountReport, AccountsLoad, AccountsUsage } from './points/account-report.ts';
import type { DashboardPart } from './points/dashboard-part.ts';
import type { DatabaseBackups } from './points/backup-source.ts';
import type { DemoContext, DemoPeople, DemoReport, PastEvent } from './points/demo.ts';
import type { DomainPart } from './points/domain-part.ts';
import type { Finding } from './points/finding.ts';
import type { Metric } from './points/metric.ts';
import type { FleetNode } from './points/fleet-node.ts';
import type { ArchivePart } from './points/archive-part.ts';
import type { MovePart } from './points/move-part.ts';
import type { PurgePart } from './points/purge-part.ts';
import type { BackupSource } from './points/backup-source.ts';
import type { Webhook } from './points/webhook.ts';
import type { FrontFolders, ServerSite, SiteRules, WebServerPart } from './points/web-server-part.ts';

/** A website of an account. */
interface SitePart {
  /** The address as shown to people, without scheme: `example.com` or `example.com/blog`. */
  readonly site: string;
  /** Kind of application, e.g. `wordpress`. */
  readonly type: string;
}

/** Names of the software that serves an account: `nginx`, `mysql`; left out where none does. */
type SoftwarePart = Partial<Record<'webserver' | 'mysql', string>>;

type Counts = Partial<Record<'users' | 'domains' | 'websites', number>>;

export interface ExtensionPoints {
  /** Called when a dashboard is built, and again after an event of the account. */
  dashboard(account: Account): DashboardPart | Promise<DashboardPart>;
  /** Returns totals of the server; the totals of all providers are summed by name. */
  counts(): Counts | Promise<Counts>;
  /** Returns the metrics of this process; called for each scrape. */
  metrics(): readonly Metric[] | Promise<readonly Metric[]>;
  /** Prepares what a new domain is served with from the start, before `domainAdded`. */
  domainAdding(domain: DomainPart): void | Promise<void>;
  /** Prepares external systems for a new domain. If a provider throws, the domain is rejected and removed from all. */
  domainAdded(domain: DomainPart): void | Promise<void>;
  /** Cleans up external systems before a domain is removed. If a provider throws, it stays and is added to all again. */
  domainRemoved(domain: DomainPart): void | Promise<void>;
  /** Returns by which rules the web server answers for domains of these ids; called for whatever it writes or compares. */
  siteRules(domainIds: readonly number[]): SiteRules | Promise<SiteRules>;
  /** Returns what the web server answers with at the name of this server itself; `null` for nothing. */
  serverSite(): ServerSite | null | Promise<ServerSite | null>;
  /** Serves a domain by the rules that `siteRules` returns now. If a provider throws, it serves by those before. */
  siteChanged(domain: DomainPart): void | Promise<void>;
  /**
   * Notes what the plugin needs of an account that is about to be removed, after which it may stay all the same. Returns what people are to
   * know of that; throws if the account must not go.
   */
  removing(account: Account): string | undefined | Promise<string | undefined>;
  /** Returns whether the plugin takes the repository with the backups of a removed account, at `removed` of `AccountBackups.at`, when it is purged. */
  keepsBackups(account: RemovedAccount): boolean | Promise<boolean>;
  /**
   * Removes what the plugin keeps of a removed account outside the store. Called again after a failure, so it finds out
   * what is left; stops when the signal is aborted, and reports or throws why something stays.
   */
  purge(account: RemovedAccount, signal: AbortSignal): readonly PurgePart[] | Promise<readonly PurgePart[]>;
  /** Returns how what the plugin keeps of accounts outside their files and the store goes to another node. */
  move(): MovePart;
  /** Returns how what the plugin keeps of accounts in the store travels in an archive of one. */
  archive(): ArchivePart;
  /**
   * Tells of a file that a client has uploaded, in whatever way, and that has its place; `path` has its names below the files root.
   * No client waits for a provider.
   */
  uploaded(account: Account, path: readonly string[]): void;
  /** For operators: what an account has and uses. May take long, where files must be measured. */
  accountReport(account: Account): AccountReport | Promise<AccountReport>;
  /** For operators: what many accounts use, from what is at hand; called again and again. */
  accountsUsage(accounts: readonly Account[]): AccountsUsage | Promise<AccountsUsage>;
  /** For operators: what many accounts take of the machine now; called every few seconds while somebody looks. */
  accountsLoad(accounts: readonly Account[]): AccountsLoad | Promise<AccountsLoad>;
  /** Returns the node where a new account will live: the named one, or one by rule. Throws for one that takes none. */
  placement(node: string | undefined): string | Promise<string>;
  /** Returns the nodes of the fleet, sorted by name. */
  nodes(): readonly FleetNode[] | Promise<readonly FleetNode[]>;
  /**
   * Returns how many databases the account has, or is about to have, at servers of another kind than `engine` (`mariadb`, `postgresql`);
   * 0 for the plugin of that kind itself.
   */
  databasesElsewhere(account: Account, engine: string): number | Promise<number>;
  /** Returns how the databases at servers of one kind are backed up. */
  databaseBackups(): DatabaseBackups;
  /** Returns how what accounts have besides files and databases is backed up. */
  backupSources(): BackupSource;
  /** Returns the websites of an account, sorted by name. */
  sites(account: Account): readonly SitePart[] | Promise<readonly SitePart[]>;
  /**
   * Returns, by the ids of an account's domains, the folders below their document roots whose applications answer for whatever is
   * asked below them; see `FRONT_FOLDER`. After a change, the provider has the domain served.
   */
  frontFolders(account: Account): FrontFolders | Promise<FrontFolders>;
  /** Returns the path of the page that shows each of the features, by name. */
  featureLinks(features: readonly string[]): Readonly<Record<string, string>>;
  /** Names the software that serves an account, as the settings say; called once for each snapshot of it. */
  software(account: Account): SoftwarePart;
  /** Returns the requests that the server sends to endpoints of the operator. */
  webhooks(): readonly Webhook[];
  /** Called before this node fetches a page of one of its own domains. */
  webServer(): WebServerPart | Promise<WebServerPart>;
  /** For `hostkeep doctor`: proves that what the plugin needs works, by using it, also beside a server. Leaves nothing. */
  doctor(): readonly Finding[] | Promise<readonly Finding[]>;
  /** Checks cheaply, every few seconds, what the plugin needs from outside; it is `degraded` while a finding is not ok. */
  health(): readonly Finding[] | Promise<readonly Finding[]>;
  /** Returns what the demo's accounts did before its first start; all of it is recorded before `demo` is called. */
  demoPast(people: DemoPeople): readonly PastEvent[] | Promise<readonly PastEvent[]>;
  /** Fills an empty demo with content; called once. */
  demo(context: DemoContext): void | Promise<void>;
  /**
   * Connects the demo's accounts to services on this host at each start. Changes nothing that does not belong to the demo, and
   * removes what it created when the demo ends.
   */
  demoOutside(people: DemoPeople): DemoReport | Promise<DemoReport>;
}

export type ExtensionPointName = keyof ExtensionPoints;

interface PointRules {
  /** The time limit for each provider, which then counts as failed. */
  readonly timeoutMs: number;
  /** `refuses` leaves a failure to the caller to report; `costs its part` logs it, and leaves its part out. */
  readonly failure: 'refuses' | 'costs its part';
  /** Whether providers are called one after another, in the order in which they use each other. */
  readonly isInOrder?: boolean;
}

const PART: PointRules = { timeoutMs: 2000, failure: 'costs its part' };
/** The rules for providers that change external systems, such as the configuration of a web server. */
const CHANGE: PointRules = { timeoutMs: 30_000, failure: 'refuses' };
const DEMO: PointRules = { timeoutMs: 600_000, failure: 'refuses', isInOrder: true };

export const EXTENSION_POINTS: Readonly<Record<ExtensionPointName, PointRules>> = {
  dashboard: PART,
  counts: PART,
  metrics: PART,
  domainAdding: { ...CHANGE, failure: 'costs its part' },
  domainAdded: CHANGE,
  domainRemoved: CHANGE,
  siteRules: { ...CHANGE, timeoutMs: 5000 },
  serverSite: { ...CHANGE, timeoutMs: 5000 },
  siteChanged: CHANGE,
  removing: CHANGE,
  keepsBackups: CHANGE,
  purge: { ...CHANGE, timeoutMs: 3_600_000 },
  move: CHANGE,
  archive: CHANGE,
  uploaded: PART,
  accountReport: { ...PART, timeoutMs: 300_000 },
  accountsUsage: PART,
  accountsLoad: { ...PART, timeoutMs: 5000 },
  placement: { ...CHANGE, timeoutMs: 5000 },
  nodes: PART,
  databasesElsewhere: { ...CHANGE, timeoutMs: 15_000 },
  databaseBackups: PART,
  backupSources: PART,
  sites: PART,
  frontFolders: { ...CHANGE, timeoutMs: 2000 },
  featureLinks: PART,
  software: PART,
  webhooks: PART,
  webServer: PART,
  doctor: { ...PART, timeoutMs: 60_000 },
  health: { ...PART, timeoutMs: 5000 },
  demoPast: DEMO,
  demo: DEMO,
  demoOutside: DEMO,
};

/** The result of one provider: its value or its error, and its duration in milliseconds. */
export type Gathered<P extends ExtensionPointName> = {
  readonly plugin: string;
  readonly ms: number;
} & (
  | { readonly ok: true; readonly value: Awaited<ReturnType<ExtensionPoints[P]>> }
  | { readonly ok: false; readonly error: unknown }
);
