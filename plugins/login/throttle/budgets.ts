import { rateLimited, type HttpError } from '../../../kernel/errors.ts';
import { formatWait } from '../../../kernel/kit/format.ts';
import type { Reader } from '../../../kernel/store/store.ts';
import { failureTimes } from '../store.ts';
import { fail } from '../errors.ts';

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type Window = keyof typeof WINDOW_MS;
const WINDOWS = ['minute', 'hour', 'day'] as const satisfies readonly Window[];
/** Failures in each window after which further attempts are refused. */
export type Limits = Readonly<Record<Window, number>>;

/** A budget in which an attempt needs room. */
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
  waiting: number;
  loading: Promise<void>;
}
/** Room that an attempt has taken. */
export interface Entered {
  readonly budget: Budget;
  readonly release: () => void;
}
type Turn = (name: string, most: number) => Promise<() => void>;

/**
 * Budgets of failures. An attempt runs only while the budget has room for the failures of all running ones, and
 * otherwise waits: concurrent guesses cannot exceed a budget, and concurrent correct logins are not refused.
 */
export class Budgets {
  /** Attempts that were refused. */
  refused = 0;
  readonly #reader: Reader;
  readonly #turn: Turn;
  readonly #clockSlackMs: number;
  readonly #open = new Map<string, Budget>();

  /** `turn` counts attempts in all workers. Failures that are ahead by `clockSlackMs` are those of another node. */
  constructor(reader: Reader, turn: Turn, clockSlackMs: number) {
    this.#reader = reader;
    this.#clockSlackMs = clockSlackMs;
    this.#turn = turn;
  }

  /** Waits for room and takes it, until `leave`. Errors: 429 `rate_limited`, 503 `overloaded`. */
  async enter({ name, limits, since }: BudgetSpec): Promise<Entered> {
    const budget = this.#open.get(name) ?? this.#load(name, limits);
    budget.users += 1;
    try {
      await budget.loading;
      let room = this.#roomIn(budget, since);
      for (;;) {
        if (budget.waiting >= MAX_WAITING)
          throw fail.overloaded('too many attempts are waiting', { retryAfterSeconds: 5 });
        budget.waiting += 1;
        const release = await this.#turn(`failures ${name}`, room).finally(() => (budget.waiting -= 1));
        const asked = room;
        try {
          room = this.#roomIn(budget, since); // others may have failed while this one waited
          if (room >= asked) return { budget, release };
        } catch (error) {
          release();
          throw error;
        }
        release();
      }
    } catch (error) {
      this.#drop(budget);
      throw error;
    }
  }

  leave({ budget, release }: Entered): void {
    release();
    this.#drop(budget);
  }

  /** Counts a failure in those of the budgets that attempts use; the others find it in the store. */
  count(names: readonly string[], at: number): void {
    for (const name of names) this.#open.get(name)?.times.unshift(at);
  }

  forget(name: string): void {
    this.#open.get(name)?.times.splice(0);
  }

  /** Returns how many attempts may fail. Errors: 429 `rate_limited` if none may. */
  #roomIn({ times, limits }: Budget, since: number): number {
    const forgiven = times.findIndex((at) => at <= since);
    if (forgiven >= 0) times.splice(forgiven);
    const { room, waitMs, window } = budgetState(times, limits, Date.now());
    if (waitMs > 0) throw this.#rateLimited(limits, window, waitMs);
    return room;
  }

  #load(name: string, limits: Limits): Budget {
    const budget: Budget = { name, limits, times: [], users: 0, waiting: 0, loading: Promise.resolve() };
    budget.loading = failureTimes(
      this.#reader,
      name,
      Date.now() + this.#clockSlackMs,
      Math.max(limits.minute, limits.hour, limits.day),
    ).then((times) => void budget.times.push(...times)); // after those that were counted while it was loading
    this.#open.set(name, budget);
    return budget;
  }

  #drop(budget: Budget): void {
    budget.users -= 1;
    if (budget.users === 0) this.#open.delete(budget.name);
  }

  #rateLimited(limits: Limits, window: Window, waitMs: number): HttpError {
    this.refused += 1;
    const policies = WINDOWS.map((each) => ({
      name: policyOf(each),
      quota: limits[each],
      windowSeconds: WINDOW_MS[each] / 1000,
    }));
    const detail = `too many failed attempts: try again in ${formatWait(waitMs / 1000)}`;
    return rateLimited(detail, policies, policyOf(window), waitMs / 1000);
  }
}

const policyOf = (window: Window): string => `failures-per-${window}`;

/**
 * Returns how many more failures a budget allows, how long until it allows any, and the window that is used up for so long;
 * `times` are newest first.
 */
export function budgetState(
  times: readonly number[],
  limits: Limits,
  now: number,
): { room: number; waitMs: number; window: Window } {
  let room = Infinity;
  let blocked: { waitMs: number; window: Window } = { waitMs: 0, window: 'minute' };
  for (const window of WINDOWS) {
    const [limit, ms] = [limits[window], WINDOW_MS[window]];
    const recent = times.findIndex((at) => at <= now - ms);
    room = Math.min(room, limit - (recent < 0 ? times.length : recent));
    const blocking = times[limit - 1];
    const waitMs = blocking === undefined ? 0 : blocking + ms - now;
    if (waitMs > blocked.waitMs) blocked = { waitMs, window };
  }
  return { room: Math.max(0, room), ...blocked };
}
