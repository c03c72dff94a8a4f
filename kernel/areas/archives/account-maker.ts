import type { Account } from '../../identity/accounts/account.ts';
import type { Tx } from '../../store/store.ts';
import type { IncomingBody } from '../../contract/incoming-body.ts';
import type { ImportNotes } from '../../contract/points/archive-part.ts';

/** An account as it was where it comes from. */
export interface FormerAccount {
  readonly username: string;
  readonly email: string;
  readonly locale: string;
  readonly plan: string | null;
  readonly is_suspended: boolean;
  /** Features in which it differed from its plan. */
  readonly features: Readonly<Record<string, boolean>>;
}
export interface FormerDatabase {
  readonly engine: string;
  readonly name: string;
}

/** An account that comes from elsewhere. What is called rejects with errors for which the account does not come, unless it says more. */
export interface AccountSource {
  readonly account: FormerAccount;
  readonly databases: readonly FormerDatabase[];
  /** Takes what people are told. */
  readonly told: ImportNotes;
  /** Names it for `AccountMaker.unmake`; empty where an operator removes what a killed process left. */
  readonly name: string;
  /** Whether features that it was granted are granted again; else they are named for the operator to grant. */
  readonly grants: boolean;
  /** Brings the files. It is called first, once nothing of the account's name was found that is somebody's. */
  files(account: Account): Promise<void>;
  /** Resolves with the statements of a database, which is missing if this rejects. */
  dump(account: Account, database: FormerDatabase): Promise<IncomingBody>;
  /** Puts back what plugins keep in the store, and leaves the account open unless it was suspended. */
  settings(account: Account): Promise<void>;
  /** Records where the account has come from, in the transaction by which it stays. */
  record(tx: Tx, account: Account): Promise<void>;
}

/** How an account is made of a source. */
export interface Making {
  readonly username: string;
  readonly plan: string | null;
  readonly passwordHash: string;
  /** Tells people which step begins. */
  readonly say: (step: string) => void;
  readonly signal: AbortSignal;
}

/** The service of the plugin that makes accounts of what is elsewhere. */
export interface AccountMaker {
  /**
   * Makes an account. Whatever fails removes it again, except a database and what a source can do without. Errors: those of
   * `Accounts.create` and of the source, 409 `name_in_use`.
   */
  make(source: AccountSource, making: Making): Promise<Account>;
  /**
   * Removes what a killed process left of the account that it made of a source; `id` is that account's, if `AccountSource.files` was called.
   * An account that was complete stays. Resolves with why something is left.
   */
  unmake(source: string, id: number | null): Promise<readonly string[]>;
}
