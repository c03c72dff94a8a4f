import type { Account } from '../../identity/accounts/account.ts';

/** A domain of an account, as providers see it. `docroot` is the path that clients see. */
export interface DomainPart {
  readonly id: number;
  readonly name: string;
  readonly docroot: string;
  readonly account: Account;
}
