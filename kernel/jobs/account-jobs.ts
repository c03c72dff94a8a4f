import { dirname, join } from 'node:path';
import type { Log } from '../log.ts';
import type { Removal } from './remove-tree.ts';
import { filesRootOf, unsafeParentOf, type FilesRoot } from '../system/files-root.ts';
import { JobPool, type JobPoolOptions, type JobRunOptions } from './job-pool.ts';
import { defineJob, type Job, type JobOwner } from './job.ts';
import type removedFiles from './removed-files-job.ts';
import type { RemovedFiles } from './removed-files-job.ts';
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

/** No user name begins with a dot. */
const REMOVED = '.removed';
const REMOVED_FILES = defineJob<typeof removedFiles>({
  beside: import.meta.url,
  script: 'removed-files-job',
  timeoutMs: 60_000,
  tooMuch: 'files_unavailable',
});
/** How long one job removes files, so that the jobs of others take turns with it. */
const REMOVE_MS = 5000;

/** The jobs of accounts, which run in one pool unless they have reason for one of their own. */
export class AccountJobs {
  readonly #filesRoot: string;
  readonly #removedRoot: string;
  readonly #log: Log;
  readonly #pool: JobPool;

  /** `filesRoot` and `removedRoot` are the settings `files_root` and `removed_root`. */
  constructor(filesRoot: string, { processes, memory_mib: memoryMib }: JobsConfig, log: Log, removedRoot = '') {
    this.#filesRoot = filesRoot;
    this.#removedRoot = removedRoot || join(dirname(`${filesRoot.split('{username}')[0]}x`), REMOVED);
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
    const anybodys = this.rootOf(ANYBODY);
    // the parent of a root that ends with the user name is the operator's, and the same for all
    if (anybodys.below.length === 0) return [unsafeParentOf(anybodys)].filter((parent) => parent !== undefined);
    const roots = (await usernames()).map((username) => this.rootOf(username));
    return this.#pool.run(ROOTS, { key: 'roots' }, roots);
  }

  /** Where the files of a removed account lie. */
  removedRootOf(account: Identified): string {
    const { aside, name } = this.#filesOf(account);
    return join(aside, name);
  }

  /**
   * Moves the files of a removed account out of the files root, so that no later account finds them. Resolves with
   * whether there were any, and with the problem if they stay. Errors: 503 `files_unavailable`.
   */
  async setAside(account: Identified): Promise<{ readonly hadFiles: boolean; readonly problem?: string | undefined }> {
    if (this.#isShared) return { hadFiles: false };
    const { removed, problem } = await this.#runRemoved(account, { ...this.#filesOf(account), task: 'set aside' });
    return { hadFiles: removed > 0 || problem !== undefined, problem };
  }

  /**
   * Removes the files of a removed account, wherever they lie, until the signal is aborted. Errors: 503
   * `files_unavailable`.
   */
  async removeFiles(account: Identified, signal: AbortSignal): Promise<Removal> {
    if (this.#isShared) return { removed: 0, isComplete: true };
    const input = { ...this.#filesOf(account), task: 'remove', timeMs: REMOVE_MS } as const;
    for (let total = 0; ;) {
      const { removed, problem, isComplete } = await this.#runRemoved(account, input);
      total += removed;
      if (isComplete || signal.aborted) return { removed: total, problem, isComplete };
    }
  }

  /** The root is the operator's folder above, so that the process keeps the rights of the service. */
  #runRemoved(account: Identified, input: Parameters<typeof removedFiles>[0]): Promise<Removal> {
    const above = dirname(input.root.operatorPath);
    const root = { path: above, operatorPath: above, below: [] };
    return this.#pool.run(REMOVED_FILES, { key: `removed ${account.id}`, root }, input);
  }

  #filesOf({ id, username }: Identified): RemovedFiles {
    return {
      root: this.rootOf(username),
      aside: this.#removedRoot,
      name: `${username}-${id}`,
    };
  }

  /** Whether all accounts have the same files root, which then belongs to none of them. */
  get #isShared(): boolean {
    return !this.#filesRoot.includes('{username}');
  }

  /** Opens a pool; the caller closes it. */
  open(options: JobPoolOptions): JobPool {
    return new JobPool(options, this.#log);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
