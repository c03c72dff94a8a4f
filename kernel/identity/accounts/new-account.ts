import { fail } from '../../errors.ts';
import type { Tx } from '../../store/store.ts';
import { USERNAME } from '../../kit/files/files-root.ts';
import { assertPlanExists } from './plans.ts';
import type { Role } from './account.ts';
import { assertNameFree } from './account-names.ts';

export interface NewAccount {
  readonly username: string;
  readonly role: Role;
  readonly email?: string;
  /** `null` for a user without a plan, who has no features; must be given, because a forgotten one would mean none. */
  readonly plan?: string | null;
  readonly passwordHash: string;
  /** The node of the fleet for a user; this one unless given. */
  readonly home?: string;
}

/** Throws if no account can be like this. Errors: 400 `invalid_request`. */
export function assertPossible({ username, role, plan }: NewAccount): void {
  if (!USERNAME.test(username))
    throw fail.invalid_request('a user name has 1 to 32 characters of a-z, 0-9, _ and -, and begins with a letter');
  if (role === 'user' && plan === undefined) throw fail.invalid_request('a user needs a plan, or null for none');
  if (role === 'admin' && (plan ?? null) !== null) throw fail.invalid_request('an administrator has no plan');
}

/**
 * Inserts an account that `assertPossible` let pass, at the node `here` unless it names another; resolves with its id.
 * Errors: 404 `plan_not_found`, and those of `assertNameFree`.
 */
export async function insertAccount(tx: Tx, account: NewAccount, here: string): Promise<number> {
  const { username, role, plan = null } = account;
  if (plan !== null) await assertPlanExists(tx, plan);
  await assertNameFree(tx, username);
  return tx.insert(
    'insert into accounts (username, role, email, password_hash, plan, created_at, home) values (?, ?, ?, ?, ?, ?, ?)',
    username,
    role,
    account.email ?? '',
    account.passwordHash,
    plan,
    Date.now(),
    role === 'user' ? (account.home ?? here) : '',
  );
}
