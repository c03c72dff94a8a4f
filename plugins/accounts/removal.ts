import { errorMessage } from '../../kernel/errors.ts';
import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { AccountJobs } from '../../kernel/kit/jobs/account-jobs.ts';
import type { Host } from '../../kernel/contract/plugin.ts';

interface RemovalHost {
  readonly identity: { readonly accounts: Accounts };
  readonly jobs: AccountJobs;
  readonly gather: Host['gather'];
}
interface RemovalReport {
  /** Says what plugins keep of it. */
  readonly kept: readonly string[];
  /** Where its files are; `undefined` if it had none. */
  readonly files: string | undefined;
  /** Why they are where they were. */
  readonly problem: string | undefined;
}

/**
 * Removes an account, and moves its files to where only the operator finds them. Errors: 404 `account_not_found`, 409
 * `last_admin`; those for which a plugin does not let it go.
 */
export async function removeAccount(
  { identity: { accounts }, jobs, gather }: RemovalHost,
  username: string,
  ip = '',
): Promise<RemovalReport> {
  const kept: string[] = [];
  for (const part of await gather('removing', await accounts.get(username))) {
    if (!part.ok) throw part.error;
    if (part.value !== undefined) kept.push(part.value);
  }
  await accounts.remove(username, ip);
  const removed = await accounts.removed.get(username);
  const { hadFiles, problem } = await jobs
    .setAside(removed)
    .catch((error: unknown) => ({ hadFiles: true, problem: errorMessage(error) }));
  const files = problem === undefined ? jobs.removedRootOf(removed) : removed.filesRoot;
  return { kept, files: hadFiles ? files : undefined, problem };
}
