import type { Log } from '../log.ts';
import type { AccountChange, ChangeFollower, ChangeSignal, NodeProcesses } from './change-signal.ts';
import { monotonicMs } from '../kit/waiting/monotonic.ts';
import type { Store, Tx } from './store.ts';

/** No change is known. */
const UNKNOWN = -1;
/**
 * The revision is read unprompted once nothing was heard of it for so long: a process may have died between its commit and its
 * announcement, or the one that listens for all. How often that is looked at is what makes it a second at most.
 */
const QUIET_MS = 700;
const TICK_MS = 250;

/**
 * Detects when cached accounts, plans or sessions are out of date, whichever process changed them.
 *
 * Triggers in the store increment a revision with each such change, note whose it is in a list of the last changes, and the
 * store's signal tells other processes. A process that knows of all changes before the one that it is told forgets what it has
 * of that account. Otherwise it holds requests until it has read the list (`checking`). Changes of all accounts, and
 * whatever the list does not explain, invalidate everything cached (`generation`). Authorizing a request therefore costs
 * comparisons, not a query.
 */
export class Revision {
  /** Data cached under an earlier generation must be read again. */
  generation = 0;
  /** Set while the revision is being read for a reason; requests wait for it. */
  checking: Promise<void> | undefined;
  readonly #store: Store;
  readonly #signal: ChangeSignal;
  readonly #log: Log;
  readonly #forget: (accountId: number) => void;
  /** All changes up to this one are known; -1 = nothing is. */
  #known = UNKNOWN;
  /** When the store, as far as it answered, was last asked what the revision is, by `monotonicMs`. */
  #confirmedMs = Number.NEGATIVE_INFINITY;
  /** When this process last had a reason to ask by itself. */
  #polledMs = Number.NEGATIVE_INFINITY;
  #isReachable = true;
  #isLookedAt = false;
  /** Milliseconds since 1970 at the last `look`: one call of the clock for all requests of a turn of the event loop. */
  nowMs = 0;
  #polling: Promise<void> | undefined;
  /** A check that has not begun yet. */
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `forget` invalidates what is cached of one account. */
  constructor(store: Store, log: Log, forget: (accountId: number) => void) {
    this.#store = store;
    this.#signal = store.signal;
    this.#log = log;
    this.#forget = forget;
  }

  /** Starts to follow changes by other processes, until `close`. */
  async follow(node: NodeProcesses): Promise<void> {
    const follower: ChangeFollower = {
      moved: (change) => this.#moved(change),
      confirmed: (n, atMs) => {
        if (n === this.#known) this.#confirm(atMs);
        else void this.check(); // or a change of this process came after it
      },
      replaced: () => {
        this.#known = UNKNOWN;
        void this.check();
      },
    };
    await this.#signal.follow(follower, node);
    await this.check();
    this.#timer = setInterval(() => this.#poll(), TICK_MS).unref();
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
        if (this.#known < before)
          void this.check(); // others made changes meanwhile
        else this.#known = Math.max(this.#known, after);
        forget(result);
        if (after !== before) this.#signal.announce(after);
      });
      return result;
    });
  }

  /** Reads the revision after any check in progress, whose read may have preceded the caller's reason to check. */
  check(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const settled = (this.checking ?? Promise.resolve())
      .then(() => {
        this.#next = undefined;
        return this.#read();
      })
      .finally(() => {
        if (this.checking === settled) this.checking = undefined;
      });
    this.#next = settled;
    this.checking = settled;
    return settled;
  }

  #moved(change?: AccountChange): void {
    if (change === undefined || change.n > this.#known + 1) void this.check();
    else if (change.n > this.#known) this.#learn(change.n, [change]);
  }

  /** Invalidates what changes up to `n` made out of date, if these are all of them. */
  #learn(n: number, changes: readonly Pick<AccountChange, 'accountId'>[], after = n - 1): void {
    this.#known = n;
    if (changes.length !== n - after || changes.some(({ accountId }) => accountId === null)) this.generation += 1;
    else for (const { accountId } of changes) if (accountId !== null) this.#forget(accountId);
  }

  #poll(): void {
    const now = monotonicMs();
    if (now - Math.max(this.#confirmedMs, this.#polledMs) < QUIET_MS) return;
    this.#polledMs = now;
    if (this.#polling !== undefined) this.#distrust(); // the store is silent, or slow
    this.#polling ??= this.#read().finally(() => (this.#polling = undefined));
  }

  #confirm(atMs: number): void {
    this.#confirmedMs = Math.max(this.#confirmedMs, atMs);
    if (!this.#isReachable) this.#log.info({ store: this.#store.place }, 'the store answers again');
    this.#isReachable = true;
  }

  /** Makes everything cached be read again if the store has not confirmed it for too long. */
  #distrust(): void {
    if (monotonicMs() - this.#confirmedMs >= this.#store.graceMs) this.generation += 1;
  }

  /** Never rejects: without an answer, what is cached is trusted no longer than the store's grace. */
  async #read(): Promise<void> {
    const [after, askedMs] = [this.#known, monotonicMs()];
    try {
      const { n, changes } = await changesAfter(this.#store, after);
      // Later changes may have been told of while this was read, and the database replaced, which needs another answer.
      if (this.#known >= after && (n > this.#known || n < after)) this.#learn(n, changes, after);
      this.#confirm(askedMs);
    } catch (error) {
      this.#distrust();
      if (this.#isReachable)
        this.#log.error({ err: error }, 'the store does not answer: its revision could not be read');
      this.#isReachable = false;
    }
  }
}

async function changesAfter(
  reader: Pick<Store, 'all'>,
  after: number,
): Promise<{ n: number; changes: AccountChange[] }> {
  const rows = await reader.all<{ n: number; change: number | null; account_id: number | null }>(
    `select revision.n, revision_changes.n as change, account_id from revision
      left join revision_changes on revision_changes.n > ?`,
    after,
  );
  const changes = rows.flatMap(({ change: n, account_id: accountId }) => (n === null ? [] : [{ n, accountId }]));
  return { n: rows[0]?.n ?? 0, changes };
}

async function current(reader: Pick<Store, 'get'>): Promise<number> {
  return (await reader.get<{ n: number }>('select n from revision'))?.n ?? 0;
}
