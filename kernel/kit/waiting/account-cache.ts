import { Polled } from './polled.ts';

/** A snapshot of an account. */
interface Identified {
  readonly id: number;
}

interface Entry<T> {
  readonly account: Identified;
  readonly value: Polled<T>;
  compute: () => T | Promise<T>;
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
    let entry = this.#accounts.get(account.id)?.get(key);
    if (entry === undefined || entry.account !== account) entry = this.#add(account, key, compute);
    entry.compute = compute;
    return entry.value.read();
  }

  /** Removes the cached values of an account, and discards computations in progress. */
  drop(accountId: number): void {
    this.#accounts.delete(accountId);
  }

  #add(account: Identified, key: string, compute: () => T | Promise<T>): Entry<T> {
    const entry: Entry<T> = {
      account,
      compute,
      value: new Polled({ measure: () => entry.compute(), freshMs: this.#ttlMs, staleMs: this.#staleMs }),
    };
    this.#keys(account.id).set(key, entry);
    return entry;
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
