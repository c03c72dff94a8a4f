import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import type { Account } from '../../kernel/identity/accounts.ts';
import { formatTime } from '../../kernel/system/format-time.ts';
import { clientPath } from '../../kernel/system/safe-folder.ts';
import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import type { Store } from '../../kernel/storage/store.ts';
import { parentsOf, publicSuffix } from './name.ts';
import type { DockerDomains, DomainEntry } from './schema.ts';
import type { Domain } from './service.ts';
import { listOf, type DomainRow } from './store.ts';

/** How long a change that another process made may go unseen. */
const TTL_MS = 2000;

/** The domains of one account, as each of those who ask needs them. */
interface DomainView {
  readonly domains: readonly Domain[];
  readonly names: ReadonlySet<string>;
  readonly grouped: DockerDomains;
  readonly list: Reply;
  readonly docker: Reply;
}

/** DomainViews by account, made from the store when first asked for after a change. */
export class DomainViews {
  readonly #store: Store;
  readonly #virtualRoot: string;
  readonly #cache = new AccountCache<DomainView>(TTL_MS);

  constructor(store: Store, virtualRoot: string) {
    this.#store = store;
    this.#virtualRoot = virtualRoot;
  }

  of(account: Account): DomainView | Promise<DomainView> {
    return this.#cache.get(account, '', async () =>
      domainView((await listOf(this.#store, account.id)).map((row) => this.domain(row))),
    );
  }

  drop(accountId: number): void {
    this.#cache.drop(accountId);
  }

  domain({ id, account_id: accountId, name, docroot, created_at: createdAt }: DomainRow): Domain {
    const components = docroot === '' ? [] : docroot.split('/');
    return { id, accountId, name, docroot: clientPath(components, this.#virtualRoot), components, createdAt };
  }
}

function domainView(domains: readonly Domain[]): DomainView {
  const grouped = group(domains.map(({ name }) => name));
  const list = ready({ domains: domains.map(entryOf), total: domains.length });
  return { domains, names: new Set(domains.map(({ name }) => name)), grouped, list, docker: ready(grouped) };
}

export function entryOf({ id, name, docroot, createdAt }: Domain): DomainEntry {
  return { domain_id: id, domain_url: name, docroot, created_at: formatTime(createdAt) };
}

/** Which of an account's names are below another one of them; a subdomain's main domain is the one at the top. */
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
