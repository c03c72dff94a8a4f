import { errorMessage } from '../../kernel/errors.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';

interface RemovalReport {
  /** Where its files are; `undefined` if it had none. */
  readonly files: string | undefined;
  /** Why they are where they were. */
  readonly problem: string | undefined;
}

/**
 * Removes an account, and moves its files to where only the operator finds them. Errors: 404 `account_not_found`, 409
 * `last_admin`.
 */
export async function removeAccount(
  accounts: Accounts,
  jobs: AccountJobs,
  username: string,
  ip = '',
): Promise<RemovalReport> {
  await accounts.remove(username, ip);
  const removed = await accounts.removed.get(username);
  const { hadFiles, problem } = await jobs
    .setAside(removed)
    .catch((error: unknown) => ({ hadFiles: true, problem: errorMessage(error) }));
  const files = problem === undefined ? jobs.removedRootOf(removed) : removed.filesRoot;
  return { files: hadFiles ? files : undefined, problem };
}
