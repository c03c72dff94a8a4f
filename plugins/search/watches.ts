import { watch, type FSWatcher } from 'node:fs';

/** What one watched folder takes of this process, measured. */
const WATCH_BYTES = 1200;

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
  readonly #onChange: (folder: number) => void;
  readonly #watchers = new Map<number, FSWatcher>();
  /** Whether a folder had to be left out. */
  isPartial = false;

  constructor(budget: WatchBudget, onChange: (folder: number) => void) {
    this.#budget = budget;
    this.#onChange = onChange;
  }

  get count(): number {
    return this.#watchers.size;
  }

  get sizeBytes(): number {
    return this.#watchers.size * WATCH_BYTES;
  }

  /** Watches an open folder, whatever its path is by now. */
  add(folder: number, descriptor: number): void {
    if (this.#watchers.has(folder)) return;
    if (this.#budget.left <= 0) {
      this.isPartial = true;
      return;
    }
    try {
      const watcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false }, (event) => {
        if (event === 'rename') this.#onChange(folder);
      });
      watcher.on('error', () => this.remove([folder]));
      this.#watchers.set(folder, watcher);
      this.#budget.left -= 1;
    } catch {
      this.isPartial = true; // the system's own limit is lower than ours
      this.#budget.left = 0;
    }
  }

  remove(folders: Iterable<number>): void {
    for (const folder of folders) {
      const watcher = this.#watchers.get(folder);
      if (watcher === undefined) continue;
      watcher.close();
      this.#watchers.delete(folder);
      this.#budget.left += 1;
    }
  }

  close(): void {
    this.remove([...this.#watchers.keys()]);
  }
}
