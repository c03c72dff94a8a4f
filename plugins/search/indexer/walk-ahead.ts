import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileTree } from '../name-index/file-tree.ts';
import type { IndexRoom, ListedFolder } from './folder-reader.ts';

/** Listings as few large values, because many small ones are slow to send between threads. */
interface PackedListings {
  /** Separated by NUL, which no name has. */
  readonly names: string;
  /** For each folder its files, -1 if it could not be listed, its subfolders, and 1 if it may have more. */
  readonly counts: Int32Array;
  /** For each folder inode and modification time. */
  readonly states: Float64Array;
}
export interface WalkAheadData {
  /** Descriptor of the folder that holds the units. */
  readonly parent: number;
  /** Names of the folders that are listed whole. */
  readonly names: readonly string[];
  /** The thread that lists each unit. */
  readonly claims: Int32Array;
  readonly maxDepth: number;
  readonly room: IndexRoom;
}

/** Members of `counts` for each folder. */
const COUNTS = 3;

export const UNCLAIMED = 0;
export const CLAIMED_AHEAD = 2;
const CLAIMED_HERE = 1;

/**
 * Lists folders of a long walk in a second thread, from their end, until both meet. The walk takes over what the thread
 * has listed in the order of the paths, so that the tree is the same as without it.
 */
export class WalkAhead {
  readonly #units: ReadonlyMap<number, number>;
  readonly #claims: Int32Array;
  readonly #thread: Worker;
  readonly #arrived = new Map<number, PackedListings>();
  #isOver = false;
  #notify: () => void = () => {};

  /** `folders` are subfolders of the open folder `parent`, by their numbers and names. */
  constructor(
    parent: number,
    folders: readonly (readonly [id: number, name: string])[],
    maxDepth: number,
    { maxNames, maxInFolder, maxBytes }: IndexRoom,
  ) {
    this.#units = new Map(folders.map(([id], unit) => [id, unit]));
    this.#claims = new Int32Array(new SharedArrayBuffer(folders.length * Int32Array.BYTES_PER_ELEMENT));
    const names = folders.map(([, name]) => name);
    const room = { maxNames, maxInFolder, maxBytes };
    const workerData: WalkAheadData = { parent, names, claims: this.#claims, maxDepth, room };
    const script = `walk-ahead-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    // V8 13 would map 512 MiB for machine code, which is more than the job's process may have
    const resourceLimits = { codeRangeSizeMb: 16 };
    this.#thread = new Worker(fileURLToPath(new URL(script, import.meta.url)), { workerData, resourceLimits });
    this.#thread.on('message', ({ unit, listings }: { unit: number; listings: PackedListings }) => {
      this.#arrived.set(unit, listings);
      this.#notify();
    });
    const over = () => {
      this.#isOver = true;
      this.#notify();
    };
    this.#thread.on('error', over).on('exit', over);
  }

  /** Resolves with the listings of a folder if the thread has it; `undefined` if the caller is to list it. */
  async take(folder: number): Promise<PackedListings | undefined> {
    const unit = this.#units.get(folder);
    if (unit === undefined || Atomics.compareExchange(this.#claims, unit, UNCLAIMED, CLAIMED_HERE) === UNCLAIMED)
      return undefined;
    while (!this.#arrived.has(unit) && !this.#isOver) await new Promise<void>((resolve) => (this.#notify = resolve));
    const listings = this.#arrived.get(unit);
    this.#arrived.delete(unit);
    return listings;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

/** Packs folders as they were listed; `undefined` stands for one that could not be. */
export function packed(listings: readonly (ListedFolder | undefined)[]): PackedListings {
  const names: string[] = [];
  const counts = new Int32Array(listings.length * COUNTS);
  const states = new Float64Array(listings.length * 2);
  for (const [i, listed] of listings.entries()) {
    const { files, folders } = listed?.listing ?? {};
    counts.set([files?.length ?? -1, folders?.length ?? 0, listed?.isCut === true ? 1 : 0], i * COUNTS);
    states.set([listed?.state.inode ?? 0, listed?.state.mtimeMs ?? Number.NaN], i * 2);
    for (const name of listed?.listing.files ?? []) names.push(name);
    for (const name of listed?.listing.folders ?? []) names.push(name);
  }
  return { names: names.join('\0'), counts, states };
}

/** Fills a folder of the tree, and all below it. Returns the number of folders that were listed. */
export function fillFrom(tree: FileTree, folder: number, { names: text, counts, states }: PackedListings): number {
  const names = text.split('\0');
  let [next, at, listed] = [0, 0, 0];
  const fill = (id: number): void => {
    const [files = -1, folders = 0, cut = 0] = counts.subarray(next * COUNTS);
    const state = { inode: states[next * 2] ?? 0, mtimeMs: states[next * 2 + 1] ?? Number.NaN };
    next += 1;
    if (files < 0) return;
    listed += 1;
    tree.setState(id, state, cut === 1);
    const listing = { files: names.slice(at, at + files), folders: names.slice(at + files, at + files + folders) };
    at += files + folders;
    for (const each of tree.fill(id, listing)) fill(each);
  };
  fill(folder);
  return listed;
}
