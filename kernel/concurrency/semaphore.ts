import { retryLater } from '../errors.ts';

/**
 * Limits the number of running tasks; the others wait in order of arrival. Where accounts compete, see
 * `FairQueue`.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #limit: number;
  #free: number;

  /** Allows `waiting` queued tasks; beyond it, `run` rejects with 503 `overloaded`. */
  constructor(slots: number, waiting = Infinity) {
    this.#free = slots;
    this.#limit = waiting;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= this.#limit)
      throw retryLater('overloaded', 'too many tasks of this kind are waiting', 2);
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
