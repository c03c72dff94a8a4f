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

/**
 * Returns how many minor versions one version is ahead of another, such as 1 for `0.2.0` and `0.1.3`; NaN unless both have
 * the same major version.
 */
export function minorsAhead(version: string, other: string): number {
  const [[major, minor], [otherMajor, otherMinor]] = [version, other].map((each) => each.split('.').map(Number)) as [
    number[],
    number[],
  ];
  return major === otherMajor ? (minor ?? NaN) - (otherMinor ?? NaN) : NaN;
}
