import { AccountJobs } from '../../kernel/jobs/account-jobs.ts';
import { createLog } from '../../kernel/log.ts';
import type { FilesRoot } from '../../kernel/system/files-root.ts';

/** A files root whose whole path is the operator's. */
export function rootAt(path: string): FilesRoot {
  return { path, operatorPath: path, below: [] };
}

/** Jobs of accounts whose files are below `files`, in folders named after them; the caller closes them. */
export function jobsIn(files: string): AccountJobs {
  return new AccountJobs(`${files}/{username}`, { processes: 4, memory_mib: 256 }, createLog('silent'));
}
