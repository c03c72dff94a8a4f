import { closeSync, fstatSync, openSync, utimesSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { Store, Tx } from './store.ts';

/** The interval of unprompted checks, which cover a process that died between its commit and its announcement. */
const BACKSTOP_MS = 1000;

/** Sentinel mtime that forces the next check to read the revision again. */
const UNREAD = -1;

/**
 * Detects when cached accounts, plans or sessions are out of date, whichever process changed them.
 *
 * Triggers in the store increment a revision with each such change. A process that commits one sets the mtime of a
 * signal file to that revision. The other processes watch the file, and also stat it before they admit a request,
 * because the request may arrive before the watcher's event. If the mtime changed, they hold requests until they have
 * read the revision (`checking`); if another process changed it, they invalidate everything cached (`generation`).
 * Authorizing a request therefore costs comparisons, not a query.
 */
export class Revision {
  /** Data cached under an earlier generation must be read again. */
  generation = 0;
  /** Set while the revision is being read; requests wait for it. */
  checking: Promise<void> | undefined;
  readonly #store: Store;
  readonly #signal: string;
  readonly #log: Log;
  readonly #file: number;
  #known = -1;
  /** The signal file's mtime, in milliseconds, at the last look. */
  #stamp = UNREAD;
  #isLookedAt = false;
  /** Milliseconds since 1970 at the last `look`: one call of the clock for all requests of a turn of the event loop. */
  nowMs = 0;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, dataDir: string, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#signal = join(dataDir, 'revision');
    this.#file = openSync(this.#signal, 'a', 0o600);
  }

  /** Starts to follow changes by other processes, until `close`. */
  async follow(): Promise<void> {
    this.#watcher = watch(this.#signal, { persistent: false }, () => void this.check());
    await this.check();
    this.#timer = setInterval(() => void this.check(), BACKSTOP_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
    closeSync(this.#file);
  }

  /** Starts a check if the signal file's mtime changed. Stats the file at most once per turn of the event loop. */
  look(): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    this.nowMs = Date.now();
    setImmediate(() => (this.#isLookedAt = false));
    const { mtimeMs } = fstatSync(this.#file);
    if (mtimeMs === this.#stamp) return;
    this.#stamp = mtimeMs;
    void this.check();
  }

  /**
   * Runs a transaction that changes accounts, plans or sessions. Once it is durable, `forget` drops only the cached
   * data that it changed.
   */
  mutate<T>(work: (tx: Tx) => Promise<T>, forget: (result: T) => void): Promise<T> {
    return this.#store.write(async (tx) => {
      const before = await current(tx);
      const result = await work(tx);
      const after = await current(tx);
      tx.afterCommit(() => {
        if (before !== this.#known) this.generation += 1;
        this.#known = after;
        forget(result);
        if (after !== before) this.#announce(after);
      });
      return result;
    });
  }

  /**
   * Sets the signal file's mtime to the revision. Another process may have committed later but announced earlier; this
   * overwrites its announcement, so the next look must read the revision again.
   */
  #announce(revision: number): void {
    const isAlone = fstatSync(this.#file).mtimeMs === this.#stamp;
    utimesSync(this.#signal, new Date(), revision);
    this.#stamp = isAlone ? revision * 1000 : UNREAD;
  }

  /** Reads the revision after any check in progress, whose read may have preceded the caller's reason to check. */
  check(): Promise<void> {
    const asked = (this.checking ?? Promise.resolve()).then(async () => {
      const now = await current(this.#store);
      if (now !== this.#known) this.generation += 1;
      this.#known = now;
    });
    const settled = asked
      .catch((error: unknown) => {
        this.generation += 1; // without an answer from the store, no cached data is trusted
        this.#log.error({ err: error }, 'reading the revision of the store failed');
      })
      .finally(() => {
        if (this.checking === settled) this.checking = undefined;
      });
    this.checking = settled;
    return settled;
  }
}

async function current(reader: Pick<Store, 'get'>): Promise<number> {
  return (await reader.get<{ n: number }>('select n from revision'))?.n ?? 0;
}
