import { join } from 'node:path';
import type { Plugin } from '../contract/plugin.ts';
import { migrateStores, type Stores } from '../store/local-store.ts';
import { findFiles } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';

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
