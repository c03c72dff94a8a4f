import { fail } from '../../errors.ts';
import type { AccountJobs } from '../../kit/jobs/account-jobs.ts';
import type { JobPool } from '../../kit/jobs/job-pool.ts';
import { defineJob, type JobOwner } from '../../kit/jobs/job.ts';
import { assertFits } from './arriving-files.ts';
import type pack from './pack-job.ts';
import type tree from './tree-job.ts';
import type { Extent } from './tree-job.ts';
import type unpack from './unpack-job.ts';

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

/** How much is unpacked until the room is looked at again, and the least that a file takes in an archive. */
const LOOK_BYTES = 4 * 2 ** 20;
const ENTRY_BYTES = 512;

/** The pool in which files are packed and unpacked; the caller closes it. */
export const openMovePool = (jobs: AccountJobs): JobPool =>
  jobs.open({
    name: 'moves',
    processes: 2,
    idleMs: 2 * TREE_MS, // a process holds the archive between two chunks
    isResident: true,
    limits: { memoryMib: 1024, fileMib: 16_384 },
  });

/** A folder of an account at one end of its move, with all that is in it. Errors: 503 `files_unavailable`. */
export class MovedTree {
  readonly #pool: JobPool;
  readonly #owner: JobOwner;
  /** When it is aborted, the process that works on the files is killed. */
  readonly #signal: AbortSignal;
  readonly #isUrgent: boolean;

  /**
   * `owner` has the folder as its root, and a state of its own, in which is what `packed` knows of the archive before. With
   * `isUrgent`, processes of their own work on the files, at normal priority.
   */
  constructor(pool: JobPool, owner: JobOwner, signal: AbortSignal, isUrgent = false) {
    this.#pool = pool;
    this.#owner = isUrgent ? { ...owner, key: `${owner.key} urgent` } : owner;
    this.#signal = signal;
    this.#isUrgent = isUrgent;
  }

  /** Faults of the archive so far, e.g. files that could not be read; empty if there are none. */
  complaint = '';

  /** Resolves with what there is. */
  measure(): Promise<Extent> {
    return this.#extent('measure', this.#owner);
  }

  /** Resolves with what would fit where the folder belongs, which is made if it is missing and `makesRoot`. */
  room({ makesRoot = false } = {}): Promise<Extent> {
    return this.#extent('room', { ...this.#owner, makesRoot });
  }

  /** Resolves with what is the same for equal files: paths, kinds, sizes, permissions and times. */
  async digest(): Promise<string> {
    const { digest = '' } = await this.#pool.run(TREE, this.#owner, { task: 'digest' }, this.#options);
    return digest;
  }

  /** Resolves with some of the paths that changed since a moment, in milliseconds since 1970. */
  async changedSince(since: number): Promise<readonly string[]> {
    const { changed = [] } = await this.#pool.run(TREE, this.#owner, { task: 'changed', since }, this.#options);
    return changed;
  }

  /** An archive: the first one has all files, each other one what has changed since the one before. */
  async *packed(isFirst: boolean): AsyncGenerator<Buffer> {
    const ask = (input: Parameters<typeof pack>[0]) => this.#pool.run(PACK, this.#owner, input, this.#options);
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

  /**
   * Unpacks an archive, into a folder that is made if it is missing. Errors: 409 `move_refused` once the disk has no room for more,
   * whatever the other node has announced.
   */
  async unpack(archive: AsyncIterable<Uint8Array>): Promise<void> {
    const owner = { ...this.#owner, makesRoot: true };
    await this.#pool.run(UNPACK, owner, { task: 'begin' }, this.#options);
    let unseen = 0;
    for await (const bytes of archive) {
      await this.#pool.run(UNPACK, owner, { task: 'write' }, { ...this.#options, bytes });
      unseen += bytes.length;
      if (unseen < LOOK_BYTES) continue;
      assertFits({ bytes: LOOK_BYTES, inodes: LOOK_BYTES / ENTRY_BYTES }, await this.#extent('room', owner));
      unseen = 0;
    }
    await this.#pool.run(FINISH, owner, { task: 'end' }, this.#options);
  }

  async #extent(task: 'measure' | 'room', owner: JobOwner): Promise<Extent> {
    const { extent } = await this.#pool.run(TREE, owner, { task }, this.#options);
    if (extent === undefined) throw new Error('the files were not measured');
    return extent;
  }

  get #options() {
    return { signal: this.#signal, isUrgent: this.#isUrgent };
  }
}
