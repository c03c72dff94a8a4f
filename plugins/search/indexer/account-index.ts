import { setTimeout as delay } from 'node:timers/promises';
import { loadTree, saveTree } from '../name-index/index-file.ts';
import { search, type Hit, type SearchQuery } from './index-search.ts';
import { quickWalk } from './quick-walk.ts';
import { FileTree } from '../name-index/file-tree.ts';
import { build, compare, refresh, type WalkOptions } from './tree-walk.ts';
import { Watches, type WatchBudget } from './watches.ts';

/** Changes that come within this time of each other are looked at together; longer when looking takes longer. */
const GATHER_MS = 30;
const GATHER_MOST_MS = 500;
/** How long a search waits for an index that is being brought up to date. */
const WAIT_MS = 1000;
/** How often everything is compared where all folders are watched: notice of a change can be lost. */
const SAFETY_MS = 600_000;

export interface IndexSettings {
  readonly file: string;
  readonly filesRoot: string;
  readonly maxNames: number;
  /** How often folders that are not watched are compared, when asked. */
  readonly sweepMs: number;
  readonly budget: WatchBudget;
  readonly onFailure: (error: unknown) => void;
}

export interface SearchResult {
  /** `undefined` when there is no such folder. */
  readonly hits: Hit[] | undefined;
  /** Whether they come from the index. */
  readonly isReady: boolean;
}

/** The index of one account: made or read from disk when first asked, then kept fresh. */
export class AccountIndex {
  readonly #settings: IndexSettings;
  readonly #changed = new Set<number>();
  #tree: FileTree | undefined;
  #watches: Watches;
  #work: Promise<void> = Promise.resolve();
  #gathering: NodeJS.Timeout | undefined;
  #gatherMs = GATHER_MS;
  #comparedAt = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> | undefined;
  #comparingSince = 0;
  #isSaved = true;
  #isClosed = false;

  constructor(settings: IndexSettings) {
    this.#settings = settings;
    this.#watches = this.#newWatches();
  }

  get filesRoot(): string {
    return this.#settings.filesRoot;
  }

  get isReady(): boolean {
    return this.#tree !== undefined;
  }

  get sizeBytes(): number {
    return (this.#tree?.sizeBytes ?? 0) + this.#watches.sizeBytes;
  }

  get counts(): { files: number; folders: number; watches: number } {
    const files = this.#tree?.files;
    const folders = this.#tree?.folders;
    return {
      files: (files?.count ?? 0) - (files?.removedCount ?? 0),
      folders: (folders?.count ?? 0) - (folders?.removedCount ?? 0),
      watches: this.#watches.count,
    };
  }

  /** Reads the index from disk, without a walk, where there is a good one. */
  load(): boolean {
    try {
      this.#tree = loadTree(this.#settings.file, this.#settings.filesRoot);
    } catch (error) {
      this.#settings.onFailure(error);
    }
    return this.#tree !== undefined;
  }

  /** Walks through everything. The old index, where there is one, answers meanwhile. */
  async build(): Promise<void> {
    const tree = new FileTree();
    await build(tree, this.#settings.filesRoot, {
      shouldStop: () => this.#isClosed,
      maxNames: this.#settings.maxNames,
    });
    if (this.#isClosed) return;
    tree.settle();
    this.#watches.close();
    this.#watches = this.#newWatches();
    this.#changed.clear();
    this.#tree = tree;
    this.#isSaved = false;
    this.#comparedAt = performance.now();
    this.save();
    void this.#compare();
  }

  async search(query: SearchQuery): Promise<SearchResult> {
    if (this.#tree === undefined) return { hits: quickWalk(this.#settings.filesRoot, query), isReady: false };
    const sweepMs = this.#watches.isPartial ? this.#settings.sweepMs : SAFETY_MS;
    if (performance.now() - this.#comparedAt > sweepMs) await this.#compareFor(WAIT_MS);
    const hits = search(this.#tree, this.#settings.filesRoot, query, (folder) => this.#notice(folder));
    return hits === undefined
      ? { hits: quickWalk(this.#settings.filesRoot, query), isReady: false }
      : { hits, isReady: true };
  }

  /** Writes what changed since the last time. */
  save(): void {
    if (this.#isSaved || this.#tree === undefined) return;
    try {
      saveTree(this.#settings.file, this.#settings.filesRoot, this.#tree);
      this.#isSaved = true;
    } catch (error) {
      this.#settings.onFailure(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    this.#watches.close();
    this.save();
  }

  #newWatches(): Watches {
    return new Watches(this.#settings.budget, (folder) => this.#notice(folder));
  }

  get #walked(): WalkOptions {
    const watches = this.#watches;
    return {
      opened: (folder, descriptor) => watches.add(folder, descriptor),
      removed: (folders) => watches.remove(folders),
      shouldStop: () => this.#isClosed || watches !== this.#watches,
      maxNames: this.#settings.maxNames,
    };
  }

  /** Waits for the comparison, but not longer than this since it began. */
  async #compareFor(ms: number): Promise<void> {
    const compared = this.#compare();
    const left = this.#comparingSince + ms - performance.now();
    if (left > 0) await Promise.race([compared, delay(left, undefined, { ref: false })]);
  }

  /** Compares all folders with what is known, and watches them; one at a time. */
  #compare(): Promise<void> {
    if (this.#comparing !== undefined) return this.#comparing;
    this.#comparingSince = performance.now();
    this.#comparing = this.#callInOrder(async (tree) => {
      this.#watches.isPartial = false;
      if (await compare(tree, this.#settings.filesRoot, this.#walked)) this.#isSaved = false;
      this.#comparedAt = performance.now();
      if (tree.needsRebuild) void this.build();
    }).finally(() => (this.#comparing = undefined));
    return this.#comparing;
  }

  #notice(folder: number): void {
    this.#changed.add(folder);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      void this.#callInOrder((tree) => this.#refresh(tree));
    }, this.#gatherMs).unref();
  }

  async #refresh(tree: FileTree): Promise<void> {
    const started = performance.now();
    const folders = [...this.#changed];
    this.#changed.clear();
    for (const folder of folders)
      if (!tree.folders.isRemoved(folder)) await refresh(tree, this.#settings.filesRoot, folder, this.#walked);
    this.#isSaved = false;
    this.#gatherMs = Math.min(GATHER_MOST_MS, Math.max(GATHER_MS, 5 * (performance.now() - started)));
  }

  /** Whatever changes the tree waits for what changed it before. */
  #callInOrder(work: (tree: FileTree) => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      if (this.#isClosed || this.#tree === undefined) return;
      try {
        await work(this.#tree);
      } catch (error) {
        this.#settings.onFailure(error);
      }
    });
    return this.#work;
  }
}
