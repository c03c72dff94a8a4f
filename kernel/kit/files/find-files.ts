import glob from 'fast-glob';
import { projectDir } from './project-dir.ts';

const found = new Map<string, readonly string[]>();

/**
 * Returns the paths that match glob patterns, sorted by name; relative patterns and results are relative to `folder`.
 * Hidden files match only where a pattern names the dot.
 */
export function findFiles(patterns: string | readonly string[], folder: string): string[] {
  return glob.sync([patterns].flat(), { cwd: folder, onlyFiles: true }).toSorted();
}

/** Returns files of the program, as `findFiles` does; those in its root unless given. They do not change while it runs. */
export function ownFiles(patterns: string | readonly string[], folder = projectDir): readonly string[] {
  const key = [patterns, folder].join(' ');
  let files = found.get(key);
  if (files === undefined) found.set(key, (files = findFiles(patterns, folder)));
  return files;
}
