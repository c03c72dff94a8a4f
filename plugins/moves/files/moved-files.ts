import { MovedTree } from '../../../kernel/areas/moves/moved-tree.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';

/** The files of an account at one end of its move. Errors: 503 `files_unavailable`. */
export class MovedFiles extends MovedTree {
  readonly #jobs: AccountJobs;
  readonly #pool: JobPool;
  readonly #account: Identified;
  readonly #signal: AbortSignal;

  /** `signal`, `isUrgent`: see `MovedTree`. */
  constructor(jobs: AccountJobs, pool: JobPool, account: Identified, signal: AbortSignal, isUrgent = false) {
    super(pool, jobs.ownerOf(account, { state: 'move' }), signal, isUrgent);
    this.#jobs = jobs;
    this.#pool = pool;
    this.#account = account;
    this.#signal = signal;
  }

  /** Returns the same files, for work during which the account is read-only. */
  urgently(): MovedFiles {
    return new MovedFiles(this.#jobs, this.#pool, this.#account, this.#signal, true);
  }

  get path(): string {
    return this.#jobs.rootOf(this.#account.username).path;
  }

  /** Removes the files, and what jobs kept for the account. Errors: those of `AccountJobs.removeFiles`. */
  async remove(): Promise<void> {
    const { problem, isComplete } = await this.#jobs.removeFiles(this.#account, this.#signal);
    if (problem !== undefined || !isComplete)
      throw fail.files_unavailable(`files of ${this.#account.username} stay: ${problem ?? 'too many'}`, {
        retryAfterSeconds: 60,
      });
  }
}
