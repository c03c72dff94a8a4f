import { performance } from 'node:perf_hooks';
import { rateHeaders, rateLimited } from '../../kernel/errors.ts';
import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';

const WINDOW_MS = 60_000;
const ACCOUNTS = 10_000;

/**
 * Counts the calls of each account, minute by minute. Each call is an event, and an account keeps 10,000 of those: an agent in a
 * loop, or a thief with a token that only reads, would else push out of the log what others have done.
 */
export class CallBudget {
  readonly #quota: number;
  readonly #now: () => number;
  readonly #tell: (accountId: number) => void;
  readonly #windows = new LRUCache<number, { calls: number; readonly endMs: number }>(atMost(ACCOUNTS));

  /** `tell` lets other workers count a call that was taken. */
  constructor(quota: number, now = () => performance.now(), tell: (accountId: number) => void = () => undefined) {
    this.#quota = quota;
    this.#tell = tell;
    this.#now = now;
  }

  /** Returns the headers that tell what is left. Errors: 429 `rate_limited`. */
  take(accountId: number): Readonly<Record<string, string>> {
    const now = this.#now();
    const window = this.#windowOf(accountId, now);
    const seconds = Math.max(1, Math.ceil((window.endMs - now) / 1000));
    const policy = { name: 'calls', quota: this.#quota, windowSeconds: WINDOW_MS / 1000 };
    if (window.calls >= this.#quota) {
      const detail = `agents of an account make at most ${this.#quota} calls a minute: wait ${seconds} s`;
      throw rateLimited(detail, [policy], policy.name, seconds);
    }
    window.calls += 1;
    this.#tell(accountId);
    return rateHeaders([policy], policy.name, this.#quota - window.calls, seconds);
  }

  /** Counts a call that another worker took. */
  note(accountId: number): void {
    this.#windowOf(accountId, this.#now()).calls += 1;
  }

  #windowOf(accountId: number, now: number): { calls: number; readonly endMs: number } {
    let window = this.#windows.get(accountId);
    if (window === undefined || window.endMs <= now) {
      window = { calls: 0, endMs: now + WINDOW_MS };
      this.#windows.set(accountId, window);
    }
    return window;
  }
}
