import type { Log } from '../log.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { Store, Tx } from './store.ts';

/** The interval of unprompted reads, which cover a process that died between its commit and its announcement. */
const POLL_MS = 1000;

/**
 * Detects when cached accounts, plans or sessions are out of date, whichever process changed them.
 *
 * Triggers in the store increment a revision with each such change, and the store's signal tells other processes of it. These
 * hold requests until they have read the revision (`checking`); if another process changed it, they invalidate everything
 * cached (`generation`). Authorizing a request therefore costs comparisons, not a query.
 */
export class Revision {
  /** Data cached under an earlier generation must be read again. */
  generation = 0;
  /** Set while the revision is being read for a reason; requests wait for it. */
  checking: Promise<void> | undefined;
  readonly #store: Store;
  readonly #signal: ChangeSignal;
  readonly #log: Log;
  #known = -1;
  /** When the store last said what the revision is, by the monotonic clock. */
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #isReachable = true;
  #isLookedAt = false;
  /** Milliseconds since 1970 at the last `look`: one call of the clock for all requests of a turn of the event loop. */
  nowMs = 0;
  #polling: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#signal = store.signal;
    this.#log = log;
  }

  /** Starts to follow changes by other processes, until `close`. */
  async follow(): Promise<void> {
    await this.#signal.follow(() => void this.check());
    await this.check();
    this.#timer = setInterval(() => {
      if (this.#polling !== undefined) this.#distrust(); // the store is silent, or slow
      this.#polling ??= this.#read().finally(() => (this.#polling = undefined));
    }, POLL_MS).unref();
  }

  /** Resolves once nothing is being read any more, so that the store can be closed. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#signal.close();
    await this.checking;
    await this.#polling;
  }

  /** Starts a check if another process may have changed the revision. Asks at most once per turn of the event loop. */
  look(): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    this.nowMs = Date.now();
    setImmediate(() => (this.#isLookedAt = false));
    if (this.#signal.hasMoved()) void this.check();
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
        if (after !== before) this.#signal.announce(after);
      });
      return result;
    });
  }

  /** Reads the revision after any check in progress, whose read may have preceded the caller's reason to check. */
  check(): Promise<void> {
    const settled = (this.checking ?? Promise.resolve())
      .then(() => this.#read())
      .finally(() => {
        if (this.checking === settled) this.checking = undefined;
      });
    this.checking = settled;
    return settled;
  }

  /** Makes everything cached be read again if the store has not confirmed it for too long. */
  #distrust(): void {
    if (performance.now() - this.#confirmedMs >= this.#store.graceMs) this.generation += 1;
  }

  /** Never rejects: without an answer, what is cached is trusted no longer than the store's grace. */
  async #read(): Promise<void> {
    try {
      const now = await current(this.#store);
      if (now !== this.#known) this.generation += 1;
      this.#known = now;
      this.#confirmedMs = performance.now();
      if (!this.#isReachable) this.#log.info({ store: this.#store.place }, 'the store answers again');
      this.#isReachable = true;
    } catch (error) {
      this.#distrust();
      if (this.#isReachable) this.#log.error({ err: error }, 'reading the revision of the store failed');
      this.#isReachable = false;
    }
  }
}

async function current(reader: Pick<Store, 'get'>): Promise<number> {
  return (await reader.get<{ n: number }>('select n from revision'))?.n ?? 0;
}
