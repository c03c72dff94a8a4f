import { retryLater } from '../errors.ts';

interface LimiterOptions {
  /** The maximum number of running tasks. */
  readonly atOnce: number;
  /** The maximum number of running tasks of one account, so that no account can take all slots. */
  readonly perAccount: number;
  /** The maximum number of queued tasks of one account; beyond it, `run` rejects with 503 `overloaded`. */
  readonly waiting: number;
  /** The maximum number of queued tasks of all accounts; unlimited unless given. */
  readonly waitingOfAll?: number;
}

/**
 * Limits costly work for the server and for each account. Queued accounts take turns, each in its own order, so that an
 * account with many tasks delays another by only one task.
 */
export class AccountLimiter {
  readonly #limits: LimiterOptions;
  readonly #running = new Map<number, number>();
  /** Queued tasks by account; the account whose turn is next comes first. */
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

  /**
   * Runs the work once a slot is free. Rejects with the signal's reason if it is aborted before that. Errors:
   * 503 `overloaded`.
   */
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

  /** Passes the slot to a queued task in the same tick, so that no new task can overtake it. */
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
