import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database } from '../account-databases.ts';
import type { MysqlClient } from './client.ts';
import type { ListedDatabase } from './server-catalogue.ts';
import { OPENED_TABLES, openTables, tablesToOpen } from './size-queries.ts';

interface TableSizesOptions {
  /** Connects to the server. */
  readonly connect: () => Promise<MysqlClient>;
  readonly refreshMs: number;
  readonly log: Log;
}

/** The opened tables of one database. */
interface OpenedTables {
  /** The latest size, and when it was taken in milliseconds since 1970. */
  sized?: { readonly bytes: number; readonly takenAt: number };
  /** When the next attempt is due, by the monotonic clock. */
  dueAt: number;
  hasFailed: boolean;
  flight?: Promise<void>;
}

/** The attempts for one owner. */
interface Round {
  flight?: Promise<void>;
  restsUntil: number;
}

/** One owner's statements take one of them. */
const STATEMENTS = 2;
const WAITING = 10_000;
/** An attempt of a second is repeated after ten seconds. */
const REST_FACTOR = 10;
const LONGEST_REST_MS = 60_000;
/** How long an owner's databases are measured at a time, and how long one of them may take. */
const ROUND_MS = 5000;
/** A size whose measurement is overdue for longer is marked as old. */
const LATE_MS = 5000;
/** How long a request waits for sizes; then the last known ones stand in. */
const WAIT_MS = 1500;

/**
 * Sizes of tables that must be opened to be sized. Their owner can lock them, or have thousands of them, so one
 * database is measured at a time, each with a limit, and only while its owner polls; owners share the connections
 * fairly. While a size cannot be had, the last known one stands in.
 */
export class TableSizes {
  readonly #options: TableSizesOptions;
  readonly #queue = new FairQueue({ slots: STATEMENTS, perClient: 1, waitingOfAll: WAITING });
  readonly #databases = new Map<string, OpenedTables>();
  readonly #rounds = new Map<string | number, Round>();

  constructor(options: TableSizesOptions) {
    this.#options = options;
  }

  /**
   * Starts to measure those databases of an owner that are due. Returns `undefined` if there is nothing to wait for, else
   * a promise that never rejects. `restMs` is the least time after a success.
   */
  refresh(
    owner: string | number,
    databases: readonly ListedDatabase[],
    restMs = this.#options.refreshMs,
  ): Promise<void> | undefined {
    const now = performance.now();
    let round = this.#rounds.get(owner);
    if (round?.flight === undefined) {
      if (now < (round?.restsUntil ?? 0)) return undefined;
      const due = databases.filter(
        (database) => mustOpen(database) && now >= (this.#databases.get(database.name)?.dueAt ?? 0),
      );
      if (due.length === 0) return undefined;
      round = { restsUntil: 0 };
      this.#rounds.set(owner, round);
      round.flight = this.#runRound(owner, round, due, restMs);
    }
    // it goes on, and logs its failures; sizes stay as they were
    return withDeadline(round.flight, WAIT_MS).catch(() => undefined);
  }

  /** Returns the database with the size of all its tables, as far as it is known. */
  complete(database: ListedDatabase): Database {
    const { name, sizeBytes, toOpen } = database;
    if (toOpen === 0) return { name, sizeBytes };
    const { sized, dueAt = 0, hasFailed = true } = this.#databases.get(name) ?? {};
    const total = { name, sizeBytes: sizeBytes + (sized?.bytes ?? 0) };
    const isOld = hasFailed || performance.now() > dueAt + LATE_MS;
    return isOld ? { ...total, asOf: sized?.takenAt ?? null } : total;
  }

  /** Forgets all databases except these, and owners that rest no more. */
  keepOnly(databases: readonly ListedDatabase[]): void {
    const names = new Set(databases.map(({ name }) => name));
    for (const name of this.#databases.keys()) if (!names.has(name)) this.#databases.delete(name);
    const now = performance.now();
    for (const [owner, { flight, restsUntil }] of this.#rounds)
      if (flight === undefined && now >= restsUntil) this.#rounds.delete(owner);
  }

  async #runRound(owner: string | number, round: Round, due: readonly ListedDatabase[], restMs: number): Promise<void> {
    const roundStartedAt = performance.now();
    const oldestFirst = due.toSorted((a, b) => this.#entry(a).dueAt - this.#entry(b).dueAt);
    for (const database of oldestFirst) {
      const startedAt = performance.now();
      if (startedAt - roundStartedAt > ROUND_MS) break;
      const entry = this.#entry(database);
      const measure = async () => {
        const isMeasured = await this.#measure(owner, database, entry);
        entry.dueAt = Math.max(
          performance.now() + (isMeasured ? restMs : this.#options.refreshMs),
          restAfter(startedAt),
        );
        delete entry.flight;
      };
      await (entry.flight ??= measure());
    }
    round.restsUntil = restAfter(roundStartedAt);
    delete round.flight;
  }

  #entry({ name }: ListedDatabase): OpenedTables {
    let entry = this.#databases.get(name);
    if (entry === undefined) this.#databases.set(name, (entry = { dueAt: 0, hasFailed: false }));
    return entry;
  }

  /** Returns whether the size is known now; after a failure the earlier one stays. Never rejects. */
  async #measure(owner: string | number, database: ListedDatabase, entry: OpenedTables): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const client = await this.#options.connect();
      const takenAt = Date.now();
      let bytes = 0;
      let tables: readonly string[] = await this.#queue.run(owner, () => tablesToOpen(client, database));
      while (tables.length > 0) {
        const names = tables;
        const opened = await this.#queue.run(owner, () => openTables(client, database, names));
        bytes += opened.bytes;
        tables = opened.rest;
        if (performance.now() - startedAt > ROUND_MS) throw new Error('it takes too long');
      }
      entry.sized = { bytes, takenAt };
      entry.hasFailed = false;
      return true;
    } catch (error) {
      if (!entry.hasFailed)
        this.#options.log.debug({ database: database.name, err: error }, 'the size of a database cannot be measured');
      entry.hasFailed = true;
      return false;
    }
  }
}

/** Where the listing alone shows how many tables there are, their names are not fetched. */
function mustOpen({ toOpen }: ListedDatabase): boolean {
  return toOpen > 0 && toOpen <= OPENED_TABLES;
}

function restAfter(startedAt: number): number {
  const now = performance.now();
  return now + Math.min((now - startedAt) * REST_FACTOR, LONGEST_REST_MS);
}
