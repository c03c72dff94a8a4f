import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type Database, type Statement } from 'sqlite';
import sqlite3 from 'sqlite3';
import { findFiles } from '../system/find-files.ts';

export type SqlValue = string | number | null | Uint8Array;

export interface Reader {
  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined>;
  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]>;
}

/** One transaction. What it reads, it reads in its own order of things: nobody else writes meanwhile. */
export interface Tx extends Reader {
  run(sql: string, ...params: SqlValue[]): Promise<{ lastId: number; changes: number }>;
  /** Called once the transaction is durable, before `write` resolves; not called when it fails. */
  afterCommit(callback: () => void): void;
}

interface Job {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What an operator can do about errors of SQLite, by what their code begins with. */
const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT:
    'hostkeep.db is damaged: stop what uses it, and put a backup of it and of keys.json into the data folder',
  SQLITE_NOTADB: 'hostkeep.db is no store: put a backup of it and of keys.json into the data folder',
  SQLITE_CANTOPEN: 'hostkeep.db cannot be opened: look at the owner, the mode and the file system of the data folder',
  SQLITE_READONLY: 'hostkeep.db cannot be written: look at the owner, the mode and the file system of the data folder',
  SQLITE_IOERR: 'hostkeep.db cannot be read or written: look at the disk, and for room on it',
  SQLITE_FULL: 'there is no room for hostkeep.db: make some on its disk',
};

/** What to do about an error of the store; `undefined` where it is none. */
export function remedyFor(error: unknown): string | undefined {
  const { code = '' } = error as { readonly code?: unknown };
  return typeof code === 'string' ? REMEDIES[code] : undefined;
}

/** How many waiting transactions share one fsync at the most. */
const GROUP = 64;

/**
 * SQLite in WAL mode with `synchronous=FULL`: what `write` resolved survives the process and the power.
 * Reads have a connection of their own and never wait for a writer. Writers queue for the other connection, and
 * those that wait at the same time are committed together, so that a crowd of them costs one fsync.
 */
export class Store implements Reader {
  readonly file: string;
  readonly #reads: Connection;
  readonly #writes: Connection;
  readonly #queue: Job[] = [];
  #draining: Promise<void> | undefined;

  private constructor(file: string, reads: Connection, writes: Connection) {
    this.file = file;
    this.#reads = reads;
    this.#writes = writes;
  }

  /** Opens or makes the file, readable by its owner only. */
  static async open(file: string): Promise<Store> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const writes = await Connection.open(file, ['journal_mode=wal', 'synchronous=full', 'foreign_keys=on']);
    chmodSync(file, 0o600);
    const reads = await Connection.open(file, ['query_only=on']);
    return new Store(file, reads, writes);
  }

  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return this.#reads.get<T>(sql, ...params);
  }

  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return this.#reads.all<T>(sql, ...params);
  }

  /**
   * Runs `work` in a transaction and resolves with its result once that is on disk; when it throws, nothing of it
   * stays. It may await only its own `tx`: whatever else it waits for, all writers wait for.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Applies the files `NNNN-name.sql` of a folder that the owner has not applied yet, each in a transaction. */
  async migrate(owner: string, folder: string): Promise<void> {
    const files = findFiles('[0-9][0-9][0-9][0-9]-*.sql', folder);
    if (files.length === 0) return;
    const sources = files.map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));
    const known = await this.#applied(owner);
    for (const { name, sql } of sources) {
      const digest = createHash('sha256').update(sql).digest('hex');
      const before = known.get(name);
      if (before === digest) continue;
      if (before !== undefined) throw new Error(`migration ${owner}/${name} was changed after it had been applied`);
      await this.#writes.script(
        `begin immediate; ${sql}\n; insert into migrations values ('${owner}', '${name}', '${digest}', unixepoch()); commit`,
      );
    }
  }

  async #applied(owner: string): Promise<Map<string, string>> {
    await this.#writes.script(
      'create table if not exists migrations (owner text, name text, sha256 text not null, applied_at integer not null, primary key (owner, name)) strict',
    );
    const rows = await this.#writes.all<{ name: string; sha256: string }>(
      'select name, sha256 from migrations where owner = ?',
      owner,
    );
    return new Map(rows.map((row) => [row.name, row.sha256]));
  }

  /** Writes a consistent copy while the server runs. The target must not exist yet. */
  async backup(target: string): Promise<void> {
    if (existsSync(target)) throw new Error(`${target} exists already`);
    const partial = `${target}.partial`;
    rmSync(partial, { force: true });
    const connection = await Connection.open(this.file, []);
    try {
      await connection.all('vacuum into ?', partial);
      chmodSync(partial, 0o600);
      renameSync(partial, target);
    } finally {
      await connection.close();
      rmSync(partial, { force: true });
    }
  }

  /** What is wrong with the file, as far as its structure shows it; takes a second or so for each gigabyte. */
  async examine(): Promise<string[]> {
    const rows = await this.#reads.all<{ quick_check: string }>('pragma quick_check(10)');
    return rows.map((row) => row.quick_check).filter((verdict) => verdict !== 'ok');
  }

  /** Waits for writers that were accepted, then closes the file. */
  async close(): Promise<void> {
    await this.#draining;
    await this.#reads.close();
    await this.#writes.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0, GROUP));
    this.#draining = undefined; // in the same breath as the look at the queue, so that no job falls between
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const settled: (() => void)[] = [];
    try {
      await this.#writes.run('begin immediate');
      for (const job of jobs) settled.push(await this.#step(job, jobs.length === 1));
      await this.#writes.run('commit');
    } catch (error) {
      await this.#writes.run('rollback').catch(() => undefined); // there is none open when `begin` itself failed
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const settle of settled) settle();
  }

  /** One job of a group; a failure takes back only this one, the whole transaction when it is alone. Resolves to what tells its caller, once all is durable. */
  async #step(job: Job, isAlone: boolean): Promise<() => void> {
    const tx = new Transaction(this.#writes);
    if (!isAlone) await this.#writes.run('savepoint job');
    try {
      const value = await job.work(tx);
      if (!isAlone) await this.#writes.run('release job');
      return () => {
        try {
          for (const callback of tx.callbacks) callback();
          job.resolve(value);
        } catch (error) {
          job.reject(error); // a fault of the caller's callback, and no other job's concern
        }
      };
    } catch (error) {
      if (isAlone) throw error;
      await this.#writes.run('rollback to job');
      await this.#writes.run('release job');
      return () => job.reject(error);
    }
  }
}

class Transaction implements Tx {
  readonly callbacks: (() => void)[] = [];
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return this.#connection.get<T>(sql, ...params);
  }

  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return this.#connection.all<T>(sql, ...params);
  }

  run(sql: string, ...params: SqlValue[]): Promise<{ lastId: number; changes: number }> {
    return this.#connection.run(sql, ...params);
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }
}

/** A connection with its prepared statements; the SQL texts are constants of the code, so their number is small. */
class Connection {
  readonly #database: Database;
  readonly #statements = new Map<string, Promise<Statement>>();

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(filename: string, pragmas: readonly string[]): Promise<Connection> {
    const database = await open({ filename, driver: sqlite3.Database });
    database.configure('busyTimeout', 5000);
    await database.exec(pragmas.map((pragma) => `pragma ${pragma};`).join(' '));
    return new Connection(database);
  }

  #prepared(sql: string): Promise<Statement> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
      statement.catch(() => this.#statements.delete(sql));
    }
    return statement;
  }

  /** `Statement.get` of the driver keeps the statement open at its first row, hence `all`. */
  async get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...params))[0];
  }

  async all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return (await this.#prepared(sql)).all<T[]>(params);
  }

  async run(sql: string, ...params: SqlValue[]): Promise<{ lastId: number; changes: number }> {
    const { lastID = 0, changes = 0 } = await (await this.#prepared(sql)).run(params);
    return { lastId: lastID, changes };
  }

  async script(sql: string): Promise<void> {
    try {
      await this.#database.exec(sql);
    } catch (error) {
      await this.#database.exec('rollback').catch(() => undefined); // none is open when the script began none
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) await (await statement).finalize();
    await this.#database.close();
  }
}
