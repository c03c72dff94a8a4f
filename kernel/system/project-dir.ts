import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's root: SQL, catalogues and defaults are read from there, also when the code runs from `dist/`. */
export const projectDir = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) || folder === '/' ? folder : findRoot(dirname(folder));
}
