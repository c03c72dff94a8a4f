import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import type { JobPool } from '../../../kernel/kit/jobs/job-pool.ts';
import { defineJob, type Identified } from '../../../kernel/kit/jobs/job.ts';
import type pack from './pack-job.ts';
import type tree from './tree-job.ts';
import type { Extent } from './tree-job.ts';
import type unpack from './unpack-job.ts';
import { fail } from '../errors.ts';

/** A walk of many files, and the end of an archive, take long. */
const TREE_MS = 310_000;
/** Time limit of a chunk: its file system may hang, and `tar` may be silent for ten seconds. */
const CHUNK_MS = 60_000;
const define = { beside: import.meta.url, tooMuch: 'files_unavailable' } as const;
const TREE = defineJob<typeof tree>({ ...define, script: 'tree-job', timeoutMs: TREE_MS });
const PACK = defineJob<typeof pack>({ ...define, script: 'pack-job', timeoutMs: CHUNK_MS });
const UNPACK = defineJob<typeof unpack>({ ...define, script: 'unpack-job', timeoutMs: CHUNK_MS });
const FINISH = { ...UNPACK, timeoutMs: TREE_MS };
/** For how long `tar` may look at folders before it writes. */
const PATIENCE_MS = 900_000;

/** The pool in which files are packed and unpacked; the caller closes it. */
export const openMovePool = (jobs: AccountJobs): JobPool =>
  jobs.open({
    name: 'moves',
    processes: 2,
    idleMs: 2 * TREE_MS, // a process holds the archive between two chunks
    isResident: true,
    limits: { memoryMib: 1024, fileMib: 16_384 },
  });

/** The files of an account at one end of its move. Errors: 503 `files_unavailable`. */
export class MovedFiles {
  readonly #jobs: AccountJobs;
  readonly #pool: JobPool;
  readonly #account: Identified;
  /** When it is aborted, the process that works on the files is killed. */
  readonly #signal: AbortSignal;
  readonly #isUrgent: boolean;

  /** With `isUrgent`, processes of their own work on the files, at normal priority. */
  constructor(jobs: AccountJobs, pool: JobPool, account: Identified, signal: AbortSignal, isUrgent = false) {
    this.#jobs = jobs;
    this.#pool = pool;
    this.#account = account;
    this.#signal = signal;
    this.#isUrgent = isUrgent;
  }

  /** Returns the same files, for work during which the account is read-only. */
  urgently(): MovedFiles {
    return new MovedFiles(this.#jobs, this.#pool, this.#account, this.#signal, true);
  }

  /** Faults of the archive so far, e.g. files that could not be read; empty if there are none. */
  complaint = '';

  get path(): string {
    return this.#jobs.rootOf(this.#account.username).path;
  }

  /** Resolves with what there is. */
  measure(): Promise<Extent> {
    return this.#tree('measure');
  }

  /** Resolves with what would fit where the files of the account belong. */
  room(): Promise<Extent> {
    return this.#tree('room');
  }

  /** Resolves with what is the same for equal files: paths, kinds, sizes, permissions and times. */
  async digest(): Promise<string> {
    const { digest = '' } = await this.#pool.run(TREE, this.#owner(), { task: 'digest' }, this.#options);
    return digest;
  }

  /** Resolves with some of the paths that changed since a moment, in milliseconds since 1970. */
  async changedSince(since: number): Promise<readonly string[]> {
    const { changed = [] } = await this.#pool.run(TREE, this.#owner(), { task: 'changed', since }, this.#options);
    return changed;
  }

  /** An archive: the first one has all files, each other one what has changed since the one before. */
  async *packed(isFirst: boolean): AsyncGenerator<Buffer> {
    const ask = (input: Parameters<typeof pack>[0]) => this.#pool.run(PACK, this.#owner(), input, this.#options);
    await ask({ task: 'begin', isFirst });
    for (let heard = performance.now(); ;) {
      const { bytes, output } = await ask({ task: 'read' });
      this.complaint = output.complaint;
      if (output.isLast) return;
      if (bytes.length > 0) {
        heard = performance.now();
        yield Buffer.from(bytes);
      } else if (performance.now() - heard > PATIENCE_MS)
        throw fail.files_unavailable('tar writes nothing', { retryAfterSeconds: 60 });
    }
  }

  /** Unpacks an archive, into a folder that is made if it is missing. */
  async unpack(archive: AsyncIterable<Uint8Array>): Promise<void> {
    const owner = this.#owner({ makesRoot: true });
    await this.#pool.run(UNPACK, owner, { task: 'begin' }, this.#options);
    for await (const bytes of archive)
      await this.#pool.run(UNPACK, owner, { task: 'write' }, { ...this.#options, bytes });
    await this.#pool.run(FINISH, owner, { task: 'end' }, this.#options);
  }

  /** Removes the files, and what jobs kept for the account. Errors: those of `AccountJobs.removeFiles`. */
  async remove(): Promise<void> {
    const { problem, isComplete } = await this.#jobs.removeFiles(this.#account, this.#signal);
    if (problem !== undefined || !isComplete)
      throw fail.files_unavailable(`files of ${this.#account.username} stay: ${problem ?? 'too many'}`, {
        retryAfterSeconds: 60,
      });
  }

  async #tree(task: 'measure' | 'room'): Promise<Extent> {
    const { extent } = await this.#pool.run(TREE, this.#owner(), { task }, this.#options);
    if (extent === undefined) throw new Error('the files were not measured');
    return extent;
  }

  #owner(more: { readonly makesRoot?: boolean } = {}) {
    const owner = this.#jobs.ownerOf(this.#account, { state: 'move', ...more });
    return this.#isUrgent ? { ...owner, key: `${owner.key} urgent` } : owner;
  }

  get #options() {
    return { signal: this.#signal, isUrgent: this.#isUrgent };
  }
}
