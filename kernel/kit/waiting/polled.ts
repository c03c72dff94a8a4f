import { withDeadline } from './deadline.ts';
import { PollTimer } from './poll-timer.ts';

/** An age in milliseconds since the end of a measurement, which may depend on how long that took. */
type Age = number | ((tookMs: number) => number);

export interface PolledOptions<T> {
  /** Takes a new value; one run at a time serves all callers. */
  measure(): T | Promise<T>;
  /** Until this age, a value is returned as it is. */
  readonly freshMs: Age;
  /** Until this age, a value is still returned while a new one is measured; defaults to `freshMs`. */
  readonly staleMs?: Age;
  /** Measures in the background at this interval, until `idleMs` after the last call. Failures do not delay it. */
  readonly everyMs?: number;
  readonly idleMs?: number;
  /** How long a caller waits for a measurement, which goes on; then it gets the error of `late`. */
  readonly waitMs?: number;
  late?(): Error;
  /** How long after a failure calls start no measurement; may depend on its error. */
  readonly retryMs?: number | ((error: unknown) => number);
  /** How long after a failure callers do not wait for the next measurement, but are refused at once. */
  readonly knownDownMs?: number;
  /** Makes the error for callers from that of `measure`. */
  failed?(error: unknown): unknown;
  /** Called at the first of several failures with its error, and with `undefined` once a measurement succeeds again. */
  onStateChange?(error: unknown): void;
}

interface Latest<T> {
  readonly value: T;
  /** By the monotonic clock, as all times here. */
  readonly at: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

/** A costly value that many callers poll: measured once for all of them, and again when it is too old. Failures are never kept as values. */
export class Polled<T> {
  readonly #options: PolledOptions<T>;
  readonly #timer: PollTimer | undefined;
  #latest: Latest<T> | undefined;
  #flight: Promise<T> | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #isClosed = false;

  constructor(options: PolledOptions<T>) {
    this.#options = options;
    const { everyMs, idleMs = 0 } = options;
    if (everyMs !== undefined) this.#timer = new PollTimer({ everyMs, idleMs, tick: () => this.renew() });
  }

  /** The newest value, however old it is; measures nothing. */
  get latest(): T | undefined {
    return this.#latest?.value;
  }

  /** Age of the newest value. */
  get ageMs(): number | undefined {
    return this.#latest === undefined ? undefined : performance.now() - this.#latest.at;
  }

  /** Whether the newest measurement succeeded; `undefined` before the first one has ended. */
  get isUp(): boolean | undefined {
    return this.#failure === undefined ? this.#latest && true : false;
  }

  /** Returns the value, a promise only where it has to be measured. Throws at once during a pause after a failure. */
  read(): T | Promise<T> {
    const now = performance.now();
    this.#timer?.poll();
    const latest = this.#latest;
    if (latest !== undefined && now < latest.freshUntil) return latest.value;
    const { knownDownMs = 0, waitMs, late } = this.#options;
    const failedMs = this.#failure === undefined ? Infinity : now - this.#failure.at;
    const stale = latest !== undefined && now < latest.staleUntil ? latest : undefined;
    if (this.#flight !== undefined || failedMs >= this.#retryMs()) {
      const result = this.#start();
      if (!(result instanceof Promise)) return result;
      if (stale === undefined && failedMs >= knownDownMs)
        return waitMs === undefined ? result : withDeadline(result, waitMs, late);
    }
    if (stale !== undefined) return stale.value;
    throw this.#refusal(this.#failure?.error);
  }

  /** Returns the value while it is fresh; otherwise measures it for who asks later. Waits for nothing. */
  peek(): T | undefined {
    this.#timer?.poll();
    const latest = this.#latest;
    if (latest !== undefined && performance.now() < latest.freshUntil) return latest.value;
    this.renew();
    return undefined;
  }

  /** Measures now, unless a measurement is running; a failure concerns the next call only. */
  renew(): void {
    try {
      void this.#start();
    } catch {
      // recorded
    }
  }

  /** Stops the timer; resolves when the measurement that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.close();
    await this.#flight?.catch(() => undefined); // recorded for the callers
  }

  #start(): T | Promise<T> {
    if (this.#flight !== undefined) return this.#flight;
    const startedAt = performance.now();
    let result: T | Promise<T>;
    try {
      result = this.#options.measure();
    } catch (error) {
      throw this.#recordFailure(error);
    }
    if (!(result instanceof Promise)) return this.#keep(result, startedAt);
    const flight = result
      .then(
        (value) => this.#keep(value, startedAt),
        (error: unknown) => {
          throw this.#recordFailure(error);
        },
      )
      .finally(() => (this.#flight = undefined));
    flight.catch(() => undefined); // not every caller waits for it
    return (this.#flight = flight);
  }

  #keep(value: T, startedAt: number): T {
    const at = performance.now();
    const { freshMs, staleMs = freshMs } = this.#options;
    const until = (age: Age) => at + (typeof age === 'number' ? age : age(at - startedAt));
    this.#latest = { value, at, freshUntil: until(freshMs), staleUntil: until(staleMs) };
    if (this.#failure !== undefined) this.#reportState(undefined);
    this.#failure = undefined;
    return value;
  }

  #recordFailure(error: unknown): unknown {
    if (this.#failure === undefined) this.#reportState(error);
    this.#failure = { error, at: performance.now() };
    return this.#refusal(error);
  }

  #retryMs(): number {
    const { retryMs = 0 } = this.#options;
    return typeof retryMs === 'number' ? retryMs : retryMs(this.#failure?.error);
  }

  #reportState(error: unknown): void {
    if (!this.#isClosed) this.#options.onStateChange?.(error);
  }

  #refusal(error: unknown): unknown {
    return this.#options.failed === undefined ? error : this.#options.failed(error);
  }
}
