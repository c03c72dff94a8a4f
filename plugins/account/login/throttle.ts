import { createHash } from 'node:crypto';
import { HttpError, retryLater, type ErrorCode } from '../../../kernel/errors.ts';
import type { Store, Tx } from '../../../kernel/storage/store.ts';
import { networkOf } from '../../../kernel/system/ip.ts';
import { addFailures, failureTimes, forgetFailures, isKnownNetwork } from '../store.ts';

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
/** Failures in each window after which further attempts are refused. */
type Limits = Readonly<Record<keyof typeof WINDOW_MS, number>>;

/** Errors of an attempt that count as a failure. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['invalid_credentials', 'invalid_code']);
/** Attempts that may wait for one budget; more are refused. */
const MAX_WAITING = 256;

/** One check of a password or code. An unknown name has no `accountId`, but is treated alike. */
interface Attempt {
  readonly username: string;
  readonly accountId: number | undefined;
  readonly ip: string;
}

/** A budget of failures while attempts use it. */
interface Budget {
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
 * Limits how often passwords and codes can be guessed, by account and by client address. An attempt runs only while the
 * budget has room for the failures of all running ones, and otherwise waits: concurrent guesses cannot exceed a budget,
 * and concurrent correct logins are not refused. Failures are stored, so that they survive a restart.
 */
export class Throttle {
  readonly counts = { failed: 0, refused: 0 };
  readonly #store: Store;
  readonly #limits: { readonly account: Limits; readonly address: Limits };
  readonly #budgets = new Map<string, Budget>();

  constructor(store: Store, limits: { readonly account: Limits; readonly address: Limits }) {
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Runs `check` when the budgets allow it. If it rejects with `invalid_credentials` or `invalid_code`, the failure is
   * stored, with what `record` writes, before `guard` rejects with the same error. Errors: 429 `rate_limited`,
   * 503 `overloaded`.
   */
  async guard<T>(attempt: Attempt, check: () => Promise<T>, record: (tx: Tx) => Promise<void>): Promise<T> {
    const network = networkOf(attempt.ip);
    const name = budgetOf(attempt.username);
    const isKnown = await isKnownNetwork(this.#store, attempt.accountId ?? 0, network);
    const account = await this.#enter(isKnown ? `${name} ${network}` : name, this.#limits.account);
    try {
      const address = await this.#enter(`address ${network}`, this.#limits.address);
      try {
        return await this.#run([account, address], check, record);
      } finally {
        this.#leave(address);
      }
    } finally {
      this.#leave(account);
    }
  }

  /** Forgets the failures of an account, from all addresses, with what `record` writes. */
  async unlock(username: string, record: (tx: Tx) => Promise<void>): Promise<void> {
    const name = budgetOf(username);
    await this.#store.write(async (tx) => {
      await forgetFailures(tx, name);
      await record(tx);
    });
    for (const budget of this.#budgets.values())
      if (budget.name === name || budget.name.startsWith(`${name} `)) budget.times = [];
  }

  async #run<T>(budgets: readonly Budget[], check: () => Promise<T>, record: (tx: Tx) => Promise<void>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof HttpError) || !FAILURES.has(error.code)) throw error;
      const at = Date.now();
      this.counts.failed += 1;
      for (const budget of budgets) budget.times.unshift(at);
      await this.#store.write(async (tx) => {
        await addFailures(
          tx,
          budgets.map((budget) => budget.name),
          at,
        );
        await record(tx);
      });
      throw error;
    }
  }

  async #enter(name: string, limits: Limits): Promise<Budget> {
    const budget = this.#budgets.get(name) ?? this.#open(name, limits);
    budget.users += 1;
    try {
      await budget.loading;
      for (;;) {
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

  #open(name: string, limits: Limits): Budget {
    const budget: Budget = { name, limits, times: [], users: 0, running: 0, waiting: [], loading: Promise.resolve() };
    budget.loading = failureTimes(this.#store, name, Date.now(), Math.max(limits.minute, limits.hour, limits.day)).then(
      (times) => void (budget.times = times),
    );
    this.#budgets.set(name, budget);
    return budget;
  }

  #leave(budget: Budget): void {
    budget.running -= 1;
    for (const wake of budget.waiting.splice(0)) wake();
    this.#drop(budget);
  }

  #drop(budget: Budget): void {
    budget.users -= 1;
    if (budget.users === 0) this.#budgets.delete(budget.name);
  }

  #rateLimited(waitMs: number): HttpError {
    this.counts.refused += 1;
    return retryLater('rate_limited', 'too many failed attempts; try again later', waitMs / 1000);
  }
}

/** The name of an account's budget; that of a known network follows after a space. */
function budgetOf(username: string): string {
  return `account ${createHash('sha256').update(username).digest('base64url')}`;
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
