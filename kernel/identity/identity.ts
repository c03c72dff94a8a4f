import type { Accounts } from './accounts/accounts.ts';
import type { ApiTokens } from './gate/api-tokens/api-tokens.ts';
import type { Credentials } from './gate/credentials.ts';
import type { Keyring } from './gate/keyring.ts';
import type { PasswordHasher } from './gate/password-hasher.ts';
import type { Plans } from './accounts/plans.ts';
import type { Reauthentication } from './gate/reauthentication.ts';
import type { Sessions } from './gate/sessions.ts';

/** The services that authenticate and authorize accounts. */
export interface Identity {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly plans: Plans;
  readonly sessions: Sessions;
  readonly reauthentication: Reauthentication;
  readonly tokens: ApiTokens;
  readonly passwords: PasswordHasher;
  readonly keys: Keyring;
}
