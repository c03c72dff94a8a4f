import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { accountsUnlocked, countFailures, failuresOfLocked, forgetFailures } from '../store.ts';
import { budgetState } from './budgets.ts';
import type { Lock, LockList } from '../credentials/schema.ts';
import { accountBudget, parseBudget } from './budget-names.ts';
import type { Throttle } from './throttle.ts';
import { unlock } from './unlock.ts';
import { fail } from '../errors.ts';

type Parts = Pick<Host, 'identity' | 'events' | 'store'>;
interface Named {
  readonly id: number;
  readonly username: string;
  readonly isAdmin: boolean;
}
interface Caller {
  readonly account: { readonly username: string };
  readonly ip: string;
}

/** The most locks that a list has; those with the newest failures. */
const LISTED = 200;
/** Accounts whose names are compared before others have their turn: hashing them is quick, but not for nothing. */
const COMPARED = 500;

/** Accounts and networks that are refused at the moment because of failed logins. Concurrent callers share one answer. */
export class Locks {
  readonly #parts: Parts;
  readonly #throttle: Throttle;
  #reading: Promise<LockList> | undefined;

  constructor(parts: Parts, throttle: Throttle) {
    this.#parts = parts;
    this.#throttle = throttle;
  }

  list(): Promise<LockList> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /** Lifts a lock: all that lock an account, or the one of a network. Errors: 404 `lock_not_found`. */
  async lift(key: string, { account: by, ip }: Caller): Promise<{ key: string; lifted: true }> {
    const { store, events } = this.#parts;
    const name = Buffer.from(key, 'base64url').toString();
    const budget = parseBudget(name);
    if (budget === undefined || (await countFailures(store, name)) === 0)
      throw fail.lock_not_found('there are no failed logins of this kind');
    const owner =
      budget.account === undefined ? undefined : (await this.#owners(new Set([budget.account]))).get(budget.account);
    if (owner !== undefined) await unlock(this.#parts, owner.username, { by: by.username, ip, from: '' });
    else
      await store.write(async (tx) => {
        await forgetFailures(tx, name);
        const text = `lifted the lock of ${budget.network ?? 'a name that no account has'}`;
        await events.record(tx, {
          type: 'lock.lifted',
          username: by.username,
          text,
          ip,
          data: { network: budget.network ?? null },
        });
        tx.afterCommit(() => this.#throttle.forget(name));
      });
    return { key, lifted: true };
  }

  async #read(): Promise<LockList> {
    const now = Date.now();
    const found = await failuresOfLocked(this.#parts.store, this.#throttle.fewest, now, LISTED);
    const owners = await this.#owners(new Set([...found.keys()].flatMap((name) => parseBudget(name)?.account ?? [])));
    const since = await accountsUnlocked(
      this.#parts.store,
      [...owners.values()].map(({ id }) => id),
    );
    const locks = [...found].flatMap(([name, times]): Lock[] => {
      const budget = parseBudget(name);
      if (budget === undefined) return [];
      const owner = owners.get(budget.account ?? '');
      const counted = times.filter((at) => at > (since.get(owner?.id ?? 0) ?? 0));
      const { waitMs } = budgetState(counted, this.#throttle.limitsOf(budget, owner?.isAdmin === true), now);
      if (waitMs === 0) return [];
      const key = Buffer.from(name).toString('base64url');
      const { kind, network = null } = budget;
      const until = new Date(now + waitMs).toISOString();
      return [{ key, kind, username: owner?.username ?? null, network, failures: counted.length, until }];
    });
    return { locks, truncated: found.size === LISTED };
  }

  /** Resolves with the accounts of budgets, which have their names hashed. */
  async #owners(wanted: ReadonlySet<string>): Promise<Map<string, Named>> {
    const owners = new Map<string, Named>();
    if (wanted.size === 0) return owners;
    const { accounts } = this.#parts.identity;
    for (const [i, username] of (await accounts.usernames()).entries()) {
      if (i % COMPARED === COMPARED - 1) await nextTurn();
      const budget = accountBudget(username);
      const account = wanted.has(budget) ? await accounts.byUsername(username) : undefined;
      if (account !== undefined) owners.set(budget, { id: account.id, username, isAdmin: account.role === 'admin' });
      if (owners.size === wanted.size) break;
    }
    return owners;
  }
}
