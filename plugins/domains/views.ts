import { domainToUnicode } from 'node:url';
import { AccountCache } from '../../kernel/kit/waiting/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import { EtagReply } from '../../kernel/areas/etag-reply.ts';
import type { Store } from '../../kernel/store/store.ts';
import { clientPath } from '../../kernel/kit/files/client-path.ts';
import { parentNames, publicSuffix } from './names/name.ts';
import type { DockerDomains, DomainEntry, DomainList } from './schema.ts';
import type { Domain, DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import { countOfMany, listDomains, listOfMany, type ListedRow } from './store.ts';

/** How long a change made by another process may go unnoticed. */
const TTL_MS = 2000;

/** The most domains on a page. */
const MOST = 500;

/** A domain as its owner sees it. */
interface OwnDomain extends Domain {
  readonly aliases: readonly string[];
  readonly isSuspended: boolean;
  readonly isHeld: boolean;
  readonly shownAs: string;
}

/** The domains of one account, in the forms of all replies. */
export interface DomainView {
  readonly domains: readonly OwnDomain[];
  readonly counts: Omit<DomainList, 'domains' | 'next_cursor'>;
  readonly grouped: DockerDomains;
  readonly list: EtagReply;
  readonly docker: EtagReply;
}

/** Reads domains: one view for each account, built on first use and again after a change. */
export class DomainViews implements DomainDirectory {
  readonly #store: Store;
  readonly #accounts: Accounts;
  readonly #virtualRoot: string;
  readonly #cache = new AccountCache<DomainView>(TTL_MS);
  /** Names that other plugins reserve. */
  readonly reserved = new Set<string>();
  readonly #listeners = new Set<(accountId: number) => void>();

  constructor(store: Store, accounts: Accounts, virtualRoot: string) {
    this.#store = store;
    this.#accounts = accounts;
    this.#virtualRoot = virtualRoot;
  }

  /** Selects a part of the account's view; without a promise where the view is cached. */
  read<T>(account: Account, select: (view: DomainView) => T): T | Promise<T> {
    const view = this.#cache.get(account, '', async () =>
      viewOf(
        account,
        (await listDomains(this.#store, account.id)).map((row) => this.domain(row)),
      ),
    );
    return view instanceof Promise ? view.then(select) : select(view);
  }

  list(account: Account): readonly Domain[] | Promise<readonly Domain[]> {
    return this.read(account, ({ domains }) => domains);
  }

  async *all(): AsyncGenerator<Domain> {
    for await (const page of this.#accounts.pagesOfHere())
      for (const row of await listOfMany(this.#store, idsOf(page))) yield this.domain(row);
  }

  /** Resolves with the number of all. */
  async count(): Promise<number> {
    let total = 0;
    for await (const page of this.#accounts.pagesOfHere()) total += await countOfMany(this.#store, idsOf(page));
    return total;
  }

  reserve(name: string): void {
    this.reserved.add(name);
  }

  onChange(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Drops the account's view and notifies the listeners. */
  invalidate(accountId: number): void {
    this.#cache.drop(accountId);
    for (const listener of this.#listeners) listener(accountId);
  }

  domain({ id, account_id: accountId, name, docroot, aliases, ...row }: ListedRow): OwnDomain {
    const components = docroot === '' ? [] : docroot.split('/');
    const place = { docroot: clientPath(components, this.#virtualRoot), components };
    const states = { isSuspended: row.suspended_at !== null, isHeld: row.held_at !== null };
    const shownAs = row.shown_as || domainToUnicode(name);
    return { id, accountId, name, aliases, ...place, createdAt: row.created_at, ...states, shownAs };
  }
}

const idsOf = (accounts: readonly Account[]): number[] => accounts.map(({ id }) => id);

function viewOf({ plan }: Account, domains: readonly OwnDomain[]): DomainView {
  const grouped = group(domains.map(({ name }) => name));
  const counts = {
    total: domains.length,
    domains_limit: plan?.limits['domains_limit'] ?? 0,
    names_limit: plan?.limits['names_limit'] ?? 0,
  };
  const list = EtagReply.json({ domains: domains.map(domainEntry), ...counts } satisfies DomainList);
  return { domains, counts, grouped, list, docker: EtagReply.json(grouped) };
}

/** Returns one page of an account's domains, which are sorted by name; `cursor` is the last name of the page before. */
export function domainPage({ domains, counts }: DomainView, limit = MOST, cursor: string): EtagReply {
  const after = domains.filter(({ name }) => name > cursor);
  const page = after.slice(0, limit);
  const next_cursor = after.length > limit ? (page.at(-1)?.name ?? null) : null;
  return EtagReply.json({ domains: page.map(domainEntry), ...counts, next_cursor } satisfies DomainList);
}

export function domainEntry({ id, name, aliases, docroot, createdAt, shownAs, ...states }: OwnDomain): DomainEntry {
  const place = { domain_id: id, domain_url: name, shown_as: shownAs, aliases: [...aliases], docroot };
  const suspended = { suspended: states.isSuspended, suspended_by_operator: states.isHeld };
  return { ...place, ...suspended, created_at: new Date(createdAt).toISOString() };
}

/** Separates an account's main domains from its subdomains; a subdomain's main domain is its topmost parent. */
export function group(names: readonly string[]): DockerDomains {
  const known = new Set(names);
  const result: DockerDomains = { maindomains: [], subdomains: [] };
  for (const name of names) {
    const main = parentNames(name).findLast((parent) => known.has(parent));
    const entry = { domain_url: name, tld: publicSuffix(name) };
    if (main === undefined) result.maindomains.push(entry);
    else result.subdomains.push({ ...entry, main_domain: main });
  }
  return result;
}
