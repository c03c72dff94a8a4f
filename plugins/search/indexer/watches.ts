import { watch, type FSWatcher } from 'node:fs';

/** Memory of one watched folder in this process, measured. */
const WATCH_BYTES = 1100;

/** All watchers share a pair of listeners, which read the folder from the watcher: a pair each would add 130 bytes. */
type FolderWatcher = FSWatcher & { folder?: number };

/** Watches the folders of one tree that changed last, by their numbers, as far as `max` and the system allow. */
export class Watches {
  #max: number;
  /** In the order of their last changes. */
  readonly #watchers = new Map<number, FolderWatcher>();
  readonly #onChange: (this: FolderWatcher, event: string) => void;
  readonly #onError: (this: FolderWatcher) => void;
  /** `undefined` before the first comparison. */
  #since: number | undefined;
  /** Whether a folder is not watched because there are too many. */
  isPartial = false;

  constructor(max: number, onChange: (folder: number) => void) {
    this.#max = max;
    const changed = (folder: number, watcher: FolderWatcher) => {
      this.#watchers.delete(folder);
      this.#watchers.set(folder, watcher);
      onChange(folder);
    };
    this.#onChange = function receive(event) {
      if (event === 'rename' && this.folder !== undefined) changed(this.folder, this);
    };
    const remove = this.remove.bind(this);
    this.#onError = function failed() {
      if (this.folder !== undefined) remove([this.folder]);
    };
  }

  get count(): number {
    return this.#watchers.size;
  }

  get sizeBytes(): number {
    return this.count * WATCH_BYTES;
  }

  /** Whether no comparison has wanted folders yet. */
  get isNew(): boolean {
    return this.#since === undefined;
  }

  /** Until the next call, wants folders that were changed at this time or later; NaN for none. */
  wantSince(mtimeMs: number): void {
    this.#since = mtimeMs;
  }

  /** Whether a folder with this modification time should be watched and is not. */
  wants(folder: number, mtimeMs: number): boolean {
    const since = this.#since ?? Number.NaN;
    if (Number.isNaN(since) || this.#watchers.has(folder)) return false;
    if (mtimeMs >= since && this.count < this.#max) return true;
    this.isPartial = true;
    return false;
  }

  /** Watches an open folder that has changed, if need be in place of another; the watch follows it when it is renamed. */
  add(folder: number, descriptor: number): void {
    if (this.#watchers.has(folder)) return;
    if (this.count >= this.#max) {
      this.isPartial = true;
      this.remove([...this.#watchers.keys()].slice(0, 1));
      if (this.#max === 0) return;
    }
    try {
      const watcher: FolderWatcher = watch(`/proc/self/fd/${descriptor}`, { persistent: false });
      watcher.on('change', this.#onChange).on('error', this.#onError);
      watcher.folder = folder;
      this.#watchers.set(folder, watcher);
    } catch {
      this.isPartial = true;
      this.#max = this.count; // the system's limit is lower
    }
  }

  remove(folders: Iterable<number>): void {
    for (const folder of folders) {
      this.#watchers.get(folder)?.close();
      this.#watchers.delete(folder);
    }
  }

  close(): void {
    this.remove([...this.#watchers.keys()]);
  }
}
