import type { Account } from '../../kernel/identity/accounts.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly ending: AbortController;
  waiting: number;
}

/** Work that all who ask for the same thing at once wait for together. It is ended when none of them waits any more. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** Joins the work on `key` of the account, or begins it; `signal` says when this one stops waiting. */
  async join(
    account: Account,
    key: string,
    signal: AbortSignal,
    begin: (ending: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const id = `${account.id} ${key}`;
    const flight = this.#flights.get(id) ?? this.#begin(id, begin);
    flight.waiting += 1;
    const leave = () => {
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#end(id, flight);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await flight.result;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Ends all of it. */
  async close(): Promise<void> {
    const flights = [...this.#flights];
    for (const [id, flight] of flights) this.#end(id, flight);
    await Promise.allSettled(flights.map(([, flight]) => flight.result));
  }

  #begin(id: string, begin: (ending: AbortSignal) => Promise<T>): Flight<T> {
    const ending = new AbortController();
    const flight: Flight<T> = {
      ending,
      waiting: 0,
      result: begin(ending.signal).finally(() => this.#forget(id, flight)),
    };
    this.#flights.set(id, flight);
    return flight;
  }

  /** Whoever asks from now on gets a new one. */
  #end(id: string, flight: Flight<T>): void {
    this.#forget(id, flight);
    flight.ending.abort();
  }

  #forget(id: string, flight: Flight<T>): void {
    if (this.#flights.get(id) === flight) this.#flights.delete(id);
  }
}
