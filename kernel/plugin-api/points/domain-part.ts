import type { Account } from '../../identity/accounts.ts';

/** A domain of an account, as others are told of it. `docroot` is the client's path. */
export interface DomainPart {
  readonly name: string;
  readonly docroot: string;
  readonly account: Account;
}
