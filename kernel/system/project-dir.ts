import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's root, from which SQL, catalogues and defaults are read, also when the code runs from `dist/`. */
export const projectDir = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) || folder === '/' ? folder : findRoot(dirname(folder));
}

/** The version of Hostkeep. */
export const VERSION = String(
  (JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { readonly version: unknown }).version,
);
