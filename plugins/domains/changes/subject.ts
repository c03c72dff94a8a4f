import type { Account } from '../../../kernel/identity/accounts/account.ts';

/** Whose domain is changed, as the client wrote its name. */
export interface Subject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
  /** The administrator who does it for the account. */
  readonly by?: string;
}
