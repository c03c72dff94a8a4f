import { FairQueue } from '../waiting/fair-queue.ts';

/** Exports and imports at once: of all, and of one account; each runs a program or holds a connection. */
const QUEUE = { slots: 4, perClient: 1, waiting: 1, waitingOfAll: 32 } as const;

/** Has the exports and imports of accounts take turns, and ends those that run when it closes. */
export class DatabaseTransfers {
  readonly #queue = new FairQueue(QUEUE);
  readonly #closing = new AbortController();

  /** `work` gets a signal that is aborted with `signal`, or by `close`. Errors: 503 `overloaded`. */
  async run<T>(accountId: number, signal: AbortSignal, work: (alive: AbortSignal) => Promise<T>): Promise<T> {
    const alive = AbortSignal.any([signal, this.#closing.signal]);
    return this.#queue.run(accountId, () => work(alive), { signal: alive });
  }

  close(reason: Error): void {
    this.#closing.abort(reason);
  }
}
