import type { Accounts } from './accounts.ts';
import type { Keys } from './auth.ts';
import type { Passwords } from './passwords.ts';
import type { Plans } from './plans.ts';
import type { Sessions } from './sessions.ts';

/** Who may do what, and how they prove it. */
export interface Directory {
  readonly accounts: Accounts;
  readonly plans: Plans;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly keys: Keys;
}
