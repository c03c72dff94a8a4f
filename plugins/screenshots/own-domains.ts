import type { Account } from '../../kernel/identity/accounts/account.ts';

type DomainList = readonly { readonly name: string }[];

/** The part of the `domains` service that this plugin uses. */
export interface Domains {
  list(account: Account): DomainList | Promise<DomainList>;
  /** Calls back with the account's id after each change; returns a function that ends this. */
  onChange(listener: (accountId: number) => void): () => void;
}

/** Looks up the names of an account's domains; synchronously when the list is in memory. */
export class OwnDomains {
  readonly #domains: Domains;
  readonly #names = new WeakMap<DomainList, ReadonlySet<string>>();

  constructor(domains: Domains) {
    this.#domains = domains;
  }

  of(account: Account): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const list = this.#domains.list(account);
    return list instanceof Promise ? list.then((each) => this.#set(each)) : this.#set(list);
  }

  #set(list: DomainList): ReadonlySet<string> {
    let names = this.#names.get(list);
    if (names === undefined) this.#names.set(list, (names = new Set(list.map(({ name }) => name))));
    return names;
  }
}
