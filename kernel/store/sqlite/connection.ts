import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { open, type Database, type Statement } from 'sqlite';
import sqlite3 from 'sqlite3';

/** A value that both databases take as a parameter. */
export type SqlValue = string | number | null | Uint8Array;

/** How long a connection waits for others. */
const BUSY_MS = 5000;
const RETRY_MS = 5;

/** A connection and its prepared statements, which are never evicted: SQL texts are constants, so there are few. */
export class Connection {
  readonly #database: Database;
  readonly #file: string;
  readonly #statements = new Map<string, Promise<Statement>>();

  private constructor(database: Database, file: string) {
    this.#database = database;
    this.#file = file;
  }

  static async open(filename: string, pragmas: readonly string[]): Promise<Connection> {
    const file = basename(filename);
    try {
      const database = await open({ filename, driver: sqlite3.Database });
      database.configure('busyTimeout', BUSY_MS);
      await setUp(database, pragmas);
      return new Connection(database, file);
    } catch (error) {
      throw naming(error, file);
    }
  }

  #prepared(sql: string): Promise<Statement> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
      statement.catch(() => this.#statements.delete(sql)); // rejects for its callers, and the next one tries again
    }
    return statement;
  }

  /** Uses `all`, because the driver's `Statement.get` leaves the statement open at its first row. */
  async get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...params))[0];
  }

  async all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    try {
      return await (await this.#prepared(sql)).all<T[]>(params);
    } catch (error) {
      throw naming(error, this.#file);
    }
  }

  async run(sql: string, ...params: SqlValue[]): Promise<{ lastId: number; changes: number }> {
    try {
      const { lastID = 0, changes = 0 } = await (await this.#prepared(sql)).run(params);
      return { lastId: lastID, changes };
    } catch (error) {
      throw naming(error, this.#file);
    }
  }

  async script(sql: string): Promise<void> {
    try {
      await this.#database.exec(sql);
    } catch (error) {
      await this.#database.exec('rollback').catch(() => undefined); // no transaction is open if `begin` failed
      throw naming(error, this.#file);
    }
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) await (await statement).finalize();
    await this.#database.close();
  }
}

/**
 * Runs pragmas, and tries again while the file is locked: SQLite gives up at once, whatever the timeout, where several
 * connections switch a new file to WAL at the same moment.
 */
async function setUp(database: Database, pragmas: readonly string[]): Promise<void> {
  const lines = pragmas.map((pragma) => `pragma ${pragma};`).join(' ');
  for (const since = performance.now(); ; await setTimeout(RETRY_MS))
    try {
      return await database.exec(lines);
    } catch (error) {
      if (!isLocked(error) || performance.now() - since > BUSY_MS) throw error;
    }
}

/** Whether another process holds the database. */
export const isLocked = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'SQLITE_BUSY';

/**
 * Resolves with faults in the structure of a file, at most 10. Takes about a second per gigabyte, on a connection of its own,
 * so that nobody waits for it.
 */
export async function faultsIn(filename: string): Promise<string[]> {
  const connection = await Connection.open(filename, ['query_only=on']);
  try {
    const rows = await connection.all<{ quick_check: string }>('pragma quick_check(10)');
    return rows.map((row) => row.quick_check).filter((verdict) => verdict !== 'ok');
  } finally {
    await connection.close();
  }
}

/** Returns an error of SQLite with the name of its file, which its message does not say. */
const naming = (error: unknown, file: string): unknown =>
  error instanceof Error ? Object.assign(error, { file }) : error;
