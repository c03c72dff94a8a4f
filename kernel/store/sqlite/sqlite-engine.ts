import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail } from '../../errors.ts';
import { makePrivate } from '../../kit/files/private-file.ts';
import { Connection, faultsIn, isLocked, type SqlValue } from './connection.ts';
import { SqliteCatalogue } from './sqlite-catalogue.ts';
import { SignalFile } from '../signal-file.ts';
import { type AppliedMigration, type Migration, type Store, type Tx } from '../store.ts';

interface Job {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Faults and their remedies, by SQLite error code. */
const REMEDIES: Readonly<Record<string, readonly [fault: string, remedy?: string]>> = {
  SQLITE_CORRUPT: ['is damaged'],
  SQLITE_NOTADB: ['is not a database'],
  SQLITE_CANTOPEN: ['cannot be opened', 'check the owner, mode and file system of the data folder'],
  SQLITE_READONLY: ['cannot be written', 'check the owner, mode and file system of the data folder'],
  SQLITE_IOERR: ['cannot be read or written', 'check the disk and its free space'],
  SQLITE_FULL: ['cannot grow', 'free some space on its disk'],
};

/** Returns what an operator can do about an error of a store; `undefined` for any other error. */
export function remedyFor(error: unknown): string | undefined {
  const { code, file } = error as { readonly code?: unknown; readonly file?: unknown };
  if (typeof code !== 'string' || typeof file !== 'string' || REMEDIES[code] === undefined) return undefined;
  const [fault, remedy = replacementOf(file)] = REMEDIES[code];
  return `${file} ${fault}: ${remedy}`;
}

/** Returns how to replace the damaged file of a store. */
function replacementOf(file: string): string {
  return file.endsWith('node.db')
    ? 'stop all programs that use it, and remove it: only the history of usage is lost'
    : 'stop all programs that use it, and run `hostkeep restore --force <backup>`';
}

/** Whether the disk has no room for what was to be written; reads go on. */
const isFull = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'SQLITE_FULL';

/** Returns what callers get for a failed write: a reason that is not theirs, or the error itself. */
function writeFailure(cause: unknown): unknown {
  // for so long that nobody waits for it: it may be frozen
  if (isLocked(cause))
    return fail.store_unavailable('another process has locked the store', { retryAfterSeconds: 1, cause });
  if (isFull(cause))
    return fail.store_unavailable('the disk of the server is full, so that nothing can be changed', {
      retryAfterSeconds: 30,
      cause,
    });
  return cause;
}

const WRITING = ['synchronous=full', 'foreign_keys=on'] as const;
const MIGRATIONS_TABLE =
  'create table if not exists migrations (owner text, name text, sha256 text not null, applied_at integer not null, primary key (owner, name)) strict';

/** The maximum number of queued transactions that share one fsync. */
const GROUP = 64;

/**
 * A SQLite database in WAL mode with `synchronous=FULL`: once `write` resolves, its changes survive a crash or power
 * loss. Reads use their own connection and never wait for a writer. Writers queue for the other connection; those that
 * wait at the same time are committed together, so that a burst of writes costs one fsync.
 */
export class SqliteEngine implements Store {
  readonly place: string;
  readonly remedy: string;
  readonly migrationsFolder = '';
  readonly isShared = false;
  readonly graceMs = 0;
  readonly nowMs = "cast(unixepoch('subsec') * 1000 as integer)";
  readonly catalogue = new SqliteCatalogue(this);
  #signal: SignalFile | undefined;
  readonly #reads: Connection;
  readonly #writes: Connection;
  readonly #queue: Job[] = [];
  #draining: Promise<void> | undefined;

  private constructor(file: string, reads: Connection, writes: Connection) {
    this.place = file;
    this.remedy = replacementOf(file);
    this.#reads = reads;
    this.#writes = writes;
  }

  /** Opens or creates the file, readable by its owner only. */
  static async open(file: string): Promise<SqliteEngine> {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makePrivate(file); // by SQLite, it and the files beside it would be open to others until their mode is changed
    const writes = await Connection.open(file, ['journal_mode=wal', ...WRITING]);
    const reads = await Connection.open(file, ['query_only=on']);
    return new SqliteEngine(file, reads, writes);
  }

  /** A file beside the database. */
  get signal(): SignalFile {
    return (this.#signal ??= new SignalFile(join(dirname(this.place), 'revision')));
  }

  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return this.#reads.get<T>(sql, ...params);
  }

  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return this.#reads.all<T>(sql, ...params);
  }

  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async migrations(): Promise<AppliedMigration[]> {
    if ((await this.get("select 1 from sqlite_schema where name = 'migrations'")) === undefined) return [];
    return this.all('select owner, name, sha256 from migrations order by owner, name');
  }

  /** On a connection of its own, because a plugin may be switched on while others write. */
  async apply(...migrations: readonly Migration[]): Promise<void> {
    const connection = await Connection.open(this.place, WRITING);
    try {
      await connection.run('begin immediate');
      await connection.run(MIGRATIONS_TABLE);
      for (const { owner, name, sql, sha256 } of migrations) {
        if (await connection.get('select 1 from migrations where owner = ? and name = ?', owner, name)) continue;
        await connection.script(sql);
        await connection.run('insert into migrations values (?, ?, ?, unixepoch())', owner, name, sha256);
      }
      await connection.run('commit');
    } finally {
      await connection.close(); // which rolls back what is not committed
    }
  }

  async sizeBytes(): Promise<number> {
    return (await stat(this.place)).size;
  }

  examine(): Promise<string[]> {
    return faultsIn(this.place);
  }

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
      for (const job of jobs) job.reject(writeFailure(error));
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
      return () => job.reject(writeFailure(error));
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

  run(sql: string, ...params: SqlValue[]): Promise<{ changes: number }> {
    return this.#connection.run(sql, ...params);
  }

  async insert(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#connection.run(sql, ...params)).lastId;
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }
}
