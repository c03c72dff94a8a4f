import { closeSync, fstatSync, ftruncateSync, openSync, utimesSync, watch, writeSync, type FSWatcher } from 'node:fs';
import type { ChangeFollower, ChangeSignal } from './change-signal.ts';

/** Sentinel that makes the next look find a change. */
const UNREAD = { size: -1, mtimeMs: -1 };
const MAX_BYTES = 2 ** 20;

/**
 * A file that grows by a byte with each change of the revision. Processes watch it, and also stat it before they admit a
 * request, because the request may arrive before the watcher's event. Of two who append in the same moment, each sees that it
 * was not alone.
 */
export class SignalFile implements ChangeSignal {
  readonly #path: string;
  readonly #file: number;
  /** The file at the last look. */
  #seen = UNREAD;
  #watcher: FSWatcher | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
  }

  async follow({ moved }: Pick<ChangeFollower, 'moved'>): Promise<void> {
    this.#watcher = watch(this.#path, { persistent: false }, () => {
      if (this.hasMoved()) moved();
    });
  }

  hasMoved(): boolean {
    const { size, mtimeMs } = fstatSync(this.#file);
    if (size === this.#seen.size && mtimeMs === this.#seen.mtimeMs) return false;
    this.#seen = { size, mtimeMs };
    return true;
  }

  announce(revision: number): void {
    const before = this.#seen.size;
    this.#seen = UNREAD;
    try {
      writeSync(this.#file, '.');
    } catch {
      return utimesSync(this.#path, new Date(), revision); // a disk that is full still takes a time
    }
    const { size, mtimeMs } = fstatSync(this.#file);
    if (size === before + 1) this.#seen = { size, mtimeMs };
    if (size < MAX_BYTES) return;
    ftruncateSync(this.#file);
    this.#seen = UNREAD;
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    closeSync(this.#file);
  }
}
