export interface RecurringOptions {
  run(): Promise<void>;
  /** Takes what `run` rejects with; the next run is tried all the same. */
  failed(error: unknown): void;
  /** How often it is woken by the clock; 0 for never. */
  readonly everyMs: number;
}

/** Work that runs when woken, and from then on at an interval: one run at a time, and another one if it was woken meanwhile. */
export class Recurring {
  readonly #options: RecurringOptions;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;
  #isClosed = false;

  constructor(options: RecurringOptions) {
    this.#options = options;
  }

  wake(): void {
    if (this.#isClosed) return;
    const { everyMs } = this.#options;
    if (everyMs > 0) this.#timer ??= setInterval(() => this.wake(), everyMs).unref();
    this.#isDue = true;
    this.#running ??= this.#run();
  }

  /** Wakes it, and resolves once a run that began after this call has ended. */
  async settled(): Promise<void> {
    this.wake();
    await this.#running;
  }

  /** Resolves once nothing runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isDue = false;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      try {
        await this.#options.run();
      } catch (error) {
        this.#options.failed(error);
      }
    }
    this.#running = undefined; // in the tick of the check, or a call between them would wake nothing
  }
}
