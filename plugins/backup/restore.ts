import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFiles } from '../../kernel/contract/command.ts';
import { faultsIn } from '../../kernel/contract/store-file.ts';
import { timestamp } from '../../kernel/kit/format.ts';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { extractBackup, flush, verifyBackup, type Manifest } from './backup-file.ts';

export interface Restored {
  readonly manifest: Manifest;
  /** The folder that the store and the keys from before were moved to, if there were any. */
  readonly replaced: string | undefined;
}

/**
 * Puts the stores and the keys of a backup into a data folder, which is created if it is missing. Rejects, and changes
 * nothing, if the backup is damaged or of a newer Hostkeep, if a server serves the folder, or if it holds a store with accounts
 * and `force` is false.
 */
export async function restoreBackup(files: DataFiles, path: string, force: boolean): Promise<Restored> {
  const newer = files.newerMigrations(verifyBackup(path).migrations);
  if (newer !== undefined)
    throw new Error(`${path} was made by a newer Hostkeep: this one does not know the migrations ${newer}`);
  return files.whileStopped(() => replace(files, path, force));
}

async function replace(files: DataFiles, path: string, force: boolean): Promise<Restored> {
  const { folder: data, names } = files;
  const isRefused = !force && (await files.isInUse());
  const staging = join(data, `.restore-${PROCESS_ID}`);
  const assertSound = async (name: string) => {
    const found = await faultsIn(join(staging, name));
    if (found.length > 0) throw new Error(`${name} in ${path} is damaged: ${found.join('; ')}`);
  };
  try {
    // What SQLite keeps beside a store would be taken for a part of another one.
    const besides = [names.store, names.local].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);
    const present = [names.keys, ...besides].filter((name) => existsSync(join(data, name)));
    if (present.length > 0 && isRefused)
      throw new Error(`${data} already holds a store; restore into an empty folder, or replace the store with --force`);
    const manifest = extractBackup(path, staging);
    for (const name of [names.store, names.local]) await assertSound(name);
    const replaced = present.length === 0 ? undefined : join(data, `replaced-${timestamp(new Date())}`);
    if (replaced !== undefined) {
      mkdirSync(replaced, { mode: 0o700 });
      for (const name of present) renameSync(join(data, name), join(replaced, name));
    }
    for (const name of Object.values(names)) renameSync(join(staging, name), join(data, name));
    flush(data);
    return { manifest, replaced };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
