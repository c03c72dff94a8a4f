import type { Host } from '../../kernel/contract/plugin.ts';
import type { DemoReport } from '../../kernel/contract/points/demo.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
} from '../../kernel/areas/sites/domain-directory.ts';
import type { DomainPart } from '../../kernel/contract/points/domain-part.ts';
import type { ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import {
  findWebServer,
  type FrontFolders,
  type SiteRule,
  type SiteRules,
} from '../../kernel/contract/points/web-server-part.ts';
import { SiteChanges } from '../../kernel/areas/sites/site-changes.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { assertFaultless } from '../../kernel/kit/line-faults.ts';
import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import type { Tx } from '../../kernel/store/store.ts';
import type { AccountPools } from './keeping/account-pools.ts';
import { fail } from './errors.ts';
import { shownDirectives } from './ini/shown.ts';
import { readIni } from './ini/ini-text.ts';
import { phpInfo } from './info/php-info.ts';
import { boundsFor, DEFAULTS, optionsIn, poolFor, readOptions } from './options.ts';
import { bodyMib } from './pools/pool-config.ts';
import { LARGEST } from './pools/pool.ts';
import type { KeptPhp, NewPhpOptions, PhpConfig, PhpInfo, PhpIni, PhpSite } from './schema.ts';
import * as rows from './store.ts';

interface Change {
  readonly account: Account;
  /** As the client wrote it. */
  readonly domain: string;
  readonly ip: string;
}
/** A domain that is being added, which the store, and the list of domains of this process, may not show yet. */
interface Added {
  readonly domain: DomainPart;
  readonly site: rows.Site;
}
type Record = (tx: Tx, domain: string) => Promise<void>;

/** How many domains are added at a time, and how long that may take. */
const [MOST_NEW, ADDING_MS] = [1000, 60_000];

/** Versions and options of domains: each is served before it is stored, and stored only if it is served. */
export class PhpSites {
  readonly #host: Host<PhpConfig>;
  readonly #pools: AccountPools;
  readonly #domains: DomainDirectory;
  readonly #versions: readonly string[];
  readonly #changes: SiteChanges<rows.Site>;
  /** By domain, what domains have that are being added. */
  readonly #new = new LRUCache<number, Added>({ ...atMost(MOST_NEW), ttl: ADDING_MS });

  constructor(host: Host<PhpConfig>, pools: AccountPools, versions: readonly string[]) {
    this.#host = host;
    this.#pools = pools;
    this.#versions = versions;
    this.#changes = new SiteChanges(host, 'PHP');
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  }

  /** Returns the domains of an account by name. */
  async list(account: Account): Promise<PhpSite[]> {
    const sites = await this.kept(account);
    return sites.map(({ domain_url, version, options }) => ({ domain_url, version, options }));
  }

  /** Returns the same with each php.ini. */
  async kept(account: Account): Promise<(PhpSite & KeptPhp)[]> {
    const domains = await this.#domains.list(account);
    const sites = await rows.listSites(
      this.#host.store,
      domains.map(({ id }) => id),
    );
    const byId = new Map(sites.map((site) => [site.domainId, site]));
    return domains.map((domain) => {
      const site = byId.get(domain.id);
      return { ...this.#shown(account, domain, site), ini: site?.ini ?? '' };
    });
  }

  /**
   * Replaces all of a site that its features allow; a version that is not offered, by none, unless the account is in use. Values above the
   * bounds of the plan count as these. Errors: those of the changes.
   */
  restore({ account, domain }: Change, { version, options, ini }: KeptPhp, told: ImportNotes): Promise<PhpSite> {
    assertIni(ini);
    const isThere = version === '' || this.#versions.includes(version);
    const parts = {
      php: isThere || told.isLive !== true ? { version: isThere ? version : '' } : {},
      php_options: readOptions(options, LARGEST),
      php_ini: { ini },
    };
    const held = Object.entries(parts).filter(([feature]) => account.features.has(feature));
    const kept: Partial<rows.Site> = Object.assign({}, ...held.map(([, part]) => part));
    if (!isThere) told.next.push(`have a version of PHP chosen for ${domain}: ${version} is not offered`);
    if (held.length < Object.keys(parts).length && told.isLive !== true)
      told.next.push(`see which version and options of PHP ${domain} has`);
    return this.#change(account, domain, kept);
  }

  /** Returns how the web server has scripts of domains run. */
  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const sites = await rows.listSites(this.#host.store, domainIds);
    const added = [...this.#new.values()].map(({ site }) => site);
    const stored = new Map([...added, ...sites].map((site) => [site.domainId, site]));
    const rules = new Map<number, SiteRule>();
    const fronts = new Map<number, FrontFolders>();
    for (const site of this.#changes.served(domainIds, stored).values()) {
      const account = await this.#host.identity.accounts.byId(site.accountId);
      if (account === undefined || site.version === '') continue;
      const pool = poolFor(site, boundsFor(account, this.#host.config));
      const socket = this.#pools.socketOf(account, pool);
      if (!fronts.has(account.id)) fronts.set(account.id, await this.#fronts(account));
      const php = { socket, bodyMib: bodyMib(pool), seconds: pool.seconds };
      rules.set(site.domainId, { php: { ...php, fronts: fronts.get(account.id)?.get(site.domainId) ?? [] } });
    }
    return rules;
  }

  async #fronts(account: Account): Promise<FrontFolders> {
    const fronts = new Map<number, readonly string[]>();
    for (const part of await this.#host.gather('frontFolders', account)) {
      if (!part.ok) throw part.error; // what is served stays
      for (const [id, folders] of part.value) fronts.set(id, folders);
    }
    return fronts;
  }

  /** Has a domain that is being added served with PHP, see `#newSite`. */
  async prepareNew(domain: DomainPart): Promise<void> {
    const { id, account } = domain;
    const site = await this.#newSite(id, account);
    if (site === undefined) return;
    await this.#pools.inTurn(account, async () => {
      await this.#start(account, site);
      this.#new.set(id, { domain, site });
    });
  }

  /** Whether a domain of an account is being added, whose pool the store does not show yet. */
  isAdding(accountId: number): boolean {
    return [...this.#new.values()].some(({ site }) => site.accountId === accountId);
  }

  /** Stores that of a domain that was added, unless its owner has chosen something else since. */
  async keepNew(domainId: number): Promise<void> {
    const added = this.#new.get(domainId);
    if (added !== undefined) await this.#put(added.domain, {}, undefined, added.site);
    this.#new.delete(domainId);
  }

  /** Has all domains of an account of the demo served with PHP, at each start. */
  async serveAll(account: Account): Promise<DemoReport> {
    for (const { id, name } of await this.#domains.list(account)) {
      const site = await this.#newSite(id, account);
      if (site !== undefined) await this.#change(account, name, {}, undefined, site);
    }
    return {};
  }

  /** Resolves with a site of the version in the configuration, if a web server serves it and its owner may have one. */
  async #newSite(domainId: number, account: Account): Promise<rows.Site | undefined> {
    const { default_version: named } = this.#host.config;
    const version = named === 'newest' ? this.#versions[0] : this.#versions.find((each) => each === named);
    if (version === undefined || !account.features.has('php')) return undefined;
    if ((await findWebServer(this.#host)) === undefined) return undefined;
    return { ...DEFAULTS, domainId, accountId: account.id, version };
  }

  /** Errors: 404 `domain_not_found`, `php_version_not_found`; 502 `php_failed`; any error of a provider of `siteChanged`. */
  setVersion({ account, domain, ip }: Change, version: string): Promise<PhpSite> {
    if (version !== '' && !this.#versions.includes(version))
      throw fail.php_version_not_found(`PHP ${version} is not offered on this server`, { path: '/version' });
    const said = version === '' ? 'switched PHP off for' : `set PHP ${version} for`;
    return this.#change(account, domain, { version }, (tx, name) =>
      this.#host.events.record(tx, {
        ...{ type: 'php.version_set', account, text: `${said} ${name}`, ip },
        data: { domain_url: name, version },
      }),
    );
  }

  /** Errors: 400 `invalid_php_option`; those of `setVersion`. */
  setOptions({ account, domain, ip }: Change, options: NewPhpOptions): Promise<PhpSite> {
    const changes = readOptions(options, boundsFor(account, this.#host.config));
    return this.#change(account, domain, changes, (tx, name) =>
      this.#host.events.record(tx, {
        ...{ type: 'php.options_set', account, text: `changed the options of PHP for ${name}`, ip },
        data: { domain_url: name },
      }),
    );
  }

  /** Errors: 404 `domain_not_found`. */
  async ini(account: Account, given: string): Promise<PhpIni> {
    const domain = await domainNamed(this.#domains, account, given);
    const [site] = await rows.listSites(this.#host.store, [domain.id]);
    return shownIni(domain, site?.ini ?? '');
  }

  /** Takes all lines or none. Errors: 422 `invalid_php_ini`; those of `setVersion`. */
  async setIni({ account, domain, ip }: Change, content: string): Promise<PhpIni> {
    assertIni(content);
    const { domain_url: name } = await this.#change(account, domain, { ini: content }, (tx, changed) =>
      this.#host.events.record(tx, {
        ...{ type: 'php.ini_set', account, text: `changed php.ini for ${changed}`, ip },
        data: { domain_url: changed },
      }),
    );
    return shownIni({ name }, content);
  }

  /** Errors: 404 `domain_not_found`; 409 `php_off`; those of `phpInfo`. */
  async info(account: Account, given: string): Promise<PhpInfo> {
    const domain = await domainNamed(this.#domains, account, given);
    const [site] = await rows.listSites(this.#host.store, [domain.id]);
    if (site === undefined || site.version === '') throw fail.php_off('choose a version of PHP for the domain first');
    const pool = poolFor(site, boundsFor(account, this.#host.config));
    const sections = await phpInfo(this.#host, this.#pools, account, pool);
    return { domain_url: domain.name, version: site.version, sections };
  }

  /** Removes what is stored of a removed domain. */
  forget(id: number, accountId: number | null): Promise<void> {
    return this.#pools.inTurn({ id: accountId ?? 0 }, () => this.#host.store.write((tx) => rows.removeSite(tx, id)));
  }

  #shown(account: Account, domain: Pick<Domain, 'name'>, site: rows.Site | undefined): PhpSite {
    const pool = poolFor(site ?? DEFAULTS, boundsFor(account, this.#host.config));
    return { domain_url: domain.name, version: pool.version, options: optionsIn(pool) };
  }

  /**
   * Starts what is missing, has it served, and stores it; what is not stored is no longer served. `initial` counts for a domain of
   * which nothing is stored.
   */
  async #change(
    account: Account,
    given: string,
    changes: Partial<rows.Site>,
    record?: Record,
    initial: Partial<rows.Site> = {},
  ): Promise<PhpSite> {
    return this.#put({ ...(await domainNamed(this.#domains, account, given)), account }, changes, record, initial);
  }

  async #put(
    domain: DomainPart,
    changes: Partial<rows.Site>,
    record?: Record,
    initial: Partial<rows.Site> = {},
  ): Promise<PhpSite> {
    const { account } = domain;
    return this.#pools.inTurn(account, async () => {
      const [before] = await rows.listSites(this.#host.store, [domain.id]);
      const site = { ...DEFAULTS, ...initial, domainId: domain.id, accountId: account.id, ...before, ...changes };
      await this.#start(account, site);
      await this.#changes.serve(domain, site, async (tx) => {
        await this.#host.identity.accounts.assertExists(tx, account);
        await rows.putSite(tx, site);
        await record?.(tx, domain.name);
      });
      return this.#shown(account, domain, site);
    });
  }

  async #start(account: Account, site: rows.Site): Promise<void> {
    // of a suspended account, which comes from an archive, it begins once that is open
    if (site.version === '' || !this.#host.identity.accounts.isOpenHere(account)) return;
    await this.#pools.start(account, poolFor(site, boundsFor(account, this.#host.config)));
  }
}

/** Errors: 422 `invalid_php_ini`. */
const assertIni = (content: string) => assertFaultless(readIni(content).faults, '/content', fail.invalid_php_ini);

function shownIni({ name }: Pick<Domain, 'name'>, content: string): PhpIni {
  return { domain_url: name, content, directives: shownDirectives() };
}
