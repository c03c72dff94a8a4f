import type { Accounts } from './accounts.ts';
import type { Keyring } from './keyring.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Plans } from './plans.ts';
import type { Sessions } from './sessions.ts';

/** Who may do what, and how they prove it. */
export interface Identity {
  readonly accounts: Accounts;
  readonly plans: Plans;
  readonly sessions: Sessions;
  readonly passwords: PasswordHasher;
  readonly keys: Keyring;
}
