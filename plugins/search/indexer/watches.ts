import { watch, type FSWatcher } from 'node:fs';

/** What one watched folder takes of this process, measured. */
const WATCH_BYTES = 1100;

/** One set of listeners for all, told by the watcher for which folder: a pair for each would take 130 bytes more. */
type FolderWatcher = FSWatcher & { folder?: number };

/** How many folders may be watched by all accounts together. */
export class WatchBudget {
  left: number;

  constructor(count: number) {
    this.left = count;
  }
}

/** Watches of the folders of one tree, by the folders' numbers; what the budget or the system does not allow is not watched. */
export class Watches {
  readonly #budget: WatchBudget;
  readonly #watchers: (FolderWatcher | undefined)[] = [];
  readonly #onChange: (this: FolderWatcher, event: string) => void;
  readonly #onError: (this: FolderWatcher) => void;
  #count = 0;
  /** Whether a folder had to be left out. */
  isPartial = false;

  constructor(budget: WatchBudget, onChange: (folder: number) => void) {
    this.#budget = budget;
    this.#onChange = function changed(event) {
      if (event === 'rename' && this.folder !== undefined) onChange(this.folder);
    };
    const remove = this.remove.bind(this);
    this.#onError = function failed() {
      if (this.folder !== undefined) remove([this.folder]);
    };
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#count * WATCH_BYTES;
  }

  /** Watches an open folder, whatever its path is by now. */
  add(folder: number, descriptor: number): void {
    if (this.#watchers[folder] !== undefined) return;
    if (this.#budget.left <= 0) {
      this.isPartial = true;
      return;
    }
    try {
      const watcher: FolderWatcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false });
      watcher.on('change', this.#onChange).on('error', this.#onError);
      watcher.folder = folder;
      this.#watchers[folder] = watcher;
      this.#count += 1;
      this.#budget.left -= 1;
    } catch {
      this.isPartial = true; // the system's own limit is lower than ours
      this.#budget.left = 0;
    }
  }

  remove(folders: Iterable<number>): void {
    for (const folder of folders) {
      const watcher = this.#watchers[folder];
      if (watcher === undefined) continue;
      watcher.close();
      this.#watchers[folder] = undefined;
      this.#count -= 1;
      this.#budget.left += 1;
    }
  }

  close(): void {
    this.remove(this.#watchers.keys());
  }
}
