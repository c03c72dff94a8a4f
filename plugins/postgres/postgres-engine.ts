import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { SqlValue } from '../../kernel/store/sqlite/connection.ts';
import type { AppliedMigration, StoreEngineOptions, Migration, Store, Tx } from '../../kernel/store/store.ts';
import { placesForRows } from '../../kernel/kit/placeholders.ts';
import { VERSION } from '../../kernel/kit/files/project-dir.ts';
import { addressesIn, placeWithoutPassword } from './addresses.ts';
import { ConnectionLost, Connections, NoConnection, unreachable, type PostgresClient } from './connections.ts';
import { PostgresCatalogue } from './postgres-catalogue.ts';
import { PostgresSignal } from './postgres-signal.ts';
import { Servers } from './servers.ts';
import { toInsert, toStatement } from './statements.ts';

/** More connections for reads, or for writes, do not make one process faster. */
const MOST = 8;
/** How long a transaction is tried again: while others change what it read, and while a standby takes over. */
const WRITE_MS = 5000;
/** After so many attempts a transaction asks that others wait for it. */
const PATIENT_ATTEMPTS = 2;
/** So often it is tried by a server that answers, however long it takes: on a busy one the first attempts take all the time. */
const LEAST_ATTEMPTS = 6;
/** How long a migration may take. */
const MIGRATION_MS = 3_600_000;
/** A node that has just begun to make tables may be held up for longer than one that serves. */
const SILENT_MIGRATION_MS = 60_000;
/** How often its server is asked meanwhile whether it is still there, and how many questions in a row it may leave unanswered. */
const ASK_MS = 5000;
const UNANSWERED = 2;
/** The longest pause between two attempts. */
const PAUSE_MS = 200;
/** Aborted by the server because of another transaction: serialization failure, deadlock. */
const ABORTED = new Set(['40001', '40P01']);
const UNIQUE_VIOLATION = '23505';
const MIGRATIONS_TABLE = `create table if not exists migrations (owner text collate "C", name text collate "C",
  sha256 text not null, applied_at bigint not null, version text not null default '', primary key (owner, name))`;

/** An unknown outcome: the connection was lost between `commit` and its answer. */
class UnknownOutcome extends ConnectionLost {}

/**
 * A database of PostgreSQL, in the first schema of the search path. Transactions are serializable and are tried again if
 * others came between, so that limits that they check hold under concurrency, on however many nodes. Once `write` resolves,
 * its changes are as durable as the server's `synchronous_commit` makes them.
 */
export class PostgresEngine implements Store {
  readonly place: string;
  readonly remedy = 'restore it with the tools of PostgreSQL';
  readonly migrationsFolder = 'postgres';
  readonly isShared = true;
  readonly graceMs: number;
  readonly nowMs = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';
  readonly signal: PostgresSignal;
  readonly catalogue = new PostgresCatalogue(this);
  readonly #servers: Servers;
  readonly #reads: Connections;
  readonly #writes: Connections;

  constructor({ url, password, connections, graceMs, statementMs, signal }: StoreEngineOptions) {
    const servers = new Servers(addressesIn(url, password), statementMs);
    this.#servers = servers;
    this.place = placeWithoutPassword(url);
    this.graceMs = graceMs;
    // Apart, so that neither waits for the other: a transaction that also reads beside itself cannot wait for its own end.
    const bounded = (part: number) => Math.max(1, Math.min(MOST, part));
    this.#reads = new Connections(servers, bounded(Math.floor(connections / 2)));
    this.#writes = new Connections(servers, bounded(Math.ceil(connections / 2)));
    this.signal = new PostgresSignal(servers, signal);
  }

  async get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return (await this.all<T>(sql, ...params))[0];
  }

  /** Asks once more if the connection is gone, because a server that was restarted leaves such ones behind. */
  async all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    const ask = () => this.#reads.use((client) => client.all<T>(sql, params));
    try {
      return await ask().catch((error: unknown) => (isLeftBehind(error) ? ask() : Promise.reject(error)));
    } catch (error) {
      throw error instanceof ConnectionLost ? unreachable(error) : error;
    }
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { value, callbacks } = await this.#commit(work);
    for (const callback of callbacks) callback();
    return value;
  }

  async migrations(): Promise<AppliedMigration[]> {
    const table = await this.get<{ name: string | null }>("select to_regclass('migrations') as name");
    if (typeof table?.name !== 'string') return [];
    return this.all('select owner, name, sha256, version from migrations order by owner, name');
  }

  async apply(...migrations: readonly Migration[]): Promise<void> {
    const migrate = (client: PostgresClient) =>
      inTransaction(client, 'begin', async () => {
        await client.script(`set local statement_timeout = ${MIGRATION_MS}`); // an index of a large table takes minutes
        await client.script(`set local idle_in_transaction_session_timeout = ${SILENT_MIGRATION_MS}`);
        await client.script("select pg_advisory_xact_lock(hashtext('hostkeep ' || current_schema()))", MIGRATION_MS);
        await client.script(MIGRATIONS_TABLE);
        const now = Math.floor(Date.now() / 1000);
        const rows = await client.all<AppliedMigration>('select owner, name from migrations');
        const applied = new Set(rows.map(({ owner, name }) => `${owner}/${name}`));
        const missing = migrations.filter(({ owner, name }) => !applied.has(`${owner}/${name}`));
        if (missing.length === 0) return;
        for (const { sql } of missing) await client.script(sql, MIGRATION_MS);
        await client.all(
          `insert into migrations values ${placesForRows(missing.length, 5)}`,
          missing.flatMap(({ owner, name, sha256 }) => [owner, name, sha256, now, VERSION]),
        );
      });
    await this.#writes.use((client) => this.#whileThere(client.server, () => migrate(client)));
  }

  async sizeBytes(): Promise<number> {
    const row = await this.get<{ bytes: number | null }>(
      "select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
    );
    return row?.bytes ?? 0;
  }

  /** PostgreSQL checks its pages itself, as it reads them (`data_checksums`); what is asked here is that it answers. */
  async examine(): Promise<string[]> {
    await this.get('select 1 as n');
    return [];
  }

  async close(): Promise<void> {
    await this.#writes.close();
    await this.#reads.close();
  }

  /** Does what may take long. Gives the server up if it falls silent: one that is frozen, or cut off, closes no connection. */
  async #whileThere<T>(server: number, work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const { signal } = ended;
    const watch = async () => {
      for (let missed = 0; missed < UNANSWERED;) {
        await delay(ASK_MS, undefined, { signal });
        missed = await this.examine().then(
          () => 0,
          () => missed + 1,
        );
        if (signal.aborted) return; // the work has ended, so the server was there
        if (this.#servers.current !== server) break; // another one answers
      }
      this.#servers.lost(server);
    };
    const watching = watch().catch(() => undefined); // when it is aborted
    try {
      return await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  /** Tries the transaction until it is committed, or refused for good. */
  async #commit<T>(work: (tx: Tx) => Promise<T>): Promise<Outcome<T>> {
    const end = performance.now() + WRITE_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#writes.use((client) => transact(client, work, attempt));
      } catch (error) {
        if (error instanceof UnknownOutcome) throw unreachable(error);
        if (!isRepeatable(error, attempt)) throw error;
        const isEnough = error instanceof ConnectionLost || attempt + 1 >= LEAST_ATTEMPTS;
        if (isEnough && performance.now() > end) throw unreachable(error);
      }
      await delay(Math.random() * Math.min(PAUSE_MS, 2 ** attempt));
    }
  }
}

interface Outcome<T> {
  readonly value: T;
  readonly callbacks: readonly (() => void)[];
}

async function transact<T>(client: PostgresClient, work: (tx: Tx) => Promise<T>, attempt: number): Promise<Outcome<T>> {
  const tx = new Transaction(client);
  const value = await inTransaction(client, 'begin isolation level serializable', async () => {
    // Before the first query, at which a transaction's view of the data begins.
    if (attempt >= PATIENT_ATTEMPTS) await client.script('lock table revision in exclusive mode');
    return work(tx);
  });
  return { value, callbacks: tx.callbacks };
}

/** Commits what `work` does, or rolls it back if it rejects. Rejects with `UnknownOutcome` if nobody answers the commit. */
async function inTransaction<T>(client: PostgresClient, begin: string, work: () => Promise<T>): Promise<T> {
  await client.script(begin);
  let value: T;
  try {
    value = await work();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) await client.script('rollback');
    throw error;
  }
  try {
    await client.commit();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    throw new UnknownOutcome('the connection was lost at the commit', { cause: error });
  }
  return value;
}

class Transaction implements Tx {
  readonly callbacks: (() => void)[] = [];
  readonly #client: PostgresClient;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  async get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return (await this.#client.all<T>(sql, params))[0];
  }

  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return this.#client.all<T>(sql, params);
  }

  async run(sql: string, ...params: SqlValue[]): Promise<{ changes: number }> {
    return { changes: (await this.#client.query(toStatement(sql), params)).rowCount ?? 0 };
  }

  async insert(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#client.query<{ id: number }>(toInsert(sql), params)).rows[0]?.id ?? 0;
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }
}

const isLeftBehind = (error: unknown): boolean => error instanceof ConnectionLost && !(error instanceof NoConnection);

/** A row that is there already may be one of a transaction that this one has not seen; a patient one has seen all. */
function isRepeatable(error: unknown, attempt: number): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof DatabaseError)) return false;
  return ABORTED.has(error.code ?? '') || (error.code === UNIQUE_VIOLATION && attempt < PATIENT_ATTEMPTS);
}
