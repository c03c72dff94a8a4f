import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../system/project-dir.ts';
import type { AppliedMigration } from './engine.ts';

/**
 * Returns those of applied migrations, as `<owner>/<name>`, that the kernel or an installed plugin does not have: a newer
 * build applied them. Migrations of plugins that are not installed do not count, because nothing reads their tables.
 */
export function unknownMigrations(
  applied: readonly Pick<AppliedMigration, 'owner' | 'name'>[],
  root = projectDir,
): string[] {
  return applied.flatMap(({ owner, name }) => {
    const folder = join(root, owner === 'kernel' ? 'kernel/storage' : join('plugins', owner));
    return !existsSync(folder) || existsSync(join(folder, 'migrations', name)) ? [] : [`${owner}/${name}`];
  });
}
