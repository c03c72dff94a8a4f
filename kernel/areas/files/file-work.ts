import type { Account } from '../../identity/accounts/account.ts';
import type { Job } from '../../kit/jobs/job.ts';
import type { AccountTask, Counted } from '../tasks/task-store.ts';

/** The service of the plugin `files`: long work on files of an account, which its clients follow as they follow that plugin's own. */
export interface FileWork {
  /** Begins the work of a job on what is at a path, as clients see it. Errors: 400 `invalid_path`, 503 `overloaded`. */
  begin<I>(account: Account, kind: 'empty', path: string, job: Job<I, Counted>, input: I): Promise<AccountTask>;
}
