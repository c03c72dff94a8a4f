import type { Account } from '../../identity/accounts.ts';

export interface DemoContext {
  /** The account with every feature. */
  readonly demo: Account;
  /** The account on the smallest plan. */
  readonly other: Account;
}

/** On what of this host a part of the demo rests, in lines for a person. */
export interface DemoReport {
  /** What was found, with its version, and how to see it. */
  readonly uses?: readonly string[];
  /** What was not, why, and how to get it. */
  readonly leftOut?: readonly string[];
}
