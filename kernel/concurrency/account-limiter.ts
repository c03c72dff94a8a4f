import { retryLater } from '../errors.ts';

export interface LimiterOptions {
  /** How many run at once. */
  readonly atOnce: number;
  /** How many of one account run at once, so that one customer's work does not keep the others' waiting. */
  readonly perAccount: number;
  /** How many of one account may wait; beyond it `run` rejects with 503 `overloaded`. */
  readonly waiting: number;
}

interface Waiter {
  readonly accountId: number;
  readonly start: () => void;
}

/** Costly work takes turns: bounded for the server and for each account, first come first served among those that may. */
export class AccountLimiter {
  readonly #limits: LimiterOptions;
  readonly #running = new Map<number, number>();
  readonly #queue: Waiter[] = [];
  #total = 0;

  constructor(limits: LimiterOptions) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#total;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Does the work when its turn comes; whoever's signal is aborted before that gives the turn up. */
  async run<T>(account: { readonly id: number }, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(account.id, signal);
    try {
      return await work();
    } finally {
      this.#leave(account.id);
    }
  }

  async #take(accountId: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#mayStart(accountId)) return this.#enter(accountId);
    if (this.#queue.filter((waiter) => waiter.accountId === accountId).length >= this.#limits.waiting) {
      throw retryLater('overloaded', 'too many requests of this kind are waiting', 5);
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        accountId,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#queue.push(waiter);
    });
  }

  #mayStart(accountId: number): boolean {
    return this.#total < this.#limits.atOnce && (this.#running.get(accountId) ?? 0) < this.#limits.perAccount;
  }

  #enter(accountId: number): void {
    this.#total += 1;
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  /** The turn passes to the first in the queue that may have it, before anybody new can take it. */
  #leave(accountId: number): void {
    this.#total -= 1;
    const left = (this.#running.get(accountId) ?? 1) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
    const next = this.#queue.findIndex((waiter) => this.#mayStart(waiter.accountId));
    const [waiter] = next < 0 ? [] : this.#queue.splice(next, 1);
    if (waiter === undefined) return;
    this.#enter(waiter.accountId);
    waiter.start();
  }
}
