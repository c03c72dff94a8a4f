import { join } from 'node:path';
import type { Plugin } from '../contract/plugin.ts';
import { LOCAL_MIGRATIONS, type Stores } from '../store/local-store.ts';
import { migrateAll } from '../store/migrate.ts';
import { migrationsFolder } from './discovery.ts';

/**
 * Brings the tables of all plugins up to date, before any of them can write. Resolves with the failures by plugin; the
 * others run.
 */
export async function migratePlugins(
  plugins: readonly Plugin[],
  { store, local }: Stores,
): Promise<ReadonlyMap<string, unknown>> {
  const folders = plugins.map(({ name }) => ({ owner: name, folder: migrationsFolder(name) }));
  const localFolders = folders.map(({ owner, folder }) => ({ owner, folder: join(folder, LOCAL_MIGRATIONS) }));
  const failures = await migrateAll(local, localFolders);
  const others = folders.filter(({ owner }) => !failures.has(owner));
  return new Map([...failures, ...(await migrateAll(store, others))]);
}
