import {
  conditionOf,
  isAt,
  SELECT_ACCOUNT,
  SORTED_BY,
  snapshotOf,
  type Account,
  type AccountFilter,
  type AccountOrder,
  type AccountPosition,
  type AccountRow,
  type Role,
} from './account.ts';
import type { AccountCells } from './account-cells.ts';
import { endLostScopes, endTokens } from './api-tokens/token-endings.ts';
import { HttpError, retryLater } from '../errors.ts';
import { LargeCounts } from '../concurrency/large-counts.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import { assertHere, assertNameFree, namesExtending, RemovedAccounts, reserveName } from './removed-accounts.ts';
import { assertPlanExists, type Plans } from './plans.ts';
import type { Revision } from '../storage/revision.ts';
import type { SqlValue } from '../storage/sqlite/connection.ts';
import type { Log } from '../log.ts';
import { forgetAccount } from '../storage/local-store.ts';
import type { Reader, Store, Tx } from '../storage/store.ts';
import { USERNAME } from '../system/files-root.ts';

export type { Account, AccountFilter, AccountOrder, AccountPosition, Role } from './account.ts';

interface NewAccount {
  readonly username: string;
  readonly role: Role;
  readonly email?: string;
  /** `null` for a user without a plan, who has no features. */
  readonly plan?: string | null;
  readonly passwordHash: string;
  /** The node of the fleet for a user; this one unless given. */
  readonly home?: string;
}

/** See `Accounts.relocate`. */
interface Relocation {
  readonly isReadOnly: boolean;
  /** The name of a node; the same as before unless given. */
  readonly home?: string;
}

type ChangedRow = Pick<AccountRow, 'id' | 'role' | 'home' | 'read_only'>;

/** How many accounts are read at a time, where all are. */
const PAGE = 1000;

/** Reads and changes accounts. Each change logs its event and ends the sessions that it must in one transaction. */
export class Accounts {
  readonly cells: AccountCells;
  readonly #store: Store;
  readonly #local: Store;
  readonly #log: Log;
  readonly #revision: Revision;
  readonly #plans: Plans;
  readonly #events: AuditLog;
  readonly #filesRoot: (username: string) => string;
  /** The name of this node in its fleet; empty without one. */
  readonly #here: string;
  readonly #counts = new LargeCounts();
  readonly removed: RemovedAccounts;

  constructor(parts: {
    store: Store;
    local: Store;
    revision: Revision;
    cells: AccountCells;
    plans: Plans;
    events: AuditLog;
    filesRoot: (username: string) => string;
    here: string;
    log: Log;
  }) {
    this.#store = parts.store;
    this.#local = parts.local;
    this.#revision = parts.revision;
    this.cells = parts.cells;
    this.#plans = parts.plans;
    this.#events = parts.events;
    this.#filesRoot = parts.filesRoot;
    this.#here = parts.here;
    this.#log = parts.log;
    this.removed = new RemovedAccounts(parts);
  }

  /**
   * Resolves with the newest snapshot, or `undefined` if there is no such account. Does not cache a snapshot that
   * changed while it was read.
   */
  async byId(id: number): Promise<Account | undefined> {
    const cell = this.cells.of(id);
    const { generation } = this.#revision;
    if (cell.account !== undefined && cell.generation === generation) return cell.account;
    const { version } = cell;
    const account = await this.#one('id', id);
    if (cell.version === version && this.#revision.generation === generation) {
      cell.account = account;
      cell.generation = generation;
    }
    return account;
  }

  byUsername(username: string): Promise<Account | undefined> {
    return this.#one('username', username);
  }

  /** Errors: 404 `account_not_found`. */
  async get(username: string): Promise<Account> {
    return (await this.byUsername(username)) ?? unknown(username);
  }

  /**
   * Resolves with the home of an account, or of a removed one that is not purged: what it has, or left, is there. Empty
   * without a fleet, and for names that nobody has.
   */
  async homeOf(username: string): Promise<string> {
    const row = await this.#store.get<{ home: string }>(
      'select home from accounts where username = ?1 union all select home from removed_accounts where username = ?1',
      username,
    );
    return row?.home ?? '';
  }

  /** Resolves with the number of accounts whose home is a node, or was when they were removed; those are not purged. */
  async countAt(reader: Reader, home: string): Promise<number> {
    const row = await reader.get<{ n: number }>(
      `select (select count(*) from accounts where role = 'user' and home = ?1)
        + (select count(*) from removed_accounts where home = ?1) as n`,
      home,
    );
    return row?.n ?? 0;
  }

  /** Changes the home of all that have, or left, something at a node, in a transaction of the caller. */
  async rehome(tx: Tx, from: string, to: string): Promise<void> {
    await tx.run("update accounts set home = ? where role = 'user' and home = ?", to, from);
    await tx.run('update removed_accounts set home = ? where home = ?', to, from);
  }

  /**
   * Lets what an account has at its home change, or not, and gives it another home; `more` runs first in the transaction.
   * What this machine knows of an account that leaves is forgotten. Errors: 404 `account_not_found`.
   */
  async relocate(username: string, { isReadOnly, home }: Relocation, more: (tx: Tx) => Promise<void>): Promise<void> {
    let leaverId: number | undefined;
    await this.#change(username, async (tx, { id, home: before }) => {
      await more(tx);
      const row = [isReadOnly ? 1 : 0, home ?? before, id] as const;
      await tx.run('update accounts set read_only = ?, home = ? where id = ?', ...row);
      leaverId = isAt(home ?? before, this.#here) ? undefined : id;
    });
    if (leaverId !== undefined) await this.#forget(leaverId, username);
  }

  /** Resolves with the users whose home is this node, in the order of their names, beginning after `cursor` (`''` = from the first). */
  here(limit: number, cursor = ''): Promise<Account[]> {
    return this.list(limit, cursor, { role: 'user', home: this.#here });
  }

  countOfHere(): Promise<number> {
    return this.countOf({ role: 'user', home: this.#here });
  }

  /** Reads all of them, page by page. */
  async *pagesOfHere(): AsyncGenerator<Account[]> {
    for (let page = await this.here(PAGE); page.length > 0; page = await this.here(PAGE, page.at(-1)?.username))
      yield page;
  }

  /** Whether what the account has, or left, is at this node; see `isAt`. */
  readonly isHere = ({ home }: Pick<Account, 'home'>): boolean => isAt(home, this.#here);

  /**
   * Rejects unless the account still exists, for a transaction that adds to what was read before it: the account may
   * have been removed since. For one of the local store, `reader` is the store. Errors: 404 `account_not_found`.
   */
  async assertExists(reader: Reader, { id, username }: Pick<Account, 'id' | 'username'>): Promise<void> {
    if ((await reader.get('select 1 from accounts where id = ?', id)) === undefined) unknown(username);
  }

  /** Resolves with accounts in the order of their names, beginning after `cursor` (`''` = from the first). */
  async list(limit: number, cursor = '', filter: AccountFilter = {}): Promise<Account[]> {
    const [condition, values] = conditionOf(filter);
    return this.#many(
      `${SELECT_ACCOUNT} where username > ? and ${condition} order by username limit ?`,
      cursor,
      ...values,
      limit,
    );
  }

  /** Resolves with accounts in an order, beginning after a position. */
  async sorted(
    limit: number,
    { by, isDescending }: AccountOrder,
    filter: AccountFilter = {},
    after?: AccountPosition,
  ): Promise<Account[]> {
    const [condition, values] = conditionOf(filter);
    const [column, direction] = [SORTED_BY[by], isDescending ? 'desc' : 'asc'];
    const beyond = after === undefined ? 'true' : `(${column}, username) ${isDescending ? '<' : '>'} (?, ?)`;
    const order = `${column} ${direction}${by === 'username' ? '' : `, username ${direction}`}`;
    return this.#many(
      `${SELECT_ACCOUNT} where ${beyond} and ${condition} order by ${order} limit ?`,
      ...(after ?? []),
      ...values,
      limit,
    );
  }

  /** Resolves with the number of accounts by plan; see `LargeCounts`. */
  countByPlan(): Promise<Readonly<Record<string, number>>> {
    return this.#counts.of('plans', async () => {
      const rows = await this.#store.all<{ plan: string; n: number }>(
        'select plan, count(*) as n from accounts where plan is not null group by plan',
      );
      return Object.fromEntries(rows.map(({ plan, n }) => [plan, n]));
    });
  }

  /** See `LargeCounts`. */
  countOf(filter: AccountFilter): Promise<number> {
    const [condition, values] = conditionOf(filter);
    return this.#counts.of(`accounts ${condition} ${JSON.stringify(values)}`, () =>
      this.#number(`select count(*) as n from accounts where ${condition}`, ...values),
    );
  }

  async usernames(): Promise<string[]> {
    return (await this.#store.all<{ username: string }>('select username from accounts')).map((row) => row.username);
  }

  /** Resolves with those of the accounts whose files may be at this node. */
  async usernamesOfHere(): Promise<string[]> {
    const sql = "select username from accounts where home in ('', ?)";
    return (await this.#store.all<{ username: string }>(sql, this.#here)).map((row) => row.username);
  }

  /** See the function of this name. */
  namesExtending(username: string): Promise<string[]> {
    return namesExtending(this.#store, username);
  }

  /** See `LargeCounts`. */
  count(role: Role): Promise<number> {
    return this.countOf({ role });
  }

  countSuspended(): Promise<number> {
    return this.#number('select count(*) as n from accounts where suspended_at is not null');
  }

  /**
   * Creates an account: a user, whose plan must be given because a forgotten one would mean no features, or an admin
   * without a plan. `check` runs first in the transaction, and rejects if the account may not be created after all.
   * Errors: 409 `account_exists`, `name_reserved`, `ambiguous_username`, 404 `plan_not_found`, 400 for a bad name.
   */
  async create(account: NewAccount, ip = '', check?: (tx: Tx) => Promise<void>): Promise<Account> {
    const { username, role, plan = null } = account;
    if (!USERNAME.test(username))
      throw new HttpError(
        'invalid_request',
        'a user name has 1 to 32 characters of a-z, 0-9, _ and -, and begins with a letter',
      );
    if (role === 'user' && account.plan === undefined)
      throw new HttpError('invalid_request', 'a user needs a plan, or null for none');
    if (role === 'admin' && plan !== null) throw new HttpError('invalid_request', 'an admin has no plan');
    if (plan !== null) await this.#plans.get(plan);
    await this.#store.write(async (tx) => {
      await check?.(tx);
      if (plan !== null) await assertPlanExists(tx, plan); // it may have been removed since the check above
      await assertNameFree(tx, username);
      const id = await tx.insert(
        'insert into accounts (username, role, email, password_hash, plan, created_at, home) values (?, ?, ?, ?, ?, ?, ?)',
        username,
        role,
        account.email ?? '',
        account.passwordHash,
        plan,
        Date.now(),
        role === 'user' ? (account.home ?? this.#here) : '',
      );
      await this.#events.record(tx, { type: 'account.created', account: { id, username }, text: 'was created', ip });
    });
    return this.get(username);
  }

  /**
   * Changes plan (`null` = none), e-mail address or language. Errors: 404 `account_not_found`, `plan_not_found`, 400 for the
   * plan of an administrator.
   */
  async update(
    username: string,
    change: { plan?: string | null; email?: string; locale?: string },
    ip = '',
  ): Promise<Account> {
    if (typeof change.plan === 'string') await this.#plans.get(change.plan);
    await this.#change(username, async (tx, { id, role }) => {
      if (change.plan !== undefined && role === 'admin')
        throw new HttpError('invalid_request', 'an administrator has no plan');
      if (typeof change.plan === 'string') await assertPlanExists(tx, change.plan);
      for (const column of ['plan', 'email', 'locale'] as const) {
        const value = change[column];
        if (value === undefined) continue;
        await tx.run(`update accounts set ${column} = ? where id = ?`, value, id);
        await this.#events.record(tx, {
          type: 'account.changed',
          account: { id, username },
          text: `changed the ${column} to ${value ?? 'none'}`,
          ip,
          data: { [column]: value },
        });
      }
      if (change.plan !== undefined) await endLostScopes(tx, this.#events, { accountId: id }, ip);
    });
    return this.get(username);
  }

  /** Bars the account from logging in, and ends its sessions and API tokens. Errors: 404 `account_not_found`, 409 `last_admin`. */
  suspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await assertNotLastAdmin(tx, id);
      await tx.run('update accounts set suspended_at = coalesce(suspended_at, ?) where id = ?', Date.now(), id);
      await tx.run('delete from sessions where account_id = ?', id);
      const tokens = { where: 't.account_id = ?', values: [id], reason: 'suspended', ip } as const;
      await endTokens(tx, this.#events, tokens);
      await this.#events.record(tx, {
        type: 'account.suspended',
        account: { id, username },
        text: 'was suspended',
        ip,
      });
    });
  }

  unsuspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await tx.run('update accounts set suspended_at = null where id = ?', id);
      await this.#events.record(tx, {
        type: 'account.unsuspended',
        account: { id, username },
        text: 'was unsuspended',
        ip,
      });
    });
  }

  /**
   * Removes the account and its data in both stores, and reserves its name; what it left elsewhere stays. Errors: 404
   * `account_not_found`, 409 `last_admin`, `other_node`, 503 `account_moving`.
   */
  async remove(username: string, ip = ''): Promise<void> {
    let removedId = 0;
    await this.#change(username, async (tx, { id, home, read_only }) => {
      removedId = id;
      assertHere({ username, home }, this.#here);
      if (read_only === 1) throw moving(username);
      await assertNotLastAdmin(tx, id);
      await reserveName(tx, { id, username });
      await tx.run('delete from accounts where id = ?', id);
      await this.#events.record(tx, {
        type: 'account.removed',
        username,
        text: 'was removed',
        ip,
        data: { account_id: id },
      });
    });
    await this.#forget(removedId, username); // before its name is free this is done again
  }

  /** The account is gone all the same where this fails. */
  async #forget(id: number, username: string): Promise<void> {
    await forgetAccount(this.#local, id).catch((error: unknown) =>
      this.#log.warn({ account: username, err: error }, 'what this machine knows of an account that is gone stays'),
    );
  }

  /** Grants or denies a feature regardless of the plan; `undefined` lets the plan decide again. */
  async setFeature(username: string, feature: string, on: boolean | undefined, ip = ''): Promise<void> {
    this.#plans.assertFeature(feature);
    return this.#change(username, async (tx, { id }) => {
      if (on === undefined)
        await tx.run('delete from account_features where account_id = ? and feature = ?', id, feature);
      else
        await tx.run(
          'insert into account_features values (?, ?, ?) on conflict (account_id, feature) do update set granted = excluded.granted',
          id,
          feature,
          on ? 1 : 0,
        );
      const text =
        on === undefined
          ? `has the feature ${feature} as the plan says`
          : `was ${on ? 'granted' : 'denied'} the feature ${feature}`;
      await this.#events.record(tx, {
        type: 'feature.toggled',
        account: { id, username },
        text,
        ip,
        data: { feature, on: on ?? null },
      });
      await endLostScopes(tx, this.#events, { accountId: id }, ip);
    });
  }

  async #change(username: string, work: (tx: Tx, account: ChangedRow) => Promise<void>): Promise<void> {
    await this.#revision.mutate(
      async (tx) => {
        const account =
          (await tx.get<ChangedRow>('select id, role, home, read_only from accounts where username = ?', username)) ??
          unknown(username);
        await work(tx, account);
        return account.id;
      },
      (id) => this.cells.forget(id),
    );
  }

  async #number(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#store.get<{ n: number }>(sql, ...params))?.n ?? 0;
  }

  async #one(column: 'id' | 'username', value: SqlValue): Promise<Account | undefined> {
    return (await this.#many(`${SELECT_ACCOUNT} where ${column} = ?`, value))[0];
  }

  async #many(sql: string, ...params: SqlValue[]): Promise<Account[]> {
    const plans = await this.#plans.all();
    const rows = await this.#store.all<AccountRow>(sql, ...params);
    return rows.map((row) =>
      snapshotOf(row, row.plan === null ? undefined : plans.get(row.plan), this.#filesRoot(row.username)),
    );
  }
}

/** Errors: 409 `last_admin`, because without an administrator nobody could undo the change. */
async function assertNotLastAdmin(tx: Tx, id: number): Promise<void> {
  const admins = await tx.all<{ id: number }>(
    "select id from accounts where role = 'admin' and suspended_at is null limit 2",
  );
  if (admins.length === 1 && admins[0]?.id === id)
    throw new HttpError('last_admin', 'there is no other administrator who can log in');
}

/** Errors: 503 `account_moving`. */
export const moving = (username: string): HttpError =>
  retryLater('account_moving', `${username} is being moved to another node, which takes its last differences`, 5);

function unknown(username: string): never {
  throw new HttpError('account_not_found', `there is no account ${username}`);
}
