import type { Account } from '../../identity/accounts/account.ts';

/** An active domain. */
export interface Domain {
  readonly id: number;
  readonly accountId: number;
  /** Lower-case ASCII form. */
  readonly name: string;
  /** Path as clients see it, e.g. `/var/www/html/example.com`. */
  readonly docroot: string;
  /** The same path below the account's files root, for `Folder.open`. */
  readonly components: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A domain of an account, as providers see it. `docroot` is the path that clients see. */
export interface DomainPart {
  readonly name: string;
  readonly docroot: string;
  readonly account: Account;
}

/**
 * The service of the plugin `domains`, for plugins that use it. Only active domains are returned, none that is being added
 * or removed. A plugin that mirrors the domains elsewhere must compare its copy with `all` during setup: a killed
 * process may have announced a domain that was never added, or not announced one that was removed.
 */
export interface DomainDirectory {
  /** Returns the domains of an account by name; without a promise where they are cached. */
  list(account: Account): readonly Domain[] | Promise<readonly Domain[]>;
  /** Reads all domains of the accounts whose home is this node, account by account. */
  all(): AsyncIterable<Domain>;
  /** Calls back with the account's id after each change in this process; returns a function that unsubscribes. */
  onChange(listener: (accountId: number) => void): () => void;
}

/** Stands in where no plugin keeps domains: there are none, and none ever change. */
export const NO_DOMAINS: DomainDirectory = {
  list: () => [],
  async *all() {},
  onChange: () => () => undefined,
};
