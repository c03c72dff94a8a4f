interface PollTimerOptions {
  readonly everyMs: number;
  /** How long after the last poll the timer stops. */
  readonly idleMs: number;
  tick(): void;
  onIdle?(): void;
}

/** Ticks at an interval while somebody polls; costs nothing otherwise. */
export class PollTimer {
  readonly #options: PollTimerOptions;
  #timer: NodeJS.Timeout | undefined;
  #polledAt = 0;
  #isClosed = false;

  constructor(options: PollTimerOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  poll(): void {
    this.#polledAt = performance.now();
    if (!this.#isClosed) this.#timer ??= setInterval(() => this.#tick(), this.#options.everyMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #tick(): void {
    if (performance.now() - this.#polledAt <= this.#options.idleMs) return this.#options.tick();
    this.#stop();
    this.#options.onIdle?.();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
