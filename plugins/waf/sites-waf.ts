import type { Host } from '../../kernel/contract/plugin.ts';
import { forgetRemoved } from '../../kernel/areas/sites/domain-directory.ts';
import {
  findWebServer,
  type SiteRule,
  type SiteRules,
  type WebServerPart,
} from '../../kernel/contract/points/web-server-part.ts';
import { type NamedValue, SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { NewSiteFirewall, WafConfig, WafRequest, WafRequestsQuery, SiteFirewall } from './schema.ts';
import { sumsUp, TAG, type SiteWaf } from './site-waf.ts';
import { forgetRequests, listRequests, type KeptRequest } from './store.ts';

const OFF: SiteWaf = { mode: 'off', excludedIds: [], excludedTags: [] };

/** How requests to sites are checked. */
export class SitesWaf {
  readonly #host: Host<WafConfig>;
  readonly #sites: SiteValues<SiteWaf>;

  constructor(host: Host<WafConfig>) {
    this.#host = host;
    this.#sites = new SiteValues(host, { table: 'waf_sites', name: 'firewall', initial: OFF });
    forgetRemoved(host, (id) => host.local.write((tx) => forgetRequests(tx, id)));
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
    for await (const { id, name } of this.#sites.domains.all()) names.set(id, name);
    for (const [id, { value }] of await this.#sites.stored([...names.keys()]))
      if (value.mode === 'on') return names.get(id);
    return undefined;
  }

  /** Returns how requests to each site of an account are checked, by name. */
  async list(account: Account): Promise<SiteFirewall[]> {
    return (await this.#sites.list(account)).map(entry);
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    if (this.#host.config.audit_log === '') return new Map();
    const served = await this.#sites.served(domainIds);
    return new Map([...served].map(([id, { value: waf }]): [number, SiteRule] => [id, { parts: { waf } }]));
  }

  /**
   * Errors: 404 `domain_not_found`; 400 `invalid_waf_rule`; 409 `waf_not_offered`; any error of a provider of `siteChanged`.
   */
  async set(subject: SiteSubject, body: NewSiteFirewall): Promise<SiteFirewall> {
    const domain = await this.#sites.domain(subject);
    const changes = readChanges(body);
    if ((changes.mode ?? 'off') !== 'off' && !(await this.isOffered()))
      throw fail.waf_not_offered('the web server has no module that checks requests', {
        path: '/mode',
      });
    const change = (waf: SiteWaf) => ({ ...waf, ...changes });
    const changed = await this.#sites.change(subject, domain, change, (by, domain_url, { mode }) => ({
      ...by,
      type: 'waf.set',
      text: `set the firewall of ${domain_url} to ${mode}`,
      data: { domain_url, mode },
    }));
    return entry(changed);
  }

  /** Errors: 404 `domain_not_found`. */
  async requests(account: Account, domain: string, { cursor, ...query }: WafRequestsQuery) {
    const { id } = await this.#sites.domain({ account, domain });
    const filter = { ...query, action: query.action as '' | 'blocked' | 'reported', before: Number(cursor) };
    const found = await listRequests(this.#host.local, id, { ...filter, limit: query.limit + 1 });
    const page = found.slice(0, query.limit);
    return { requests: page.map(shown), next_cursor: found.length > page.length ? String(page.at(-1)?.id) : null };
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

function entry({ domain, value: { mode, excludedIds, excludedTags } }: NamedValue<SiteWaf>): SiteFirewall {
  return { domain_url: domain, mode, excluded_ids: [...excludedIds], excluded_tags: [...excludedTags] };
}

function shown({ at, ip, method, uri, status, isBlocked, rules }: KeptRequest): WafRequest {
  const told = rules.map(({ id, message, tags }) => ({ id, message, tags: [...tags] }));
  return { at: new Date(at).toISOString(), ip, method, uri, status, blocked: isBlocked, rules: told };
}
