import { closeSync, fstatSync, openSync, utimesSync, watch, type FSWatcher } from 'node:fs';
import type { ChangeFollower, ChangeSignal } from './change-signal.ts';

/** Sentinel mtime that makes the next look find a change. */
const UNREAD = -1;

/**
 * A file whose mtime is the newest revision. Processes watch it, and also stat it before they admit a request, because the
 * request may arrive before the watcher's event.
 */
export class SignalFile implements ChangeSignal {
  readonly #path: string;
  readonly #file: number;
  /** The mtime, in milliseconds, at the last look. */
  #stamp = UNREAD;
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
    const { mtimeMs } = fstatSync(this.#file);
    if (mtimeMs === this.#stamp) return false;
    this.#stamp = mtimeMs;
    return true;
  }

  /**
   * Another process may have committed later but announced earlier; this overwrites that, unseen, so the next look finds a
   * change.
   */
  announce(revision: number): void {
    utimesSync(this.#path, new Date(), revision);
    this.#stamp = UNREAD;
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    closeSync(this.#file);
  }
}
