import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** Names a folder of the run, for what its files of tests share. */
export const TEST_RUN = 'HOSTKEEP_TEST_RUN';

/**
 * Has `make` fill a folder, or copies there what it has made for another file of the run: what takes seconds to make is copied in a
 * moment. Resolves once the folder is filled.
 */
export async function madeOnce(name: string, folder: string, make: () => Promise<unknown>): Promise<void> {
  const run = process.env[TEST_RUN];
  const made = join(run ?? '', name);
  if (run !== undefined && existsSync(made)) return copy(made, folder);
  await make();
  if (run === undefined) return;
  const own = mkdtempSync(join(run, `${name}-`));
  copy(folder, own);
  try {
    renameSync(own, made);
  } catch (error) {
    if (!existsSync(made)) throw error; // another file was faster
  }
}

/** Copies what is in a folder, with its owners. */
const copy = (from: string, to: string): void => {
  execFileSync('cp', ['--archive', `${from}/.`, to]);
};
