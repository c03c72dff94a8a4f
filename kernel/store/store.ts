import type { ChangeSignal } from './change-signal.ts';
import type { SqlValue } from './sqlite/connection.ts';

/**
 * Reads rows, from the whole store or from within a transaction. A row is an object by the names of its columns; `?` stands for
 * each parameter in turn, `?1` for the first. Rejects with 503 `store_unavailable` while the database cannot be reached.
 */
export interface Reader {
  /** Resolves with the first row, `undefined` if there is none. */
  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined>;
  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]>;
}

/** One write transaction. What it reads cannot change before it commits. */
export interface Tx extends Reader {
  /** Runs a statement, and resolves with the number of rows that it changed. */
  run(sql: string, ...params: SqlValue[]): Promise<{ changes: number }>;
  /** Runs an `insert` of one row, and resolves with its `id`. */
  insert(sql: string, ...params: SqlValue[]): Promise<number>;
  /** Calls back once the transaction is durable, before `write` resolves; never if the transaction fails. */
  afterCommit(callback: () => void): void;
}

/** A file of SQL that changes tables. */
export interface Migration {
  /** `kernel` or the name of a plugin. */
  readonly owner: string;
  readonly name: string;
  readonly sql: string;
  /** Tells whether it was changed. */
  readonly sha256: string;
}

/** A migration that was applied, by whichever build. */
export interface AppliedMigration extends Omit<Migration, 'sql'> {
  /** The version of Hostkeep that applied it, where several may use the store at a time. */
  readonly version?: string;
}

/** A column of a table. */
export interface Column {
  readonly table: string;
  readonly name: string;
  /** In the primary key, from 1; 0 = it is not in it. */
  readonly place: number;
}

/** The tables of a database, as the database describes them. */
export interface Catalogue {
  /** Resolves with the columns of all tables in the order in which they were made, so that a row comes after those that it refers to. */
  columns(): Promise<Column[]>;
  /** Resolves with the largest id that each table with generated ids has given, also to rows that are gone. */
  lastIds(tx: Tx): Promise<Readonly<Record<string, number>>>;
  /** Makes the next id larger than this. */
  setLastId(tx: Tx, table: string, id: number): Promise<void>;
}

/**
 * The database behind a store, and all that differs from one database to another. Statements do not: they are those that
 * SQLite and PostgreSQL both take, with `?` or `?1` for parameters, which an engine may rewrite. So
 *
 * - `on conflict do nothing` and `on conflict (…) do update`, not `insert or …`, and the name of the table before columns of
 *   the existing row;
 * - `Tx.insert` for the id of a new row;
 * - `string_agg` with its own `order by`, `case`, `cast(exists (…) as integer)`, because a condition is not a number
 *   everywhere, and no `min` or `max` of two values;
 * - a list as one parameter: `in (select value from json_each(?))`, and `cast(value as bigint)` where it is of numbers;
 * - `like … escape` of lower case only; `instr(text, part)`, which an engine provides, as it does `json_each`;
 * - a `limit` of at least 0; flags are 0 and 1; times come from the program, or from `nowMs`.
 *
 * `test/whole/boundaries.test.ts` refuses what only SQLite takes.
 */
export interface Store extends Reader {
  /** Where the database is, for people. */
  readonly place: string;
  /** The operator's remedy if it is damaged. */
  readonly remedy: string;
  /** Subfolder of `migrations/` with this dialect's files; empty for the folder itself. */
  readonly migrationsFolder: string;
  /** Whether nodes on other machines may have the same store. */
  readonly isShared: boolean;
  /** How long what is cached of the store counts while it cannot be reached, in milliseconds. */
  readonly graceMs: number;
  /** An expression of SQL: milliseconds since 1970 by the clock of the database, which all nodes share. */
  readonly nowMs: string;
  readonly signal: ChangeSignal;
  readonly catalogue: Catalogue;
  /**
   * Runs `work` in a transaction and resolves with its result once the changes are durable; if it throws, they are
   * rolled back. `work` must await only its own `tx`, and reads of the other store, because other writers wait for it.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Resolves with all migrations that were applied; none for a new database. */
  migrations(): Promise<AppliedMigration[]>;
  /** Applies migrations in one transaction of their own, without those that another process has applied meanwhile. */
  apply(...migrations: readonly Migration[]): Promise<void>;
  /** Resolves with the room that it takes, without logs. */
  sizeBytes(): Promise<number>;
  /** Resolves with faults in the database's structure, at most 10. */
  examine(): Promise<string[]>;
  /** Waits for queued writers, then closes the database. */
  close(): Promise<void>;
}

/** How the store in another database than SQLite is opened. */
export interface StoreEngineOptions {
  /** As in `store.url`. */
  readonly url: string;
  /** Empty where the URL, or the way in, needs none. */
  readonly password: string;
  /** How many connections this process may have besides the one that listens; at least one for reads and one for writes. */
  readonly connections: number;
  /** See `Store.graceMs`. */
  readonly graceMs: number;
  /** How long a statement may take, and so a commit that waits for a standby. */
  readonly statementMs: number;
  /** By which processes on this machine tell each other of changes. */
  readonly signal: ChangeSignal;
}

/** A database beside SQLite: the default export of a plugin's `engine.ts`. */
export interface StoreEngine {
  /** Protocols of `store.url` that it opens, such as `postgres:`. */
  readonly protocols: readonly string[];
  open(options: StoreEngineOptions): Store;
}
