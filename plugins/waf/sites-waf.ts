import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type DomainDirectory,
  DomainValues,
  type DomainValue,
} from '../../kernel/contract/points/domain-directory.ts';
import {
  findWebServer,
  SiteChanges,
  type SiteRule,
  type SiteRules,
  type WebServerPart,
} from '../../kernel/contract/points/web-server-part.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { NewSiteFirewall, WafConfig, WafRequest, WafRequestsQuery, SiteFirewall } from './schema.ts';
import { sumsUp, TAG, type SiteWaf } from './site-waf.ts';
import { forgetRequests, listRequests, type KeptRequest } from './store.ts';

const SITES = new DomainValues<SiteWaf>('waf_sites');
const OFF: SiteWaf = { mode: 'off', excludedIds: [], excludedTags: [] };

/** Whose site is changed, as the client wrote its domain. */
export interface Subject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
}

/** How requests to sites are checked: each change is served before it is stored, and stored only if it is served. */
export class SitesWaf {
  readonly #host: Host<WafConfig>;
  readonly #domains: DomainDirectory;
  readonly #changes: SiteChanges<DomainValue<SiteWaf>>;

  constructor(host: Host<WafConfig>) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#changes = new SiteChanges(host, 'firewall');
  }

  webServer(): Promise<WebServerPart | undefined> {
    return findWebServer(this.#host);
  }

  /** Whether the web server can check requests: nginx, where the operator has had it load rules. */
  async isOffered(): Promise<boolean> {
    return this.#host.config.audit_log !== '' && (await this.webServer())?.name === 'nginx';
  }

  /** Returns a domain of this node at which attacks are refused, if there is one. */
  async anyProtected(): Promise<string | undefined> {
    const names = new Map<number, string>();
    for await (const { id, name } of this.#domains.all()) names.set(id, name);
    const sites = await SITES.read(this.#host.store, [...names.keys()]);
    for (const [id, { value }] of sites) if (value.mode === 'on') return names.get(id);
    return undefined;
  }

  /** Returns how requests to each site of an account are checked, by name. */
  async list(account: Account): Promise<SiteFirewall[]> {
    const domains = await this.#domains.list(account);
    const ids = domains.map(({ id }) => id);
    const sites = await SITES.read(this.#host.store, ids);
    return domains.map(({ id, name }) => entry(name, sites.get(id)?.value ?? OFF));
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    if (this.#host.config.audit_log === '') return new Map();
    const served = this.#changes.served(domainIds, await SITES.read(this.#host.store, domainIds));
    return new Map([...served].map(([id, { value: waf }]): [number, SiteRule] => [id, { parts: { waf } }]));
  }

  /**
   * Errors: 404 `domain_not_found`; 400 `invalid_waf_rule`; 409 `waf_not_offered`; any error of a provider of `siteChanged`.
   */
  async set({ account, domain: given, ip }: Subject, body: NewSiteFirewall): Promise<SiteFirewall> {
    const { store, identity, events } = this.#host;
    const domain = await domainNamed(this.#domains, account, given);
    const changes = readChanges(body);
    if ((changes.mode ?? 'off') !== 'off' && !(await this.isOffered()))
      throw fail.waf_not_offered('the web server has no module that checks requests', {
        path: '/mode',
      });
    const { id, name, docroot } = domain;
    return this.#changes.inTurn(domain, async () => {
      const before = (await SITES.read(store, [id])).get(id);
      const waf = { ...OFF, ...before?.value, ...changes };
      const wanted = { accountId: account.id, value: waf };
      await this.#changes.serve({ id, name, docroot, account }, wanted, async (tx) => {
        await identity.accounts.assertExists(tx, account);
        await SITES.put(tx, id, wanted);
        await events.record(tx, {
          ...{ type: 'waf.set', account, ip, text: `set the web application firewall of ${name} to ${waf.mode}` },
          data: { domain_url: name, mode: waf.mode },
        });
      });
      return entry(name, waf);
    });
  }

  /** Errors: 404 `domain_not_found`. */
  async requests(account: Account, given: string, { cursor, ...query }: WafRequestsQuery) {
    const { id } = await domainNamed(this.#domains, account, given);
    const filter = { ...query, action: query.action as '' | 'blocked' | 'reported', before: Number(cursor) };
    const found = await listRequests(this.#host.local, id, { ...filter, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    return { requests: page.map(shown), next_cursor: found.length > page.length ? String(page.at(-1)?.id) : null };
  }

  /** Removes what is kept of a removed domain. */
  async forget(domainId: number): Promise<void> {
    await this.#host.store.write((tx) => SITES.remove(tx, domainId));
    await this.#host.local.write((tx) => forgetRequests(tx, domainId));
  }
}

/** Errors: 400 `invalid_waf_rule`. */
function readChanges({ mode, excluded_ids: ids, excluded_tags: tags }: NewSiteFirewall): Partial<SiteWaf> {
  ids?.forEach((id, i) => {
    if (sumsUp(id))
      throw fail.invalid_waf_rule('this rule sums up what others found; choose the mode report instead', {
        path: `/excluded_ids/${i}`,
      });
  });
  tags?.forEach((tag, i) => {
    if (!TAG.test(tag))
      throw fail.invalid_waf_rule('a tag has letters, digits and _./-', { path: `/excluded_tags/${i}` });
  });
  return {
    ...(mode !== undefined && { mode: mode as SiteWaf['mode'] }),
    ...(ids && { excludedIds: [...new Set(ids)].toSorted((a, b) => a - b) }),
    ...(tags && { excludedTags: [...new Set(tags)].toSorted() }),
  };
}

function entry(domain: string, { mode, excludedIds, excludedTags }: SiteWaf): SiteFirewall {
  return { domain_url: domain, mode, excluded_ids: [...excludedIds], excluded_tags: [...excludedTags] };
}

function shown({ at, ip, method, uri, status, isBlocked, rules }: KeptRequest): WafRequest {
  const told = rules.map(({ id, message, tags }) => ({ id, message, tags: [...tags] }));
  return { at: new Date(at).toISOString(), ip, method, uri, status, blocked: isBlocked, rules: told };
}
