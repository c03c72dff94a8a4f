import type { Accounts } from './accounts/accounts.ts';
import type { ApiTokens } from './api-tokens/api-tokens.ts';
import type { Credentials } from './credentials.ts';
import type { Keyring } from './keyring.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { Plans } from './plans.ts';
import type { Reauthentication } from './reauthentication.ts';
import type { Sessions } from './sessions.ts';

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
