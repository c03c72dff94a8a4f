import { AccountJobs, type AccountFiles } from '../../kernel/kit/jobs/account-jobs.ts';
import { createLog } from '../../kernel/log.ts';
import type { FilesRoot } from '../../kernel/kit/files/files-root.ts';

/** A files root whose whole path is the operator's. */
export function rootAt(path: string): FilesRoot {
  return { path, operatorPath: path, below: [] };
}

/** Accounts without user ids of their own, whose jobs keep nothing, unless `over` says otherwise. */
export function accountFiles(filesRoot: string, over: Partial<AccountFiles> = {}): AccountFiles {
  const ids = { first: 0, count: 1_000_000, web_group: '', system_users: false };
  return { filesRoot, stateRoot: '/nonexistent', ids, ...over };
}

/** Jobs of accounts whose files are below `files`, in folders named after them; the caller closes them. */
export function jobsIn(files: string): AccountJobs {
  return new AccountJobs(accountFiles(`${files}/{username}`), { processes: 4, memory_mib: 256 }, createLog('silent'));
}
