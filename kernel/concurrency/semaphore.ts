import { retryLater } from '../errors.ts';

/** Lets a number of tasks run at once; the others wait in the order in which they came. Where accounts compete, see `AccountLimiter`. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #limit: number;
  #free: number;

  /** Beyond `waiting` tasks that wait, `run` rejects with 503 `overloaded`. */
  constructor(slots: number, waiting = Infinity) {
    this.#free = slots;
    this.#limit = waiting;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= this.#limit) throw retryLater('overloaded', 'too many such tasks are waiting', 2);
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
