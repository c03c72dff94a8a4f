/** What is made once for all builds and tests, and kept outside of the project. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'hostkeep');
/** How long each file of tests took when it last passed, in milliseconds. */
export const TEST_TIMES = join(FOLDER, 'test-times.json');
/** What was not used for so long, such as roots of earlier recipes, is removed. */
const UNUSED_MS = 14 * 24 * 3_600_000;

/** Returns the path of a kept file, which `make` writes to the path that it is given if there is none yet. */
export function kept(name: string, make: (file: string) => void): string {
  const file = join(FOLDER, name);
  if (!existsSync(file)) {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    removeUnused();
    const partial = `${file}.${process.pid}`;
    try {
      make(partial);
      renameSync(partial, file);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  utimesSync(file, new Date(), new Date());
  return file;
}

function removeUnused(): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    if (statSync(path).mtimeMs < Date.now() - UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}
