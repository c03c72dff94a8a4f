import type { Account } from '../../kernel/identity/accounts/account.ts';
import { ready, type Reply } from '../../kernel/contract/reply.ts';
import { formatSize } from '../../kernel/kit/format.ts';
import type { DatabaseSize, DatabaseSizes } from './schema.ts';
import { fail } from './errors.ts';

export interface Database {
  readonly name: string;
  readonly sizeBytes: number;
  /**
   * Present if the size could not be measured now: when it was, in milliseconds since 1970. `null` if it never was, so
   * that `sizeBytes` is a part only.
   */
  readonly asOf?: number | null;
}

/** Where an account's databases are. */
export interface DatabaseSource {
  /** Returns a promise only where they are not known yet. Errors: 503 `databases_unavailable`. */
  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases>;
}

const UNITS = ['bytes', 'kb', 'mb', 'gb'] as const;
export type Unit = (typeof UNITS)[number];

/** Parses a unit. Errors: 400 `invalid_unit`. */
export function parseUnit(text: string): Unit {
  const unit = UNITS.find((each) => each === text);
  if (unit === undefined) throw fail.invalid_unit(`the unit must be one of ${UNITS.join(', ')}`, { path: '/unit' });
  return unit;
}

/** One account's databases at one moment. Each reply is built on its first use, and kept. */
export class AccountDatabases {
  readonly own: readonly Database[];
  readonly #system: readonly Database[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sizes = new Map<string, Reply>();
  #usage: Reply | undefined;
  #byName: ReadonlyMap<string, Database> | undefined;

  /** `takenAt`, in milliseconds since 1970, is the replies' `Last-Modified`. */
  constructor(own: readonly Database[], system: readonly Database[], takenAt: number) {
    this.own = own;
    this.#system = system;
    this.#headers = { 'Last-Modified': new Date(takenAt).toUTCString() };
  }

  get usage(): Reply {
    return (this.#usage ??= ready({ db_usage: String(this.own.length) }, { headers: this.#headers }));
  }

  /**
   * Returns the size of a database that `sizes` lists, system databases included. Errors: 404 `database_not_found`, for a
   * missing database and for another account's alike.
   */
  size(name: string): DatabaseSize {
    this.#byName ??= new Map([...this.#system, ...this.own].map((database) => [database.name, database]));
    const database = this.#byName.get(name);
    if (database === undefined) throw fail.database_not_found('there is no such database');
    return { size: formatSize(database.sizeBytes), ...ageOf(database) };
  }

  sizes(unit: Unit, withSystem: boolean): Reply {
    const key = `${unit} ${withSystem}`;
    let reply = this.#sizes.get(key);
    if (reply === undefined) {
      const shown = withSystem ? [...this.own, ...this.#system].toSorted(byName) : this.own;
      reply = ready(
        shown.map((database) => entryOf(database, unit)),
        { headers: this.#headers },
      );
      this.#sizes.set(key, reply);
    }
    return reply;
  }
}

/** Compares by UTF-16 code units, which gives the same order on every machine. */
export function byName(a: Database, b: Database): number {
  return a.name < b.name ? -1 : 1;
}

function entryOf(database: Database, unit: Unit): DatabaseSizes[number] {
  const { name, sizeBytes } = database;
  const entry = { Database: name, 'Size (MB)': scaled(sizeBytes, 2), ...ageOf(database) };
  if (unit === 'bytes') return { ...entry, 'Size (BYTES)': sizeBytes };
  if (unit === 'kb') return { ...entry, 'Size (KB)': scaled(sizeBytes, 1) };
  return unit === 'gb' ? { ...entry, 'Size (GB)': scaled(sizeBytes, 3) } : entry;
}

function ageOf({ asOf }: Database): { as_of?: string | null } {
  return asOf === undefined ? {} : { as_of: asOf === null ? null : new Date(asOf).toISOString() };
}

/** Rounds to 2 decimals, or to 2 digits where that would show 0. */
function scaled(sizeBytes: number, power: number): number {
  const size = sizeBytes / 1024 ** power;
  return Math.round(size * 100) / 100 || Number(size.toPrecision(2));
}
