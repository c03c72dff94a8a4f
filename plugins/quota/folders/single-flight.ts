import type { Account } from '../../../kernel/identity/accounts/account.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs one computation for all concurrent callers with the same key, and aborts it when the last one stops waiting. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Joins the computation of `key` for the account, or starts it; this caller stops waiting when `signal` aborts. */
  async join(
    account: Account,
    key: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const id = `${account.id} ${key}`;
    const flight = this.#flights.get(id) ?? this.#start(id, start);
    flight.waiting += 1;
    const leave = () => {
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#abort(id, flight);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await flight.result;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Aborts all computations, and waits until they have ended. */
  async close(): Promise<void> {
    const flights = [...this.#flights];
    for (const [id, flight] of flights) this.#abort(id, flight);
    await Promise.allSettled(flights.map(([, flight]) => flight.result));
  }

  #start(id: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = {
      controller,
      waiting: 0,
      result: start(controller.signal).finally(() => this.#forget(id, flight)),
    };
    this.#flights.set(id, flight);
    return flight;
  }

  /** Aborts a computation; later callers start a new one. */
  #abort(id: string, flight: Flight<T>): void {
    this.#forget(id, flight);
    flight.controller.abort();
  }

  #forget(id: string, flight: Flight<T>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}
