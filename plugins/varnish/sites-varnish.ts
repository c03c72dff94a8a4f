import type { Host } from '../../kernel/contract/plugin.ts';
import { findWebServer, type SiteRule, type SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import type { SiteCache, SiteCaches } from '../../kernel/areas/sites/site-cache.ts';
import { type NamedValue, SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { CachedSite, NewCachedSite } from './schema.ts';

/** How soon what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 60_000;
/** After which an account may have a cache that it had not, or the other way round. */
const EVENTS = new Set(['service.switched_on', 'service.switched_off', 'account.changed', 'plan.changed']);

/** Before which sites Varnish stands: those that ask for it, of accounts that have switched it on. */
export class SitesVarnish {
  readonly #host: Host;
  readonly #caches: SiteCaches | undefined;
  readonly #sites: SiteValues<boolean>;

  constructor(host: Host) {
    this.#host = host;
    this.#caches = host.peer<SiteCaches>('services');
    this.#sites = new SiteValues(host, { table: 'varnish_sites', name: 'Varnish', initial: false });
  }

  /** Returns before which sites of an account Varnish stands, by name. */
  async list(account: Account) {
    return {
      offered: await this.#isOffered(),
      is_on: (await this.#caches?.cacheOf(account)) !== undefined,
      sites: (await this.#sites.list(account)).map(entry),
    };
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const rules = new Map<number, SiteRule>();
    const caches = new Map<number, SiteCache | undefined>();
    for (const [id, { accountId, value }] of await this.#sites.served(domainIds)) {
      if (!value) continue;
      if (!caches.has(accountId)) caches.set(accountId, await this.#cacheOf(accountId));
      const varnish = caches.get(accountId);
      if (varnish !== undefined) rules.set(id, { parts: { varnish } });
    }
    return rules;
  }

  /** Errors: 404 `domain_not_found`; 409 `cache_not_offered`; any error of a provider of `siteChanged`. */
  async set(subject: SiteSubject, { cached }: NewCachedSite): Promise<CachedSite> {
    const domain = await this.#sites.domain(subject);
    if (cached && !(await this.#isOffered()))
      throw fail.cache_not_offered('Varnish stands before sites of nginx only', { path: '/cached' });
    const change = () => cached;
    const changed = await this.#sites.change(subject, domain, change, (by, domain_url) => ({
      ...by,
      type: 'varnish.site_set',
      text: cached ? `put Varnish before ${domain_url}` : `took Varnish away from ${domain_url}`,
      data: { domain_url, cached },
    }));
    return entry(changed);
  }

  /** Serves sites with the cache that their account has, from now on. Returns a function that tells what failed in the last run. */
  start(): () => string | undefined {
    return this.#sites.follow({
      events: EVENTS,
      everyMs: AGAIN_MS,
      subject: 'sites that Varnish stands before',
      stateOf: async (account) => JSON.stringify(await this.#caches?.cacheOf(account)) ?? '',
      concerns: (isCached) => isCached,
    });
  }

  async #cacheOf(accountId: number): Promise<SiteCache | undefined> {
    const account = await this.#host.identity.accounts.byId(accountId);
    return account && this.#caches?.cacheOf(account);
  }

  async #isOffered(): Promise<boolean> {
    return this.#caches !== undefined && (await findWebServer(this.#host))?.name === 'nginx';
  }
}

const entry = ({ domain, value }: NamedValue<boolean>): CachedSite => ({ domain_url: domain, cached: value });
