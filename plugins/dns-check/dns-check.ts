import { networkInterfaces } from 'node:os';
import type { Host } from '../../kernel/contract/plugin.ts';
import { domainNamed, NO_DOMAINS, siteNames, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { NameServers, type NameAddresses } from '../../kernel/kit/net/name-addresses.ts';
import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import type { DnsCheck, DnsCheckConfig, STATES } from './schema.ts';

/** How long an answer counts: long enough for a page that is loaded again, short enough for somebody who waits for a change. */
const FRESH_MS = 20_000;
const CACHED = 5000;
/** Names that are looked up at a time, and of one account. */
const [SLOTS, OF_ACCOUNT] = [16, 4];
/** Names of one account that wait: those of a few domains. */
const WAITING = 200;

/** Where the names of a domain lead, as the name servers of this node see it. */
export class DnsChecks {
  readonly #domains: DomainDirectory;
  readonly #own: readonly string[];
  readonly #servers: NameServers;
  readonly #queue = new FairQueue({ slots: SLOTS, perClient: OF_ACCOUNT, waiting: WAITING });
  readonly #found = new LRUCache<string, Promise<NameAddresses>>({ ...atMost(CACHED), ttl: FRESH_MS });

  constructor(host: Host<DnsCheckConfig>) {
    const { config } = host;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#own = config.addresses;
    this.#servers = new NameServers(config.resolvers);
  }

  /** Errors: 404 `domain_not_found`; 503 `overloaded`. */
  async check(account: Account, text: string): Promise<DnsCheck> {
    const domain = await domainNamed(this.#domains, account, text);
    const names = siteNames(domain, await this.#domains.list(account));
    const own = this.#ownAddresses();
    const found = await Promise.all(names.map((name) => this.#addressesOf(account, name)));
    return {
      domain_url: domain.name,
      expected: [...own],
      names: names.map((name, i) => {
        const answer = found[i] ?? { addresses: [], isKnown: false };
        return { name, state: stateOf(answer, own), addresses: [...answer.addresses] };
      }),
    };
  }

  #addressesOf({ id }: Account, name: string): Promise<NameAddresses> {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const asked = this.#queue.run(id, () => this.#servers.addressesOf(name));
    this.#found.set(name, asked);
    const forget = () => {
      if (this.#found.peek(name) === asked) this.#found.delete(name);
    };
    asked.then(({ isKnown }) => (isKnown ? undefined : forget()), forget);
    return asked;
  }

  #ownAddresses(): readonly string[] {
    if (this.#own.length > 0) return this.#own;
    return Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address))
      .map(({ address }) => address)
      .slice(0, 64);
  }
}

function stateOf({ addresses, isKnown }: NameAddresses, own: readonly string[]): (typeof STATES)[number] {
  if (addresses.length === 0) return isKnown ? 'none' : 'unknown';
  const here = addresses.filter((each) => own.includes(each));
  return here.length === addresses.length ? 'here' : here.length > 0 ? 'partly' : 'elsewhere';
}
