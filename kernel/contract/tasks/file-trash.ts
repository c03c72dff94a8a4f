import type { Account } from '../../identity/accounts/account.ts';

/** The service of the plugin that has a trash for the files of accounts. */
export interface FileTrash {
  /** Days for which it keeps what was removed. */
  readonly keptDays: number;
  /** Removes what is older. Resolves with when the oldest was removed that stays, in milliseconds since 1970; `undefined` for an empty trash. */
  expire(account: Account): Promise<number | undefined>;
}
