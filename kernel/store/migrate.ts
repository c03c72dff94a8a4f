import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedMigration, Migration, Store } from './store.ts';

/** The folder of an owner's migrations. */
export interface TablesSource {
  /** `kernel` or the name of a plugin. */
  readonly owner: string;
  readonly folder: string;
}

const [MIGRATION, SQL] = [/^\d{4}-.*\.sql$/, /\.sql$/];

/**
 * Applies the files `NNNN-name.sql` of a folder that the owner has not applied yet, each in its own transaction. Rejects if
 * one was changed since. `openCore` refuses a store with migrations that only a newer version has.
 */
export async function migrate(store: Store, owner: string, folder: string): Promise<void> {
  for (const migration of pendingIn(store, await store.migrations(), { owner, folder })) await store.apply(migration);
}

/**
 * Applies what owners have not applied yet. Resolves with failures by owner; the others' tables are up to date. Makes the tables of
 * new owners, which nobody uses yet, in one transaction: a hundred of them take a while on a disk.
 */
export async function migrateAll(store: Store, sources: readonly TablesSource[]): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>();
  const applied = await store.migrations();
  const known = new Set(applied.map(({ owner }) => owner));
  const attempt = async (owner: string, work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failures.set(owner, error);
    }
  };
  const pending = new Map<string, Migration[]>();
  for (const source of sources)
    await attempt(source.owner, () => pending.set(source.owner, pendingIn(store, applied, source)));
  const added = [...pending].filter(([owner, { length }]) => length > 0 && !known.has(owner));
  if (added.length > 0)
    await store.apply(...added.flatMap(([, migrations]) => migrations)).then(
      () => added.forEach(([owner]) => pending.delete(owner)),
      () => undefined, // by themselves, those that can be applied are, and the others say why not
    );
  for (const [owner, migrations] of pending)
    await attempt(owner, async () => {
      for (const migration of migrations) await store.apply(migration);
    });
  return failures;
}

/** Returns the migrations that the owner has not applied yet. Throws if one was changed since, and if none is for this database. */
function pendingIn(store: Store, applied: readonly AppliedMigration[], { owner, folder }: TablesSource): Migration[] {
  const inDialect = join(folder, store.migrationsFolder);
  const files = namesIn(inDialect, MIGRATION);
  if (files.length === 0 && inDialect !== folder && namesIn(folder, SQL).length > 0)
    throw new Error(`${owner} has no migrations for this database: ${inDialect} is missing`);
  const sources: Migration[] = files.map((name) => {
    const sql = readFileSync(join(inDialect, name), 'utf8');
    return { owner, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
  const own = applied.filter((each) => each.owner === owner);
  const known = new Map(own.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256 } of sources)
    if ((known.get(name) ?? sha256) !== sha256)
      throw new Error(`migration ${owner}/${name} was changed after it had been applied`);
  return sources.filter(({ name }) => !known.has(name));
}

function namesIn(folder: string, pattern: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .toSorted();
}
