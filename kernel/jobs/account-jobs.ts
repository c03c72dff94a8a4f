import type { Log } from '../log.ts';
import { filesRootOf, unsafeParentOf, type FilesRoot } from '../system/files-root.ts';
import { JobPool, type JobPoolOptions, type JobRunOptions } from './job-pool.ts';
import { defineJob, type Job, type JobOwner } from './job.ts';
import type unsafeParents from './roots-job.ts';

interface Identified {
  readonly id: number;
  readonly username: string;
}
interface JobsConfig {
  readonly processes: number;
  readonly memory_mib: number;
}

const IDLE_MS = 30_000;
const ANYBODY = 'anybody';
const ROOTS = defineJob<typeof unsafeParents>({
  beside: import.meta.url,
  script: 'roots-job',
  timeoutMs: 5000,
  tooMuch: 'files_unavailable',
});

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
    return { key: id, root: this.rootOf(username) };
  }

  rootOf(username: string): FilesRoot {
    return filesRootOf(this.#filesRoot, username);
  }

  /**
   * Returns the folders from which customers could exchange the files root of one of these accounts. Errors: 503
   * `files_unavailable` if the files do not answer.
   */
  async unsafeParents(usernames: () => Promise<readonly string[]>): Promise<string[]> {
    const anybodys = filesRootOf(this.#filesRoot, ANYBODY);
    // the parent of a root that ends with the user name is the operator's, and the same for all
    if (anybodys.below.length === 0) return [unsafeParentOf(anybodys)].filter((parent) => parent !== undefined);
    const roots = (await usernames()).map((username) => filesRootOf(this.#filesRoot, username));
    return this.#pool.run(ROOTS, { key: 'roots' }, roots);
  }

  /** Opens a pool; the caller closes it. */
  open(options: JobPoolOptions): JobPool {
    return new JobPool(options, this.#log);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
