import { watch, type FSWatcher } from 'node:fs';

/** Memory of one watched folder in this process, measured. */
const WATCH_BYTES = 1100;

/** All watchers share a pair of listeners, which read the folder from the watcher: a pair each would add 130 bytes. */
type FolderWatcher = FSWatcher & { folder?: number };

/** How many more folders all accounts together may watch. */
export class WatchBudget {
  left: number;

  constructor(count: number) {
    this.left = count;
  }
}

/** Watches the folders of one tree, by their numbers, as far as the budget and the system allow. */
export class Watches {
  readonly #budget: WatchBudget;
  readonly #watchers: (FolderWatcher | undefined)[] = [];
  readonly #onChange: (this: FolderWatcher, event: string) => void;
  readonly #onError: (this: FolderWatcher) => void;
  #count = 0;
  /** Whether a folder is not watched. */
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

  /** Watches an open folder; the watch follows it when it is renamed. */
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
      this.isPartial = true; // the system's limit is lower than the budget
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
