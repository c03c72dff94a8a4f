import type { Account } from '../../kernel/identity/accounts.ts';

/** What this plugin asks of the plugin domains. */
export interface Domains {
  list(account: Account): readonly { readonly name: string }[] | Promise<readonly { readonly name: string }[]>;
  /** Calls back with the account's id after each change; returns what ends it. */
  onChange(listener: (accountId: number) => void): () => void;
}

/** Names of an account's domains; without a promise where they are remembered. */
export class OwnDomains {
  readonly #domains: Domains;
  readonly #names = new WeakMap<readonly { readonly name: string }[], ReadonlySet<string>>();

  constructor(domains: Domains) {
    this.#domains = domains;
  }

  of(account: Account): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const list = this.#domains.list(account);
    return list instanceof Promise ? list.then((each) => this.#set(each)) : this.#set(list);
  }

  #set(list: readonly { readonly name: string }[]): ReadonlySet<string> {
    let names = this.#names.get(list);
    if (names === undefined) this.#names.set(list, (names = new Set(list.map(({ name }) => name))));
    return names;
  }
}
