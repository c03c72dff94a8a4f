import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { FileTree } from '../name-index/file-tree.ts';
import { loadTree, saveTree } from '../name-index/index-file.ts';
import { counts } from './counts.ts';
import { searchTree, type Hit, type SearchQuery } from './index-search.ts';
import type { IndexRoom } from './folder-reader.ts';
import { quickWalk } from './quick-walk.ts';
import { buildTree, compareTree, refreshFolder, roomIn, type WalkOptions } from './tree-walk.ts';
import { Watches } from './watches.ts';

/** Changes within this time of each other are handled together; the time grows with the cost of handling them. */
const DEBOUNCE_MS = 30;
const MAX_DEBOUNCE_MS = 500;
/** How long a search waits for the first index, or for the comparison of the index with the disk. */
const WAIT_MS = 1000;
/** How long it waits at least for the first index: walks instead of it take no more time than they leave to it. */
const MIN_WAIT_MS = 250;
/** How often everything is compared although all folders are watched: a notification can be lost. */
const SAFETY_MS = 600_000;
/**
 * While an account searches, and some folders are not watched, all are compared again and again, each time after a pause of
 * this many times the processor time that the last comparison took. So they take a quarter of a processor at most.
 */
const PAUSE = 3;
const MIN_PAUSE_MS = 250;

export interface AccountIndexOptions extends IndexRoom {
  readonly file: string;
  readonly root: FilesRoot;
  /** How old the last comparison may be when some folders are not watched: a search then waits for the next. */
  readonly sweepMs: number;
  readonly maxWatches: number;
  readonly onFailure: (error: unknown) => void;
}

export interface SearchResult {
  /** `undefined` when there is no such folder. */
  readonly hits: Hit[] | undefined;
  /** Whether the hits come from the index, from one that lacks names, or from a bounded walk while there is none. */
  readonly source: 'ready' | 'partial' | 'building';
}

/** The index of one account: loaded or built at its first search, then kept up to date. */
export class AccountIndex {
  readonly #options: AccountIndexOptions;
  readonly #changed = new Set<number>();
  #tree: FileTree | undefined;
  #watches: Watches;
  /** The last update in the queue. */
  #update: Promise<void> = Promise.resolve();
  #debounceTimer: NodeJS.Timeout | undefined;
  #debounceMs = DEBOUNCE_MS;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> | undefined;
  #comparingSince = 0;
  #pauseMs = MIN_PAUSE_MS;
  #isSaved = true;
  #building: Promise<void> | undefined;
  #buildingSince = 0;
  #isClosed = false;

  constructor(options: AccountIndexOptions) {
    this.#options = options;
    this.#watches = this.#newWatches();
  }

  get sizeBytes(): number {
    return (this.#tree?.sizeBytes ?? 0) + this.#watches.sizeBytes;
  }

  get counts(): { files: number; watches: number } {
    const files = this.#tree?.files;
    return { files: (files?.count ?? 0) - (files?.removedCount ?? 0), watches: this.#watches.count };
  }

  /** Loads the index from disk, without a walk. Returns false when there is none that can be used. */
  load(): boolean {
    try {
      this.#tree = loadTree(this.#options.file, this.#options.root.path);
    } catch (error) {
      this.#options.onFailure(error);
    }
    return this.#tree !== undefined;
  }

  /** Walks through all folders. The previous index, if any, answers until the new one is complete. */
  build(): Promise<void> {
    this.#buildingSince = performance.now();
    return (this.#building = this.#build());
  }

  async #build(): Promise<void> {
    const tree = new FileTree();
    await buildTree(tree, this.#options.root, { ...this.#options, shouldStop: () => this.#isClosed });
    if (this.#isClosed) return;
    tree.markBuilt();
    this.#watches.close();
    this.#watches = this.#newWatches();
    this.#changed.clear();
    this.#tree = tree;
    counts.indexesBuilt += 1;
    this.#isSaved = false;
    this.#comparedAt = performance.now();
    globalThis.gc?.(); // garbage of the walk would stay in memory
    void this.#compare().then(() => this.save()); // later, so that searches need not wait for it
  }

  async search(query: SearchQuery): Promise<SearchResult> {
    const { root, sweepMs } = this.#options;
    if (this.#tree === undefined) await this.#waitFor(this.#building, this.#buildingSince, MIN_WAIT_MS);
    if (this.#tree === undefined) return { hits: quickWalk(root, query), source: 'building' };
    const { isPartial } = this.#watches;
    const ageMs = performance.now() - this.#comparedAt;
    if (ageMs > (isPartial ? sweepMs : SAFETY_MS)) await this.#waitFor(this.#compare(), this.#comparingSince);
    else if (isPartial && ageMs > this.#pauseMs) setImmediate(() => void this.#compare()); // after the reply
    const hits = searchTree(this.#tree, root, query, (folder) => this.#onChange(folder));
    if (hits === undefined) return { hits: quickWalk(root, query), source: 'building' };
    const isWhole = !this.#tree.isCut && roomIn(this.#tree, this.#options) > 0;
    return { hits, source: isWhole ? 'ready' : 'partial' };
  }

  /** Writes the index to disk if it changed since the last time. */
  save(): void {
    if (this.#isSaved || this.#tree === undefined) return;
    try {
      saveTree(this.#options.file, this.#options.root.path, this.#tree);
      this.#isSaved = true;
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#debounceTimer);
    this.#watches.close();
    this.save();
  }

  #newWatches(): Watches {
    return new Watches(this.#options.maxWatches, (folder) => this.#onChange(folder));
  }

  get #walkOptions(): WalkOptions {
    const watches = this.#watches;
    return { ...this.#options, watches, shouldStop: () => this.#isClosed || watches !== this.#watches };
  }

  /** Waits for work, at most `WAIT_MS` after it began, but `leastMs` in any case; then the index answers as it is. */
  async #waitFor(work: Promise<void> | undefined, sinceMs: number, leastMs = 0): Promise<void> {
    const left = Math.max(leastMs, sinceMs + WAIT_MS - performance.now());
    // it goes on, and its failure is kept with the folder
    if (work !== undefined && left > 0) await withDeadline(work, left).catch(() => undefined);
  }

  /** Compares all folders with the disk, one comparison at a time. The first watches those that changed last. */
  #compare(): Promise<void> {
    if (this.#comparing !== undefined) return this.#comparing;
    this.#comparingSince = performance.now();
    this.#comparing = this.#enqueue(async (tree) => {
      const watches = this.#watches;
      const { isNew } = watches;
      if (isNew) watches.wantSince(tree.changedSince(this.#options.maxWatches));
      try {
        const { hasChanged, busyMs } = await compareTree(tree, this.#options.root, this.#walkOptions);
        if (hasChanged) this.#isSaved = false;
        this.#pauseMs = Math.max(MIN_PAUSE_MS, PAUSE * busyMs);
      } catch (error) {
        watches.isPartial = true;
        throw error;
      } finally {
        watches.wantSince(Number.NaN);
        this.#comparedAt = performance.now();
      }
      if (isNew) globalThis.gc?.(); // so would that of the file and of the new watches
      if (tree.needsRebuild) this.build().catch(this.#options.onFailure);
    }).finally(() => (this.#comparing = undefined));
    return this.#comparing;
  }

  #onChange(folder: number): void {
    this.#changed.add(folder);
    this.#debounceTimer ??= setTimeout(() => {
      this.#debounceTimer = undefined;
      void this.#enqueue((tree) => this.#refreshChanged(tree));
    }, this.#debounceMs).unref();
  }

  async #refreshChanged(tree: FileTree): Promise<void> {
    const started = performance.now();
    const folders = [...this.#changed];
    this.#changed.clear();
    for (const folder of folders)
      if (!tree.folders.isRemoved(folder)) await refreshFolder(tree, this.#options.root, folder, this.#walkOptions);
    this.#isSaved = false;
    this.#debounceMs = Math.min(MAX_DEBOUNCE_MS, Math.max(DEBOUNCE_MS, 5 * (performance.now() - started)));
  }

  /** Runs updates of the tree one after the other. */
  #enqueue(update: (tree: FileTree) => Promise<void>): Promise<void> {
    this.#update = this.#update.then(async () => {
      if (this.#isClosed || this.#tree === undefined) return;
      try {
        await update(this.#tree);
      } catch (error) {
        this.#options.onFailure(error);
      }
    });
    return this.#update;
  }
}
