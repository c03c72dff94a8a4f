/** A snapshot of an account; what is kept for it is dropped when the snapshot is replaced. */
interface Identified {
  readonly id: number;
}

interface Entry<T> {
  readonly account: Identified;
  value: T | undefined;
  /** Milliseconds of the monotonic clock; 0 while the first value is on its way. */
  at: number;
  flight: Promise<T> | undefined;
}

/** How many accounts are remembered in one cache. */
const REMEMBERED = 10_000;

/**
 * What is costly is computed once for all who ask: one flight at a time for an account and a key, failures never
 * kept. The account is part of every key by type, and a value ends with the snapshot that it was made for.
 */
export class AccountCache<T> {
  readonly #ttlMs: number;
  readonly #accounts = new Map<number, Map<string, Entry<T>>>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** The kept value, without a promise, or the one that `compute` is making. */
  get(account: Identified, key: string, compute: () => T | Promise<T>): T | Promise<T> {
    const entry = this.#accounts.get(account.id)?.get(key);
    if (entry !== undefined && entry.account === account) {
      if (entry.at > 0 && performance.now() - entry.at < this.#ttlMs) return entry.value as T;
      if (entry.flight !== undefined) return entry.flight;
    }
    return this.#compute(account, key, compute);
  }

  /** Age in whole seconds of what `get` would answer, for the `Age` header. */
  ageSeconds(account: Identified, key: string): number {
    const at = this.#accounts.get(account.id)?.get(key)?.at ?? 0;
    return at === 0 ? 0 : Math.floor((performance.now() - at) / 1000);
  }

  /** Forgets what is kept for an account, and what is being computed for it. */
  drop(accountId: number): void {
    this.#accounts.delete(accountId);
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
