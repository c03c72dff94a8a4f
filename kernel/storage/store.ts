import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFiles } from '../system/find-files.ts';
import { makePrivate } from '../system/private-file.ts';
import { Connection, type SqlValue } from './connection.ts';
import type { AppliedMigration } from './unknown-migrations.ts';

export interface Reader {
  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined>;
  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]>;
}

/** One write transaction. It holds the write lock, so what it reads cannot change before it commits. */
export interface Tx extends Reader {
  run(sql: string, ...params: SqlValue[]): Promise<{ lastId: number; changes: number }>;
  /** Calls back once the transaction is durable, before `write` resolves; never if the transaction fails. */
  afterCommit(callback: () => void): void;
}

interface Job {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Remedies for operators, by SQLite error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_CORRUPT: 'hostkeep.db is damaged: stop all programs that use it, and run `hostkeep restore --force <backup>`',
  SQLITE_NOTADB: 'hostkeep.db is not a database: stop the server, and run `hostkeep restore --force <backup>`',
  SQLITE_CANTOPEN: 'hostkeep.db cannot be opened: check the owner, mode and file system of the data folder',
  SQLITE_READONLY: 'hostkeep.db cannot be written: check the owner, mode and file system of the data folder',
  SQLITE_IOERR: 'hostkeep.db cannot be read or written: check the disk and its free space',
  SQLITE_FULL: 'the disk of hostkeep.db is full: free some space on it',
};

/** Returns what an operator can do about an error of the store; `undefined` for any other error. */
export function remedyFor(error: unknown): string | undefined {
  const { code = '' } = error as { readonly code?: unknown };
  return typeof code === 'string' ? REMEDIES[code] : undefined;
}

/** The maximum number of queued transactions that share one fsync. */
const GROUP = 64;

/**
 * A SQLite database in WAL mode with `synchronous=FULL`: once `write` resolves, its changes survive a crash or power
 * loss. Reads use their own connection and never wait for a writer. Writers queue for the other connection; those that
 * wait at the same time are committed together, so that a burst of writes costs one fsync.
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

  /** Opens or creates the file, readable by its owner only. */
  static async open(file: string): Promise<Store> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makePrivate(file); // by SQLite, it and the files beside it would be open to others until their mode is changed
    const writes = await Connection.open(file, ['journal_mode=wal', 'synchronous=full', 'foreign_keys=on']);
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
   * Runs `work` in a transaction and resolves with its result once the changes are on disk; if it throws, they are
   * rolled back. `work` must await only its own `tx`, because all other writers wait for it.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /**
   * Applies the files `NNNN-name.sql` of a folder that the owner has not applied yet, each in its own transaction. Rejects
   * if the store has migrations that are not in the folder, because then a newer version has changed it.
   */
  async migrate(owner: string, folder: string): Promise<void> {
    const files = findFiles('[0-9][0-9][0-9][0-9]-*.sql', folder);
    if (files.length === 0) return;
    const sources = files.map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));
    const known = await this.#applied(owner);
    const [unknown] = [...known.keys()].filter((name) => !files.includes(name));
    if (unknown !== undefined)
      throw new Error(
        `the store has the migration ${owner}/${unknown}, which this version does not know: use the version that made it, or restore a backup`,
      );
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

  /** Resolves with all migrations that were applied to the file, by whichever build; none for a new file. */
  async migrations(): Promise<AppliedMigration[]> {
    if ((await this.get("select 1 from sqlite_master where name = 'migrations'")) === undefined) return [];
    return this.all('select owner, name from migrations order by owner, name');
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

  /** Resolves with faults in the file's structure, at most 10. Takes about a second per gigabyte. */
  async examine(): Promise<string[]> {
    const rows = await this.#reads.all<{ quick_check: string }>('pragma quick_check(10)');
    return rows.map((row) => row.quick_check).filter((verdict) => verdict !== 'ok');
  }

  /** Waits for queued writers, then closes the file. */
  async close(): Promise<void> {
    await this.#draining;
    await this.#reads.close();
    await this.#writes.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#commit(this.#queue.splice(0, GROUP));
    this.#draining = undefined; // without an await after the look at the queue, so that no job is left in it
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const settled: (() => void)[] = [];
    try {
      await this.#writes.run('begin immediate');
      for (const job of jobs) settled.push(await this.#step(job, jobs.length === 1));
      await this.#writes.run('commit');
    } catch (error) {
      await this.#writes.run('rollback').catch(() => undefined); // no transaction is open if `begin` itself failed
      for (const job of jobs) job.reject(error);
      return;
    }
    for (const settle of settled) settle();
  }

  /**
   * Runs one job of a group. A failure rolls back only this job, or the whole transaction if the job is alone. Resolves
   * with a function that settles the caller's promise, to be called once the group is durable.
   */
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
          job.reject(error); // the callback's error concerns only its own caller
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
