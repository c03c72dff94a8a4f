import type { Host } from '../../kernel/contract/plugin.ts';
import { findWebServer, type SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { type NamedValue, SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { assertFaultless, type LineFault } from '../../kernel/kit/line-faults.ts';
import { fail } from './errors.ts';
import { readRules } from './language/rules.ts';
import { proven } from './proof.ts';
import type { SiteRulesEntry } from './schema.ts';

/** The directives of owners of sites, as they wrote them. */
export class SitesRules {
  readonly #host: Host;
  readonly #sites: SiteValues<string>;
  readonly #proofTimeoutMs: number;

  constructor(host: Host, proofTimeoutMs: number) {
    this.#host = host;
    this.#sites = new SiteValues(host, { table: 'nginx_rules', name: 'nginx rules', initial: '' });
    this.#proofTimeoutMs = proofTimeoutMs;
  }

  /** Returns the directives of each domain of an account, by name. */
  async list(account: Account): Promise<SiteRulesEntry[]> {
    return (await this.#sites.list(account)).map(entry);
  }

  async isOffered(): Promise<boolean> {
    return (await findWebServer(this.#host))?.name === 'nginx';
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const served = await this.#sites.served(domainIds);
    return new Map([...served].map(([id, { value: text }]) => [id, { parts: { 'nginx-rules': { text } } }]));
  }

  /**
   * Takes all directives or none. Errors: 404 `domain_not_found`; 409 `nginx_rules_not_offered`; 422 `invalid_nginx_rules`; 502
   * `webserver_failed`; any error of a provider of `siteChanged`.
   */
  async set(subject: SiteSubject, text: string): Promise<SiteRulesEntry> {
    const domain = await this.#sites.domain(subject);
    const { lines, faults } = readRules(text);
    assertNone(faults);
    if (lines.length > 0) {
      if (!(await this.isOffered())) throw fail.nginx_rules_not_offered('the server of the account uses no nginx');
      assertNone(await proven(lines, this.#proofTimeoutMs));
    }
    const change = () => text;
    const changed = await this.#sites.change(subject, domain, change, (by, domain_url) => ({
      ...by,
      type: 'nginx_rules.set',
      text: `changed the nginx directives of ${domain_url}`,
      data: { domain_url },
    }));
    return entry(changed);
  }
}

const entry = ({ domain, value }: NamedValue<string>): SiteRulesEntry => ({ domain_url: domain, rules: value });

/** Errors: 422 `invalid_nginx_rules`. */
const assertNone = (faults: readonly LineFault[]) => assertFaultless(faults, '/rules', fail.invalid_nginx_rules);
