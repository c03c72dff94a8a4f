import type { Host } from '../../../kernel/contract/plugin.ts';
import type { PostgresqlItem } from '../../../kernel/areas/database-servers.ts';
import { PROCESS_ID } from '../../../kernel/kit/programs/process-id.ts';
import type { Tx } from '../../../kernel/store/store.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import type { Level } from '../schema.ts';

/** A change of a database or a user; each can be made once more. */
export type Change = { /** Of the client who asked for it. */ readonly ip: string } &
  /** A user is made for the last four, and dropped after it. */
  /** `isChecked`: the name was free, so that what has it now was made by this change. */
  (
    | { readonly kind: 'create'; readonly isChecked?: true }
    | { readonly kind: 'drop' | 'import' | 'export' | 'optimize' | 'check' | 'repair' | 'query' }
    /** `verifier`: see `scramVerifier`. */
    | { readonly kind: 'password'; readonly verifier: string }
    /** Without a level, all rights on the database are taken away. */
    | { readonly kind: 'access'; readonly database: string; readonly level?: Level }
  );

export interface Owner {
  readonly id: number;
  readonly username: string;
}

interface Named {
  readonly server: string;
  readonly kind: 'database' | 'user';
  readonly name: string;
}

/** Something that is to be made. */
export interface NewItem extends Named {
  /** How many an account has of its kind; 0 for any number. */
  readonly limit: number;
  readonly isFull: () => Error;
  readonly isTaken: () => Error;
  readonly ip: string;
}

/** A database or a user of an account. */
export interface Item extends Named {
  readonly id: number;
  readonly account_id: number;
  readonly is_made: number;
  readonly is_locked: number;
}

export interface ClaimedItem extends Item {
  readonly change: Change;
  /** The process that makes the change; empty once it has given up, because the server did not say how it ended. */
  readonly claimed_by: string;
}

type Parts = Pick<Host, 'store' | 'events'>;
type Row = Omit<ClaimedItem, 'change'> & { readonly change: string };
const COLUMNS = 'id, account_id, server, kind, name, is_made, is_locked, change, claimed_by';

/**
 * Databases and users of accounts, each a row of the store from before the server is asked to make it until it is dropped there.
 * So is each change, until its event is recorded: what a process that died was about is found there.
 */
export class Items {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with what is there, sorted by name. */
  list(account: Owner, kind: Named['kind']): Promise<Item[]> {
    return this.#parts.store.all(
      `select ${COLUMNS} from postgresql_items where account_id = ? and kind = ? and is_made = 1 order by name`,
      ...[account.id, kind],
    );
  }

  /** Resolves with databases and users, those included that are being made, sorted by name. */
  async all({ id }: Pick<Owner, 'id'>): Promise<PostgresqlItem[]> {
    const rows = await this.#parts.store.all<Row>(
      `select ${COLUMNS} from postgresql_items where account_id = ? order by kind, name`,
      id,
    );
    return rows.map(({ server, kind, name, is_locked: locked, change }) => ({
      ...{ server, kind, name, isLocked: locked === 1, isChanging: change !== '' },
    }));
  }

  async find(account: Owner, kind: Named['kind'], name: string): Promise<Item | undefined> {
    return (await this.list(account, kind)).find((item) => item.name === name);
  }

  /** Resolves with how many there are, those included that are being made. */
  async count(account: Owner, kind: Named['kind']): Promise<number> {
    return countIn(this.#parts.store, account, kind);
  }

  /** Takes a name. Resolves with the item, and with how many the account has then. Errors: `isTaken`, `isFull`. */
  add(
    account: Owner,
    { server, kind, name, limit, isFull, isTaken, ip }: NewItem,
  ): Promise<{ readonly item: ClaimedItem; readonly count: number }> {
    const change = { kind: 'create', ip } as const;
    return this.#parts.store.write(async (tx) => {
      const sql = 'select 1 from postgresql_items where server = ? and kind = ? and name = ?';
      if ((await tx.get(sql, server, kind, name)) !== undefined) throw isTaken();
      const count = await countIn(tx, account, kind);
      if (limit > 0 && count >= limit) throw isFull();
      const id = await tx.insert(
        'insert into postgresql_items (account_id, server, kind, name, is_made, change, claimed_by) values (?, ?, ?, ?, 0, ?, ?)',
        ...[account.id, server, kind, name, JSON.stringify(change), PROCESS_ID],
      );
      const row = { id, account_id: account.id, server, kind, name, is_made: 0, is_locked: 0 };
      return { item: { ...row, change, claimed_by: PROCESS_ID }, count: count + 1 };
    });
  }

  /** Keeps that something new was checked, before the server is asked to make it. */
  async keepChecked({ id, change }: ClaimedItem): Promise<void> {
    const checked = JSON.stringify({ ...change, isChecked: true });
    await this.#parts.store.write((tx) => tx.run('update postgresql_items set change = ? where id = ?', checked, id));
  }

  /** Begins a change of what is there. Errors: 409 `request_in_progress` if there is another one. */
  claim(item: Item, change: Change): Promise<ClaimedItem> {
    return this.#parts.store.write(async (tx) => {
      const { changes } = await tx.run(
        "update postgresql_items set change = ?, claimed_by = ? where id = ? and change = ''",
        ...[JSON.stringify(change), PROCESS_ID, item.id],
      );
      if (changes === 0) throw fail.request_in_progress(`${item.name} is being changed`, { retryAfterSeconds: 1 });
      return { ...item, change, claimed_by: PROCESS_ID };
    });
  }

  /** Records that a change is done; of an import or of maintenance, whether as a whole. Resolves with `false` if its account was removed meanwhile. */
  complete(account: Owner, item: ClaimedItem, isWhole = true): Promise<boolean> {
    return this.#parts.store.write(async (tx) => {
      const isThere = await endChange(tx, item, item.change.kind !== 'drop');
      if (isThere) await this.#parts.events.record(tx, { account, ip: item.change.ip, ...eventFor(item, isWhole) });
      return isThere;
    });
  }

  /** Ends the work of a user that was made for it: what only reads is forgotten, and all else recorded. */
  async end(account: Owner, item: ClaimedItem, isWhole: boolean): Promise<void> {
    const isRead = ['query', 'export', 'check'].includes(item.change.kind);
    await (isRead ? this.cancel(item) : this.complete(account, item, isWhole));
  }

  /** Forgets a change: nothing was changed, or all of it was taken back. */
  async cancel(item: ClaimedItem): Promise<void> {
    await this.#parts.store.write((tx) => endChange(tx, item, item.is_made === 1));
  }

  /** Leaves a change to be made by another process, or the next time. */
  async abandon({ id }: ClaimedItem): Promise<void> {
    await this.#parts.store.write((tx) => tx.run("update postgresql_items set claimed_by = '' where id = ?", id));
  }

  /** Runs a part of a change; if it fails, the change is left to be made by another process, or the next time. */
  async orAbandon<T>(item: ClaimedItem, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.abandon(item);
      throw error;
    }
  }

  /** Resolves with all changes in progress. */
  async changing(): Promise<ClaimedItem[]> {
    const rows = await this.#parts.store.all<Row>(
      `select ${COLUMNS} from postgresql_items where change <> '' order by id`,
    );
    return rows.map((row) => ({ ...row, change: JSON.parse(row.change) as Change }));
  }

  /** Resolves with the users that are there. */
  users(): Promise<Item[]> {
    return this.#parts.store.all(
      `select ${COLUMNS} from postgresql_items where kind = 'user' and is_made = 1 order by id`,
    );
  }

  /** Resolves with how many there are of each kind, of all accounts. */
  counts(): Promise<{ kind: Named['kind']; n: number }[]> {
    return this.#parts.store.all(
      'select kind, count(*) as n from postgresql_items where is_made = 1 group by kind order by kind',
    );
  }

  async keepLocked({ id }: Item, isLocked: boolean): Promise<void> {
    await this.#parts.store.write((tx) =>
      tx.run('update postgresql_items set is_locked = ? where id = ?', Number(isLocked), id),
    );
  }
}

async function countIn(reader: Pick<Tx, 'get'>, { id }: Owner, kind: Named['kind']): Promise<number> {
  const sql = 'select count(*) as n from postgresql_items where account_id = ? and kind = ?';
  return (await reader.get<{ n: number }>(sql, id, kind))?.n ?? 0;
}

async function endChange(tx: Tx, { id }: ClaimedItem, isThere: boolean): Promise<boolean> {
  const sql = isThere
    ? "update postgresql_items set is_made = 1, change = '', claimed_by = '' where id = ?"
    : 'delete from postgresql_items where id = ?';
  return (await tx.run(sql, id)).changes === 1;
}

/** Returns the event of a change that is done. */
function eventFor({ kind, name, change }: ClaimedItem, isWhole: boolean) {
  const [past, user] = [change.kind === 'create' ? 'created' : 'dropped', { user: name }] as const;
  const work = { database: name, is_whole: isWhole };
  const [database, part] = [`the PostgreSQL database ${name}`, isWhole ? 'the' : 'a part of the'];
  const dump = isWhole ? 'a dump' : 'a part of a dump';
  switch (change.kind) {
    case 'password':
      return event('postgresql.password_changed', `gave the PostgreSQL user ${name} a new password`, user);
    case 'access': {
      const data = { ...user, database: change.database };
      const [on, who] = [`rights on ${change.database}`, `the PostgreSQL user ${name}`];
      return change.level === undefined
        ? event('postgresql.access_revoked', `took the ${on} from ${who}`, data)
        : event('postgresql.access_granted', `gave ${who} ${on}: ${change.level}`, { ...data, level: change.level });
    }
    case 'import':
      return event('postgresql.database_imported', `imported ${dump} into ${database}`, work);
    case 'optimize':
      return event('postgresql.database_optimized', `optimized ${part} tables of ${database}`, work);
    case 'repair':
      return event('postgresql.database_repaired', `made ${part} indexes of ${database} anew`, work);
    default:
      return kind === 'database'
        ? event(`postgresql.database_${past}`, `${past} ${database}`, { database: name })
        : event(`postgresql.user_${past}`, `${past} the PostgreSQL user ${name}`, user);
  }
}

const event = <const T extends string, D>(type: T, text: string, data: D) => ({ type, text, data });
