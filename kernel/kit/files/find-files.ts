import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import glob from 'fast-glob';

/**
 * Returns the paths that match glob patterns, sorted by name; relative patterns and results are relative to `folder`.
 * Hidden files match only where a pattern names the dot.
 */
export function findFiles(patterns: string | readonly string[], folder: string): string[] {
  return glob.sync([patterns].flat(), { cwd: folder, onlyFiles: true }).toSorted();
}

/** Returns the paths of a file in the folders below one, which may be missing, as `findFiles` does, but without a walk. */
export function findInEach(file: string, folder: string): string[] {
  const paths = existsSync(folder) ? readdirSync(folder).map((name) => join(name, file)) : [];
  return paths.filter((path) => existsSync(join(folder, path))).toSorted();
}
