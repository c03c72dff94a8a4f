/** First come, first served within an account, and accounts in turn, so that one with many wishes delays another by one. */
export class FairQueue<T> {
  readonly #limit: number;
  readonly #limitOfAccount: number;
  readonly #waiting = new Map<number, T[]>();
  #size = 0;

  constructor(limit: number, limitOfAccount: number) {
    this.#limit = limit;
    this.#limitOfAccount = limitOfAccount;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether there was room. */
  push(accountId: number, item: T): boolean {
    const own = this.#waiting.get(accountId) ?? [];
    if (this.#size >= this.#limit || own.length >= this.#limitOfAccount) return false;
    this.#waiting.set(accountId, [...own, item]);
    this.#size += 1;
    return true;
  }

  shift(): T | undefined {
    for (const [accountId, [first, ...rest]] of this.#waiting) {
      this.#waiting.delete(accountId);
      if (rest.length > 0) this.#waiting.set(accountId, rest);
      this.#size -= 1;
      return first;
    }
    return undefined;
  }
}
