import { retryLater } from '../errors.ts';

interface LimiterOptions {
  /** How many run at once. */
  readonly atOnce: number;
  /** How many of one account run at once, so that one customer's work does not keep the others' waiting. */
  readonly perAccount: number;
  /** How many of one account may wait; beyond it `run` rejects with 503 `overloaded`. */
  readonly waiting: number;
  /** How many of all accounts may wait; no bound unless said. */
  readonly waitingOfAll?: number;
}

/**
 * Bounds costly work for the server and for each account. Accounts that wait are served in turn, each in its own order,
 * so that one with many requests delays another by one.
 */
export class AccountLimiter {
  readonly #limits: LimiterOptions;
  readonly #running = new Map<number, number>();
  /** Those that wait, by account; the account that is next comes first. */
  readonly #queues = new Map<number, (() => void)[]>();
  #total = 0;
  #waiting = 0;

  constructor(limits: LimiterOptions) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#total;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Does the work when there is room. Rejects with the signal's reason when it is aborted before that, or 503 `overloaded`. */
  async run<T>(account: { readonly id: number }, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#mayStart(account.id)) this.#enter(account.id);
    else await this.#wait(account.id, signal);
    try {
      return await work();
    } finally {
      this.#leave(account.id);
    }
  }

  #wait(accountId: number, signal: AbortSignal): Promise<void> {
    const queue = this.#queues.get(accountId) ?? [];
    const { waiting, waitingOfAll = Infinity } = this.#limits;
    if (queue.length >= waiting || this.#waiting >= waitingOfAll)
      throw retryLater('overloaded', 'too many requests of this kind are waiting', 5);
    this.#queues.set(accountId, queue);
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(start), 1);
        this.#waiting -= 1;
        if (queue.length === 0) this.#queues.delete(accountId);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      queue.push(start);
    });
  }

  #mayStart(accountId: number): boolean {
    return this.#total < this.#limits.atOnce && (this.#running.get(accountId) ?? 0) < this.#limits.perAccount;
  }

  #enter(accountId: number): void {
    this.#total += 1;
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1);
  }

  /** The place passes to a waiting request before a new one can take it. */
  #leave(accountId: number): void {
    this.#total -= 1;
    const left = (this.#running.get(accountId) ?? 1) - 1;
    if (left > 0) this.#running.set(accountId, left);
    else this.#running.delete(accountId);
    for (const [id, queue] of this.#queues) {
      if (!this.#mayStart(id)) continue;
      const start = queue.shift();
      this.#queues.delete(id);
      if (queue.length > 0) this.#queues.set(id, queue);
      this.#waiting -= 1;
      this.#enter(id);
      return start?.();
    }
  }
}
