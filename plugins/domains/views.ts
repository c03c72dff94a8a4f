import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import type { Store } from '../../kernel/storage/store.ts';
import { clientPath } from '../../kernel/system/client-path.ts';
import { parentsOf, publicSuffix } from './name.ts';
import type { DockerDomains, DomainEntry } from './schema.ts';
import type { Domain, DomainDirectory } from '../../kernel/plugin-api/points/domain-directory.ts';
import { listOf, pages, type DomainRow } from './store.ts';

/** How long a change made by another process may go unnoticed. */
const TTL_MS = 2000;

/** The domains of one account, in the forms of all replies. */
export interface DomainView {
  readonly domains: readonly Domain[];
  readonly grouped: DockerDomains;
  readonly list: Reply;
  readonly docker: Reply;
}

/** Reads domains: one view for each account, built on first use and again after a change. */
export class DomainViews implements DomainDirectory {
  readonly #store: Store;
  readonly #virtualRoot: string;
  readonly #cache = new AccountCache<DomainView>(TTL_MS);
  readonly #listeners = new Set<(accountId: number) => void>();

  constructor(store: Store, virtualRoot: string) {
    this.#store = store;
    this.#virtualRoot = virtualRoot;
  }

  /** Selects a part of the account's view; without a promise where the view is cached. */
  read<T>(account: Account, select: (view: DomainView) => T): T | Promise<T> {
    const view = this.#cache.get(account, '', async () =>
      viewOf((await listOf(this.#store, account.id)).map((row) => this.domain(row))),
    );
    return view instanceof Promise ? view.then(select) : select(view);
  }

  list(account: Account): readonly Domain[] | Promise<readonly Domain[]> {
    return this.read(account, ({ domains }) => domains);
  }

  async *all(): AsyncGenerator<Domain> {
    for await (const page of pages(this.#store)) for (const row of page) yield this.domain(row);
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

  domain({ id, account_id: accountId, name, docroot, created_at: createdAt }: DomainRow): Domain {
    const components = docroot === '' ? [] : docroot.split('/');
    return { id, accountId, name, docroot: clientPath(components, this.#virtualRoot), components, createdAt };
  }
}

function viewOf(domains: readonly Domain[]): DomainView {
  const grouped = group(domains.map(({ name }) => name));
  const list = ready({ domains: domains.map(entryOf), total: domains.length });
  return { domains, grouped, list, docker: ready(grouped) };
}

export function entryOf({ id, name, docroot, createdAt }: Domain): DomainEntry {
  return { domain_id: id, domain_url: name, docroot, created_at: new Date(createdAt).toISOString() };
}

/** Separates an account's main domains from its subdomains; a subdomain's main domain is its topmost parent. */
export function group(names: readonly string[]): DockerDomains {
  const known = new Set(names);
  const result: DockerDomains = { maindomains: [], subdomains: [] };
  for (const name of names) {
    const main = parentsOf(name).findLast((parent) => known.has(parent));
    const entry = { domain_url: name, tld: publicSuffix(name) };
    if (main === undefined) result.maindomains.push(entry);
    else result.subdomains.push({ ...entry, main_domain: main });
  }
  return result;
}
