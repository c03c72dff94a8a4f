import { closeSync, fstatSync, openSync, utimesSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { Store, Tx } from './store.ts';

/** How often the store is asked in case a process died between its commit and its announcement. */
const BACKSTOP_MS = 1000;

/** In the place of a time of change, where the next look is to find another one. */
const UNREAD = -1;

/**
 * Tells when something remembered about accounts, plans or sessions is out of date, whichever process changed it.
 *
 * Triggers in the store move a number with each such change. A process that commits one gives a file that number as its
 * time of change. All others watch it, and look at it before they let requests in, because a watcher may hear of it later
 * than a socket of its request: they hold those until they have read the number again (`checking`), and where it moved
 * without their doing they forget everything (`generation`). A gate therefore costs comparisons, not a query.
 */
export class Revision {
  /** What was remembered under an earlier generation must be read again. */
  generation = 0;
  /** Set while the store is being asked whether another process changed something. */
  checking: Promise<void> | undefined;
  readonly #store: Store;
  readonly #signal: string;
  readonly #log: Log;
  readonly #file: number;
  #known = -1;
  /** The file's time of change when it was last looked at. */
  #stamp = UNREAD;
  #isLookedAt = false;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, dataDir: string, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#signal = join(dataDir, 'revision');
    this.#file = openSync(this.#signal, 'a', 0o600);
  }

  /** Starts to notice other processes. `close` ends it. */
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

  /** Starts a check where another process changed something. Asks the system once in a turn of the event loop. */
  look(): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    setImmediate(() => (this.#isLookedAt = false));
    const { mtimeMs } = fstatSync(this.#file);
    if (mtimeMs === this.#stamp) return;
    this.#stamp = mtimeMs;
    void this.check();
  }

  /** A transaction that changes accounts, plans or sessions; `forget` drops just what it changed, once it is durable. */
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

  /** Another process may have committed after this one and told of it before: then what it told is not taken for read. */
  #announce(revision: number): void {
    const isAlone = fstatSync(this.#file).mtimeMs === this.#stamp;
    utimesSync(this.#signal, new Date(), revision);
    this.#stamp = isAlone ? revision * 1000 : UNREAD;
  }

  /** Asks the store; several calls at once share the asking, and one that comes later asks again. */
  check(): Promise<void> {
    const asked = (this.checking ?? Promise.resolve()).then(async () => {
      const now = await current(this.#store);
      if (now !== this.#known) this.generation += 1;
      this.#known = now;
    });
    const settled = asked
      .catch((error: unknown) => {
        this.generation += 1; // while the store does not answer, nothing remembered is trusted
        this.#log.error({ err: error }, 'the revision of the store could not be read');
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
