/** A snapshot of an account. */
interface Identified {
  readonly id: number;
}

interface Entry<T> {
  readonly account: Identified;
  value: T | undefined;
  /** The time of computation in milliseconds of the monotonic clock; 0 while the first value is computed. */
  at: number;
  flight: Promise<T> | undefined;
}

/** The maximum number of accounts in one cache. */
const REMEMBERED = 10_000;

/**
 * Caches costly values for each account and key. Concurrent callers share one computation, and failures are never
 * cached. A value is valid only for the snapshot of the account that it was computed for.
 */
export class AccountCache<T> {
  readonly #ttlMs: number;
  readonly #staleMs: number;
  readonly #accounts = new Map<number, Map<string, Entry<T>>>();

  /** A value older than `ttlMs`, but not than `staleMs`, is returned once more while it is computed again. */
  constructor(ttlMs: number, staleMs = ttlMs) {
    this.#ttlMs = ttlMs;
    this.#staleMs = staleMs;
  }

  /** Returns the cached value, the promise of a computation in progress, or what `compute` returns. */
  get(account: Identified, key: string, compute: () => T | Promise<T>): T | Promise<T> {
    const entry = this.#accounts.get(account.id)?.get(key);
    if (entry !== undefined && entry.account === account) {
      const ageMs = entry.at === 0 ? Infinity : performance.now() - entry.at;
      if (ageMs < this.#ttlMs) return entry.value as T;
      if (entry.flight === undefined && ageMs < this.#staleMs) this.#refresh(entry, compute);
      if (ageMs < this.#staleMs) return entry.value as T;
      if (entry.flight !== undefined) return entry.flight;
    }
    return this.#compute(account, key, compute);
  }

  /** Returns the age of the cached value in whole seconds, for the `Age` header; 0 if there is none. */
  ageSeconds(account: Identified, key: string): number {
    const at = this.#accounts.get(account.id)?.get(key)?.at ?? 0;
    return at === 0 ? 0 : Math.floor((performance.now() - at) / 1000);
  }

  /** Removes the cached values of an account, and discards computations in progress. */
  drop(accountId: number): void {
    this.#accounts.delete(accountId);
  }

  /** Renews a value in the background. If that fails, the next caller after `staleMs` sees why. */
  #refresh(entry: Entry<T>, compute: () => T | Promise<T>): void {
    entry.flight = Promise.resolve()
      .then(compute)
      .then((value) => this.#keep(entry, value));
    entry.flight.catch(() => (entry.flight = undefined));
  }

  #compute(account: Identified, key: string, compute: () => T | Promise<T>): T | Promise<T> {
    const entry: Entry<T> = { account, value: undefined, at: 0, flight: undefined };
    const result = compute();
    this.#keys(account.id).set(key, entry);
    if (!(result instanceof Promise)) return this.#keep(entry, result);
    entry.flight = result.then(
      (value) => this.#keep(entry, value),
      (error: unknown) => {
        const keys = this.#accounts.get(account.id);
        if (keys?.get(key) === entry) keys.delete(key);
        throw error;
      },
    );
    return entry.flight;
  }

  #keep(entry: Entry<T>, value: T): T {
    entry.value = value;
    entry.at = performance.now();
    entry.flight = undefined;
    return value;
  }

  #keys(accountId: number): Map<string, Entry<T>> {
    let keys = this.#accounts.get(accountId);
    if (keys === undefined) {
      keys = new Map();
      this.#accounts.set(accountId, keys);
      if (this.#accounts.size > REMEMBERED)
        for (const oldest of this.#accounts.keys()) if (this.#accounts.delete(oldest)) break;
    }
    return keys;
  }
}
