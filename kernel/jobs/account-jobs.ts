import type { Log } from '../log.ts';
import { filesRootOf } from '../system/files-root.ts';
import { JobPool, type JobPoolOptions, type JobRunOptions } from './job-pool.ts';
import type { Job, JobOwner } from './job.ts';

interface Identified {
  readonly id: number;
  readonly username: string;
}
interface JobsConfig {
  readonly processes: number;
  readonly memory_mib: number;
}

const IDLE_MS = 30_000;

/** The jobs of accounts, which run in one pool unless they have reason for one of their own. */
export class AccountJobs {
  readonly #filesRoot: string;
  readonly #log: Log;
  readonly #pool: JobPool;

  /** `filesRoot` is the setting `files_root`. */
  constructor(filesRoot: string, { processes, memory_mib: memoryMib }: JobsConfig, log: Log) {
    this.#filesRoot = filesRoot;
    this.#log = log;
    this.#pool = this.open({ name: 'files', processes, idleMs: IDLE_MS, limits: { memoryMib } });
  }

  /** Runs a job as an account. Errors: see `JobPool.run`. */
  run<I, O>(job: Job<I, O>, account: Identified, input: I, options?: JobRunOptions): Promise<O> {
    return this.#pool.run(job, this.ownerOf(account), input, options);
  }

  ownerOf({ id, username }: Identified): JobOwner {
    return { key: id, root: filesRootOf(this.#filesRoot, username) };
  }

  /** Opens a pool; the caller closes it. */
  open(options: JobPoolOptions): JobPool {
    return new JobPool(options, this.#log);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
