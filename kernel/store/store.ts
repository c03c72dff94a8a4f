import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../kit/files/find-files.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { SqlValue } from './sqlite/connection.ts';
import {
  digestOf,
  type AppliedMigration,
  type Catalogue,
  type Migration,
  type Reader,
  type StoreEngine,
  type Tx,
} from './engine.ts';
import { SqliteEngine } from './sqlite/sqlite-engine.ts';

export type { Reader, Tx } from './engine.ts';

/** Tables with their migrations, over an engine. */
export class Store implements Reader {
  readonly #engine: StoreEngine;

  constructor(engine: StoreEngine) {
    this.#engine = engine;
  }

  /** Opens or creates a file of SQLite, readable by its owner only. */
  static async open(file: string): Promise<Store> {
    return new Store(await SqliteEngine.open(file));
  }

  /** Where it is, for people; for SQLite, its file. */
  get place(): string {
    return this.#engine.place;
  }

  /** See `StoreEngine.graceMs`. */
  get graceMs(): number {
    return this.#engine.graceMs;
  }

  /** See `StoreEngine.isShared`. */
  get isShared(): boolean {
    return this.#engine.isShared;
  }

  get signal(): ChangeSignal {
    return this.#engine.signal;
  }

  get catalogue(): Catalogue {
    return this.#engine.catalogue;
  }

  /** What operators do if it is damaged. */
  get remedy(): string {
    return this.#engine.remedy;
  }

  get<T>(sql: string, ...params: SqlValue[]): Promise<T | undefined> {
    return this.#engine.get<T>(sql, ...params);
  }

  all<T>(sql: string, ...params: SqlValue[]): Promise<T[]> {
    return this.#engine.all<T>(sql, ...params);
  }

  /** See `StoreEngine.write`. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#engine.write(work);
  }

  /**
   * Applies the files `NNNN-name.sql` of a folder that the owner has not applied yet, each in its own transaction, and calls
   * `before` for each. Rejects if one was changed since. `openCore` looks at those that only a newer version has.
   */
  async migrate(owner: string, folder: string, before?: (migration: Migration) => Promise<void>): Promise<void> {
    const inDialect = join(folder, this.#engine.migrationsFolder);
    const files = findFiles('[0-9][0-9][0-9][0-9]-*.sql', inDialect);
    if (files.length === 0 && inDialect !== folder && findFiles('*.sql', folder).length > 0)
      throw new Error(`${owner} has no migrations for this database: ${inDialect} is missing`);
    if (files.length === 0) return;
    const sources: Migration[] = files.map((name) => ({
      owner,
      name,
      sql: readFileSync(join(inDialect, name), 'utf8'),
    }));
    const known = new Map(
      (await this.migrations()).flatMap((each) => (each.owner === owner ? [[each.name, each.sha256] as const] : [])),
    );
    for (const { name, sql } of sources)
      if ((known.get(name) ?? digestOf(sql)) !== digestOf(sql))
        throw new Error(`migration ${owner}/${name} was changed after it had been applied`);
    for (const migration of sources.filter(({ name }) => !known.has(name))) {
      await before?.(migration);
      await this.#engine.apply(migration);
    }
  }

  /** See `StoreEngine.migrations`. */
  migrations(): Promise<AppliedMigration[]> {
    return this.#engine.migrations();
  }

  /** See `StoreEngine.copyTables`. */
  copyTables(tables: readonly string[], file: string): Promise<void> {
    return this.#engine.copyTables(tables, file);
  }

  /** See `StoreEngine.sizeBytes`. */
  sizeBytes(): Promise<number> {
    return this.#engine.sizeBytes();
  }

  /** See `StoreEngine.examine`. */
  examine(): Promise<string[]> {
    return this.#engine.examine();
  }

  /** See `StoreEngine.close`. */
  close(): Promise<void> {
    return this.#engine.close();
  }
}
