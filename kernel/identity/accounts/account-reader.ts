import type { Position } from '../../kit/position.ts';
import { LargeCounts } from '../../kit/waiting/large-counts.ts';
import { fail } from '../../errors.ts';
import type { Revision } from '../../store/revision.ts';
import type { SqlValue } from '../../store/sqlite/connection.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Plans } from './plans.ts';
import type { Account, Role } from './account.ts';
import type { AccountCells } from './account-cells.ts';
import { assertChangeable, assertHere, isAt } from './account-home.ts';
import { namesExtending } from './account-names.ts';
import { accountConditions, SORTED_BY, type AccountFilter, type AccountOrder } from './account-query.ts';
import { SELECT_ACCOUNT, accountSnapshot, type AccountRow } from './account-rows.ts';

/** How many accounts are read at a time, where all are. */
const PAGE = 1000;

export interface AccountReaderParts {
  readonly store: Store;
  readonly revision: Revision;
  readonly cells: AccountCells;
  readonly plans: Plans;
  readonly filesRoot: (username: string) => string;
  /** The name of this node in its fleet; empty without one. */
  readonly here: string;
}

/** Looks up, lists and counts accounts. Caches the snapshots that are looked up by id, in `cells`. */
export class AccountReader {
  readonly cells: AccountCells;
  readonly #parts: AccountReaderParts;
  readonly #counts = new LargeCounts();

  constructor(parts: AccountReaderParts) {
    this.cells = parts.cells;
    this.#parts = parts;
  }

  /**
   * Resolves with the newest snapshot, or `undefined` if there is no such account. Does not cache a snapshot that
   * changed while it was read.
   */
  async byId(id: number): Promise<Account | undefined> {
    const cell = this.cells.of(id);
    const { generation } = this.#parts.revision;
    if (cell.account !== undefined && cell.generation === generation) return cell.account;
    const { version } = cell;
    const account = await this.#one('id', id);
    if (cell.version === version && this.#parts.revision.generation === generation) {
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
    return (await this.byUsername(username)) ?? unknownAccount(username);
  }

  /**
   * Rejects unless the account still exists, for a transaction that adds to what was read before it: the account may
   * have been removed since. Errors: 404 `account_not_found`.
   */
  async assertExists(reader: Reader, { id, username }: Pick<Account, 'id' | 'username'>): Promise<void> {
    if ((await reader.get('select 1 from accounts where id = ?', id)) === undefined) unknownAccount(username);
  }

  /**
   * Does the same for a transaction of the local store, and rejects also if the account has moved to another node since.
   * Errors: 404 `account_not_found`, 409 `other_node`.
   */
  async assertLivesHere({ id, username }: Pick<Account, 'id' | 'username'>): Promise<void> {
    const row = await this.#parts.store.get<{ home: string }>('select home from accounts where id = ?', id);
    assertHere({ username, ...(row ?? unknownAccount(username)) }, this.#parts.here);
  }

  /** Resolves with accounts in the order of their names, beginning after `cursor` (`''` = from the first). */
  async list(limit: number, cursor = '', filter: AccountFilter = {}): Promise<Account[]> {
    const [condition, values] = accountConditions(filter);
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
    after?: Position,
  ): Promise<Account[]> {
    const [condition, values] = accountConditions(filter);
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

  /** Resolves with the ids and names of all accounts that pass a filter, in no order. */
  matching(filter: AccountFilter): Promise<Pick<Account, 'id' | 'username'>[]> {
    const [condition, values] = accountConditions(filter);
    return this.#parts.store.all(`select id, username from accounts where ${condition}`, ...values);
  }

  /** Resolves with the names of all accounts, in no order. */
  async usernames(): Promise<string[]> {
    return (await this.#parts.store.all<{ username: string }>('select username from accounts')).map(
      (row) => row.username,
    );
  }

  /** Resolves with the names, those of removed accounts too, that begin with `<username>_`. */
  namesExtending(username: string): Promise<string[]> {
    return namesExtending(this.#parts.store, username);
  }

  /** Resolves with the number of accounts by plan; see `LargeCounts`. */
  countByPlan(): Promise<Readonly<Record<string, number>>> {
    return this.#counts.of('plans', async () => {
      const rows = await this.#parts.store.all<{ plan: string; n: number }>(
        'select plan, count(*) as n from accounts where plan is not null group by plan',
      );
      return Object.fromEntries(rows.map(({ plan, n }) => [plan, n]));
    });
  }

  /** Resolves with the number of accounts that pass a filter; see `LargeCounts`. */
  countOf(filter: AccountFilter): Promise<number> {
    const [condition, values] = accountConditions(filter);
    return this.#counts.of(`accounts ${condition} ${JSON.stringify(values)}`, async () => {
      const sql = `select count(*) as n from accounts where ${condition}`;
      return (await this.#parts.store.get<{ n: number }>(sql, ...values))?.n ?? 0;
    });
  }

  /** Resolves with the number of accounts with a role; see `LargeCounts`. */
  count(role: Role): Promise<number> {
    return this.countOf({ role });
  }

  /**
   * Resolves with the home of an account, or of a removed one that is not purged: what it has, or left, is there. Empty
   * without a fleet, and for names that nobody has.
   */
  async homeOf(username: string): Promise<string> {
    const row = await this.#parts.store.get<{ home: string }>(
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

  /** Throws where nothing of the account may change. Errors: 409 `other_node`, 503 `account_moving`. */
  readonly assertChangeable = (account: Pick<Account, 'username' | 'home' | 'isReadOnly'>): void =>
    assertChangeable(account, this.#parts.here);

  /** Whether what the account has, or left, is at this node; see `isAt`. */
  readonly isHere = ({ home }: Pick<Account, 'home'>): boolean => isAt(home, this.#parts.here);

  /** Whether programs and logins of an account may be open at this node: it is there, not suspended, and not closed for a move. */
  isOpenHere(account: Account | undefined): account is Account {
    return account !== undefined && !account.suspended && !account.isReadOnly && this.isHere(account);
  }

  /** Yields the users whose home is this node, page by page, in the order of their names. */
  async *pagesOfHere(): AsyncGenerator<Account[]> {
    const read = (cursor?: string) => this.list(PAGE, cursor, { role: 'user', home: this.#parts.here });
    for (let page = await read(); page.length > 0; page = await read(page.at(-1)?.username)) yield page;
  }

  /** Resolves with the number of users whose home is this node. */
  countOfHere(): Promise<number> {
    return this.countOf({ role: 'user', home: this.#parts.here });
  }

  /** Resolves with the names of the accounts whose files may be at this node: users whose home it is, and administrators. */
  async usernamesOfHere(): Promise<string[]> {
    const sql = "select username from accounts where home in ('', ?)";
    return (await this.#parts.store.all<{ username: string }>(sql, this.#parts.here)).map((row) => row.username);
  }

  async #one(column: 'id' | 'username', value: SqlValue): Promise<Account | undefined> {
    return (await this.#many(`${SELECT_ACCOUNT} where ${column} = ?`, value))[0];
  }

  async #many(sql: string, ...params: SqlValue[]): Promise<Account[]> {
    const plans = await this.#parts.plans.all();
    const rows = await this.#parts.store.all<AccountRow>(sql, ...params);
    return rows.map((row) =>
      accountSnapshot(row, row.plan === null ? undefined : plans.get(row.plan), this.#parts.filesRoot(row.username)),
    );
  }
}

/** Throws 404 `account_not_found`. */
export function unknownAccount(username: string): never {
  throw fail.account_not_found(`there is no account ${username}`);
}
