import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kit/files/project-dir.ts';
import type { AppliedMigration } from '../../store/store.ts';

/**
 * Returns those of applied migrations that neither the kernel nor an installed plugin has: a newer build applied them.
 * Migrations of plugins that are not installed do not count, because nothing reads their tables.
 */
export function unknownMigrations<T extends Pick<AppliedMigration, 'owner' | 'name'>>(applied: readonly T[]): T[] {
  return applied.filter(({ owner, name }) => {
    const folder = join(projectDir, owner === 'kernel' ? 'kernel/store' : join('plugins', owner));
    return existsSync(folder) && !existsSync(join(folder, 'migrations', name));
  });
}

/** Returns migrations as a text that names them. */
export const migrationNames = (migrations: readonly Pick<AppliedMigration, 'owner' | 'name'>[]): string =>
  migrations.map(({ owner, name }) => `${owner}/${name}`).join(', ');
