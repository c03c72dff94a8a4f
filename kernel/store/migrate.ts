import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../kit/files/find-files.ts';
import type { Migration, Store } from './store.ts';

/**
 * Applies the files `NNNN-name.sql` of a folder that the owner has not applied yet, each in its own transaction. Rejects if
 * one was changed since. `openCore` refuses a store with migrations that only a newer version has.
 */
export async function migrate(store: Store, owner: string, folder: string): Promise<void> {
  const inDialect = join(folder, store.migrationsFolder);
  const files = findFiles('[0-9][0-9][0-9][0-9]-*.sql', inDialect);
  if (files.length === 0 && inDialect !== folder && findFiles('*.sql', folder).length > 0)
    throw new Error(`${owner} has no migrations for this database: ${inDialect} is missing`);
  if (files.length === 0) return;
  const sources: Migration[] = files.map((name) => {
    const sql = readFileSync(join(inDialect, name), 'utf8');
    return { owner, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
  const applied = (await store.migrations()).filter((each) => each.owner === owner);
  const known = new Map(applied.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256 } of sources)
    if ((known.get(name) ?? sha256) !== sha256)
      throw new Error(`migration ${owner}/${name} was changed after it had been applied`);
  for (const migration of sources.filter(({ name }) => !known.has(name))) await store.apply(migration);
}
