import { HttpError } from '../../../kernel/errors.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import type { ProgramUser } from '../../../kernel/kit/programs/start-program.ts';
import type scale from './scale-job.ts';
import { fail } from '../errors.ts';

const SCALE = defineJob<typeof scale>({
  beside: import.meta.url,
  script: 'scale-job',
  timeoutMs: 10_000,
  tooMuch: 'screenshots_unavailable',
});
const PROCESSES = 2;
const IDLE_MS = 10_000;
const LIMITS = { memoryMib: 256, openFiles: 128, fileMib: 0, replyMib: 16 };

/**
 * Scales screenshots in processes without any rights: a page that has taken the browser over chooses the bytes, and a
 * fault in the decoder would make its rights the page's.
 */
export class Scaler {
  readonly #pool: JobPool;

  /** `user` is the one that the browser runs as, if not the user of this process. */
  constructor(jobs: AccountJobs, user: ProgramUser | undefined) {
    this.#pool = jobs.open({ name: 'pictures', processes: PROCESSES, idleMs: IDLE_MS, limits: LIMITS, bare: { user } });
  }

  /** Errors: 503 `overloaded`, `screenshots_unavailable`. */
  async scale(accountId: number, png: Uint8Array, width: number): Promise<Uint8Array> {
    try {
      return (await this.#pool.run(SCALE, { key: accountId }, { width }, { bytes: png })).bytes;
    } catch (error) {
      if (error instanceof HttpError && error.code === 'overloaded') throw error;
      throw fail.screenshots_unavailable('the screenshot cannot be scaled at the moment', {
        retryAfterSeconds: 30,
        cause: error,
      });
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
