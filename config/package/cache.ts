/** What is made once for all builds and tests, and kept outside of the project. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'hostkeep');

/** Returns the path of a kept file, which `make` writes to the path that it is given if there is none yet. */
export function kept(name: string, make: (file: string) => void): string {
  const file = join(FOLDER, name);
  if (existsSync(file)) return file;
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  try {
    make(partial);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return file;
}
