import type { Account } from '../../kernel/identity/accounts.ts';

/** A domain that is in force. */
export interface Domain {
  readonly id: number;
  readonly accountId: number;
  /** Lower-case ASCII form. */
  readonly name: string;
  /** The client's path, e.g. `/var/www/html/example.com`. */
  readonly docroot: string;
  /** The same below the account's files root, for `Folder.open`. */
  readonly components: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * What the plugin domains offers to those that need it. Domains whose adding or removing is under way are in none of
 * the answers. Whoever keeps something outside in step with the domains compares it with `all` when it is set up:
 * a process that was killed may have told it of a domain that never came to be, or not of one that went.
 */
export interface DomainsService {
  /** Domains of an account by name; at once, without a promise, where they are remembered. */
  list(account: Account): readonly Domain[] | Promise<readonly Domain[]>;
  /** Whether a name, in lower-case ASCII, is one of the account's domains. */
  owns(account: Account, name: string): Promise<boolean>;
  /** Whoever's domain it is; `undefined` when nobody's. */
  find(name: string): Promise<Domain | undefined>;
  /** Every domain of the server in the order of their making, read page by page. */
  all(): AsyncIterable<Domain>;
  /** Calls back with the account's id after each change of its domains in this process; returns what ends it. */
  onChange(listener: (accountId: number) => void): () => void;
}
