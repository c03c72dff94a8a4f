import glob from 'fast-glob';

/**
 * Returns the paths that match glob patterns, sorted by name; relative patterns and results are relative to `folder`.
 * Hidden files match only where a pattern names the dot.
 */
export function findFiles(patterns: string | readonly string[], folder: string): string[] {
  return glob.sync([patterns].flat(), { cwd: folder, onlyFiles: true }).toSorted();
}
