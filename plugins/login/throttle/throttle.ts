import { HttpError } from '../../../kernel/errors.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { HashLane } from '../../../kernel/identity/gate/password-hasher.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { topic } from '../../../kernel/contract/workers.ts';
import type { Store, Tx } from '../../../kernel/store/store.ts';
import { IpRanges, addressNetwork } from '../../../kernel/kit/net/ip.ts';
import { addFailures, readStanding } from '../store.ts';
import { accountBudget, addressBudget, knownBudget, strangeBudget, type BudgetName } from './budget-names.ts';
import { Budgets, type BudgetSpec, type Entered, type Limits } from './budgets.ts';

/** Errors of an attempt that count as a failure. */
const FAILURES: ReadonlySet<string> = new Set(['invalid_credentials', 'invalid_code']);
/** A site's network of IPv6 may have so many times the failures of one of its parts. */
const WIDE_FACTOR = 4;
/** The part of an account's failures a day that one strange network may make, so that none uses them up for all. */
const STRANGE_SHARE = 1 / 5;
const LOOPBACK = new IpRanges(['127.0.0.0/8', '::1']);

interface Failure {
  readonly counts: readonly string[];
  readonly at: number;
}
const FAILED = topic<Failure>('login.failed');
/** Budgets. */
const FORGOTTEN = topic<string>('login.forgotten');
type Workers = Host['workers'];

/** One check of a password or code. An unknown name has no account, but is treated alike. */
interface Attempt {
  readonly username: string;
  readonly account: Pick<Account, 'id' | 'role'> | undefined;
  readonly ip: string;
}
/** The budgets that an attempt needs room in, those that its failure counts against, and where its hashing waits. */
interface Admission {
  readonly needs: readonly BudgetSpec[];
  readonly counts: readonly string[];
  readonly lane: HashLane;
}

/**
 * Limits how often passwords and codes can be guessed, by account and by network. Failures are stored, so that they
 * survive a restart, and count at the other nodes of a fleet; only those that are being checked there are not counted yet.
 *
 * An account that has logged in from a network before has a budget there that no failure from elsewhere, and none of
 * another account, uses up; so has an administrator on the node itself. Attempts from all other networks share the
 * account's budget, of which each network gets only a part, and need room in the budget of their network as well.
 */
export class Throttle {
  readonly counts = { failed: 0 };
  readonly #store: Store;
  readonly #workers: Workers;
  readonly #stops: readonly (() => void)[];
  readonly #limits: { readonly account: Limits; readonly address: Limits };
  readonly #budgets: Budgets;

  /** Failures in other workers count at once: each receives them before the semaphore of the attempt is released. */
  constructor(
    store: Store,
    workers: Workers,
    limits: { readonly account: Limits; readonly address: Limits },
    clockSlackMs = 0,
  ) {
    this.#store = store;
    this.#workers = workers;
    this.#limits = limits;
    this.#budgets = new Budgets(store, (name, most) => workers.acquire(name, most), clockSlackMs);
    this.#stops = [
      workers.subscribe(FAILED, ({ counts, at }) => this.#budgets.count(counts, at)),
      workers.subscribe(FORGOTTEN, (budget) => this.#budgets.forget(budget)),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** The number of attempts that were refused. */
  get refused(): number {
    return this.#budgets.refused;
  }

  /**
   * Runs `check` when the budgets allow it. If it rejects with `invalid_credentials` or `invalid_code`, the failure is
   * stored, with what `record` writes, before `guard` rejects with the same error. Errors: 429 `rate_limited`,
   * 503 `overloaded`.
   */
  async guard<T>(
    attempt: Attempt,
    check: (lane: HashLane) => Promise<T>,
    record: (tx: Tx) => Promise<void>,
  ): Promise<T> {
    const { needs, counts, lane } = await this.#admission(attempt);
    const entered: Entered[] = [];
    try {
      for (const each of needs) entered.push(await this.#budgets.enter(each));
      return await this.#run(counts, () => check(lane), record);
    } finally {
      for (const budget of entered) this.#budgets.leave(budget);
    }
  }

  /** Returns the limits of a budget. */
  limitsOf({ kind, network = '' }: BudgetName, isAdmin: boolean): Limits {
    const { account, address } = this.#limits;
    if (kind === 'network') return network.endsWith('::/48') ? ofSite(address) : address;
    if (kind === 'account_from_network') return ofStranger(account);
    return kind === 'account_in_known_network' && isAdmin ? address : account;
  }

  /** The fewest failures with which anything is refused. */
  get fewest(): number {
    const { account, address } = this.#limits;
    return Math.min(...[account, address, ofStranger(account)].flatMap(({ minute, hour, day }) => [minute, hour, day]));
  }

  /** Forgets failures that attempts in progress remember; those in the store are another's to remove. */
  forget(budget: string): void {
    this.#budgets.forget(budget);
    this.#workers.publish(FORGOTTEN, budget);
  }

  async #admission({ username, account, ip }: Attempt): Promise<Admission> {
    const [network, site] = [addressNetwork(ip), addressNetwork(ip, 48)];
    const name = accountBudget(username);
    const standing = await readStanding(this.#store, account?.id ?? 0, network);
    const since = standing.unlockedAt;
    const { account: ofAccount, address: ofAddress } = this.#limits;
    const addresses = [{ name: addressBudget(network), limits: ofAddress, since: 0 }];
    if (site !== network) addresses.unshift({ name: addressBudget(site), limits: ofSite(ofAddress), since: 0 });
    const isAdmin = account?.role === 'admin';
    const isKnown = account !== undefined && (standing.isKnown || (isAdmin && LOOPBACK.has(ip)));
    // Entered in this order: the widest network first, which refuses most of a flood; the account's own budget last, so
    // that no attempt that waits for another holds room in it.
    const needs = isKnown
      ? [{ name: knownBudget(name, network), limits: isAdmin ? ofAddress : ofAccount, since }]
      : [
          ...addresses,
          { name: strangeBudget(name, site), limits: ofStranger(ofAccount), since },
          { name, limits: ofAccount, since },
        ];
    return {
      needs,
      counts: [...new Set([...needs, ...addresses].map((each) => each.name))],
      lane: isKnown ? { client: account.id, isReserved: true } : { client: site, isReserved: false },
    };
  }

  async #run<T>(counts: readonly string[], check: () => Promise<T>, record: (tx: Tx) => Promise<void>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof HttpError) || !FAILURES.has(error.code)) throw error;
      const at = Date.now();
      this.counts.failed += 1;
      this.#budgets.count(counts, at);
      await this.#store.write(async (tx) => {
        await addFailures(tx, counts, at);
        await record(tx);
      });
      this.#workers.publish(FAILED, { counts, at });
      throw error;
    }
  }
}

/** The limits of one strange network, of those that an account has. */
function ofStranger(limits: Limits): Limits {
  return { ...limits, day: Math.max(1, Math.ceil(limits.day * STRANGE_SHARE)) };
}

/** The limits of a site's network of IPv6, of those that an address has. */
function ofSite({ minute, hour, day }: Limits): Limits {
  return { minute: minute * WIDE_FACTOR, hour: hour * WIDE_FACTOR, day: day * WIDE_FACTOR };
}
