import { join } from 'node:path';
import type { Plugin } from '../plugin-api/plugin.ts';
import { migrateStores, type Stores } from '../storage/local-store.ts';
import { findFiles } from '../system/find-files.ts';
import { projectDir } from '../system/project-dir.ts';

/**
 * Brings the tables of all plugins up to date, before any of them can write. Resolves with the failures by plugin; the
 * others run.
 */
export async function migratePlugins(plugins: readonly Plugin[], stores: Stores): Promise<Map<string, unknown>> {
  const folder = join(projectDir, 'plugins');
  const withTables = new Set(
    findFiles('*/migrations/**/*.sql', folder).map((path) => path.slice(0, path.indexOf('/'))),
  );
  const failures = new Map<string, unknown>();
  for (const { name } of plugins.filter((plugin) => withTables.has(plugin.name)))
    await migrateStores(stores, name, join(folder, name, 'migrations')).catch((error: unknown) =>
      failures.set(name, error),
    );
  return failures;
}
