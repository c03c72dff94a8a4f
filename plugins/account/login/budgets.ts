import { retryLater } from '../../../kernel/errors.ts';
import type { Reader } from '../../../kernel/storage/store.ts';
import { failureTimes } from '../store.ts';

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
/** Failures in each window after which further attempts are refused. */
export type Limits = Readonly<Record<keyof typeof WINDOW_MS, number>>;

/** What an attempt has to have room in. */
export interface BudgetSpec {
  readonly name: string;
  readonly limits: Limits;
  /** Failures up to this time do not count, in milliseconds since 1970. */
  readonly since: number;
}

/** Attempts that may wait for one budget; more are refused. */
const MAX_WAITING = 256;

/** A budget of failures while attempts use it. */
export interface Budget {
  readonly name: string;
  readonly limits: Limits;
  /** Times of failures, newest first. */
  times: number[];
  users: number;
  running: number;
  readonly waiting: (() => void)[];
  loading: Promise<void>;
}

/**
 * Budgets of failures. An attempt runs only while the budget has room for the failures of all running ones, and
 * otherwise waits: concurrent guesses cannot exceed a budget, and concurrent correct logins are not refused.
 */
export class Budgets {
  /** Attempts that were refused. */
  refused = 0;
  readonly #reader: Reader;
  readonly #open = new Map<string, Budget>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Waits for room and takes it, until `leave`. Errors: 429 `rate_limited`, 503 `overloaded`. */
  async enter({ name, limits, since }: BudgetSpec): Promise<Budget> {
    const budget = this.#open.get(name) ?? this.#load(name, limits);
    budget.users += 1;
    try {
      await budget.loading;
      for (;;) {
        const forgiven = budget.times.findIndex((at) => at <= since);
        if (forgiven >= 0) budget.times.splice(forgiven);
        const { room, waitMs } = budgetState(budget.times, limits, Date.now());
        if (waitMs > 0) throw this.#rateLimited(waitMs);
        if (budget.running < room) break;
        if (budget.waiting.length >= MAX_WAITING) throw retryLater('overloaded', 'too many attempts are waiting', 5);
        await new Promise<void>((resolve) => void budget.waiting.push(resolve));
      }
      budget.running += 1;
      return budget;
    } catch (error) {
      this.#drop(budget);
      throw error;
    }
  }

  leave(budget: Budget): void {
    budget.running -= 1;
    for (const wake of budget.waiting.splice(0)) wake();
    this.#drop(budget);
  }

  /** Counts a failure in those of the budgets that attempts use; the others find it in the store. */
  count(names: readonly string[], at: number): void {
    for (const name of names) this.#open.get(name)?.times.unshift(at);
  }

  #load(name: string, limits: Limits): Budget {
    const budget: Budget = { name, limits, times: [], users: 0, running: 0, waiting: [], loading: Promise.resolve() };
    budget.loading = failureTimes(
      this.#reader,
      name,
      Date.now(),
      Math.max(limits.minute, limits.hour, limits.day),
    ).then((times) => void budget.times.push(...times)); // after those that were counted while it was loading
    this.#open.set(name, budget);
    return budget;
  }

  #drop(budget: Budget): void {
    budget.users -= 1;
    if (budget.users === 0) this.#open.delete(budget.name);
  }

  #rateLimited(waitMs: number) {
    this.refused += 1;
    return retryLater('rate_limited', 'too many failed attempts; try again later', waitMs / 1000);
  }
}

/** Returns how many more failures a budget allows, and how long until it allows any; `times` are newest first. */
export function budgetState(times: readonly number[], limits: Limits, now: number): { room: number; waitMs: number } {
  let room = Infinity;
  let waitMs = 0;
  for (const window of ['minute', 'hour', 'day'] as const) {
    const [limit, ms] = [limits[window], WINDOW_MS[window]];
    const recent = times.findIndex((at) => at <= now - ms);
    room = Math.min(room, limit - (recent < 0 ? times.length : recent));
    const blocking = times[limit - 1];
    if (blocking !== undefined) waitMs = Math.max(waitMs, blocking + ms - now);
  }
  return { room: Math.max(0, room), waitMs };
}
