import { siteNames, type Domain } from '../../kernel/areas/sites/domain-directory.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { SiteValues, type SiteSubject } from '../../kernel/areas/sites/site-values.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import type { MainAddress, NewMainAddress } from './schema.ts';
import type { MainAddressRule } from './site-directives.ts';

/** Main addresses of sites: visitors who come by another name of the site are led there. */
export class MainAddresses {
  readonly #host: Host;
  readonly #values: SiteValues<string | null>;

  constructor(host: Host) {
    this.#host = host;
    this.#values = new SiteValues(host, { table: 'main_addresses', name: 'main address', initial: null });
  }

  /** Returns the names of each site of an account, and to which of them the others lead. */
  async list(account: Account): Promise<MainAddress[]> {
    const domains = await this.#values.domains.list(account);
    const stored = await this.#values.stored(domains.map(({ id }) => id));
    return domains.map((domain) => entry(domain, siteNames(domain, domains), stored.get(domain.id)?.value ?? null));
  }

  /** Returns what domains lead to their main address, by the domain's id. */
  async rules(domainIds: readonly number[]): Promise<Map<number, MainAddressRule>> {
    const rules = new Map<number, MainAddressRule>();
    const { accounts } = this.#host.identity;
    for (const [id, { accountId, value }] of await this.#values.served(domainIds)) {
      const account = value === null ? undefined : await accounts.byId(accountId);
      if (account === undefined || value === null) continue;
      const domains = await this.#values.domains.list(account);
      const domain = domains.find((each) => each.id === id);
      const names = domain === undefined ? [] : siteNames(domain, domains);
      const from = names.filter((name) => name !== value);
      // a name that the site no longer has may be another site's by now
      if (names.includes(value) && from.length > 0) rules.set(id, { to: value, from });
    }
    return rules;
  }

  /** Errors: 404 `domain_not_found`; 400 `invalid_main_address`; any error of a provider of `siteChanged`. */
  async set(subject: SiteSubject, { main_address: wanted }: NewMainAddress): Promise<MainAddress> {
    const domain = await this.#values.domain(subject);
    const names = siteNames(domain, await this.#values.domains.list(subject.account));
    if (wanted !== null && !names.includes(wanted))
      throw fail.invalid_main_address('the site does not answer to this name', { path: '/main_address' });
    const { value } = await this.#values.change(
      subject,
      domain,
      () => wanted,
      (by, domain_url) => ({
        ...by,
        type: 'redirect.main_address_set',
        text:
          wanted === null
            ? `had ${domain_url} shown at each of its names`
            : `made ${wanted} the main address of ${domain_url}`,
        data: { domain_url, main_address: wanted },
      }),
    );
    return entry(domain, names, value);
  }
}

const entry = ({ name }: Domain, addresses: string[], main: string | null): MainAddress => ({
  domain_url: name,
  addresses,
  main_address: main !== null && addresses.includes(main) ? main : null,
});
