/** Remembers values for a time, at most a number of them; the oldest leave first. */
export class Recent<T> {
  readonly #ttlMs: number;
  readonly #limit: number;
  readonly #entries = new Map<string, { readonly value: T; readonly untilMs: number }>();

  constructor(ttlMs: number, limit: number) {
    this.#ttlMs = ttlMs;
    this.#limit = limit;
  }

  /** The value, and in how many whole seconds it is forgotten. */
  get(key: string): { readonly value: T; readonly seconds: number } | undefined {
    const entry = this.#entries.get(key);
    const leftMs = (entry?.untilMs ?? 0) - performance.now();
    if (entry !== undefined && leftMs > 0) return { value: entry.value, seconds: Math.ceil(leftMs / 1000) };
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: performance.now() + this.#ttlMs });
    for (const oldest of this.#entries.keys()) if (this.#entries.size > this.#limit) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
