import type { Host } from '../../kernel/contract/plugin.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type DomainDirectory,
  DomainValues,
  type DomainValue,
} from '../../kernel/contract/points/domain-directory.ts';
import { findWebServer, SiteChanges, type SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { readRules } from './language/rules.ts';
import type { RuleFault } from './language/statements.ts';
import { proven } from './proof.ts';
import type { SiteRulesEntry } from './schema.ts';

const SITES = new DomainValues<string>('nginx_rules');

/** Whose site is changed, as the client wrote its domain. */
interface Subject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
}

/** The directives of owners of sites: each change is served before it is stored, and stored only if it is served. */
export class SitesRules {
  readonly #host: Host;
  readonly #domains: DomainDirectory;
  readonly #changes: SiteChanges<DomainValue<string>>;
  readonly #proofTimeoutMs: number;

  constructor(host: Host, proofTimeoutMs: number) {
    this.#host = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#changes = new SiteChanges(host, 'nginx rules');
    this.#proofTimeoutMs = proofTimeoutMs;
  }

  /** Returns the directives of each domain of an account, by name. */
  async list(account: Account): Promise<SiteRulesEntry[]> {
    const domains = await this.#domains.list(account);
    const sites = await SITES.read(
      this.#host.store,
      domains.map(({ id }) => id),
    );
    return domains.map(({ id, name }) => ({ domain_url: name, rules: sites.get(id)?.value ?? '' }));
  }

  async isOffered(): Promise<boolean> {
    return (await findWebServer(this.#host))?.name === 'nginx';
  }

  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const served = this.#changes.served(domainIds, await SITES.read(this.#host.store, domainIds));
    return new Map([...served].map(([id, { value: text }]) => [id, { parts: { 'nginx-rules': { text } } }]));
  }

  /**
   * Takes all directives or none. Errors: 404 `domain_not_found`; 409 `nginx_rules_not_offered`; 422 `invalid_nginx_rules`; 502
   * `webserver_failed`; any error of a provider of `siteChanged`.
   */
  async set({ account, domain: given, ip }: Subject, text: string): Promise<SiteRulesEntry> {
    const { identity, events } = this.#host;
    const domain = await domainNamed(this.#domains, account, given);
    const { lines, faults } = readRules(text);
    assertNone(faults);
    if (lines.length > 0) {
      if (!(await this.isOffered())) throw fail.nginx_rules_not_offered('the server of the account uses no nginx');
      assertNone(await proven(lines, this.#proofTimeoutMs));
    }
    const { id, name, docroot } = domain;
    return this.#changes.inTurn(domain, async () => {
      const wanted = { accountId: account.id, value: text };
      await this.#changes.serve({ id, name, docroot, account }, wanted, async (tx) => {
        await identity.accounts.assertExists(tx, account);
        await SITES.put(tx, id, wanted);
        await events.record(tx, {
          ...{ type: 'nginx_rules.set', account, ip, text: `changed the nginx directives of ${name}` },
          data: { domain_url: name },
        });
      });
      return { domain_url: name, rules: text };
    });
  }

  /** Removes those of a removed domain. */
  forget(domainId: number): Promise<void> {
    return this.#host.store.write((tx) => SITES.remove(tx, domainId));
  }
}

/** Errors: 422 `invalid_nginx_rules`. */
function assertNone(faults: readonly RuleFault[]): void {
  const [first] = faults;
  if (first !== undefined)
    throw fail.invalid_nginx_rules(`on line ${first.line}: ${first.message}`, {
      members: { errors: faults.map((fault) => ({ path: '/rules', ...fault })) },
    });
}
