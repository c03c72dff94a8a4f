import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { timestamp } from '../../kit/format.ts';
import { PROCESS_ID } from '../../kit/programs/process-id.ts';
import { extractBackup, flush, KEYS_FILE, STORE_FILE, verifyBackup, type Manifest } from './backup-file.ts';
import { faultsIn } from '../sqlite/connection.ts';
import { LOCAL_FILE } from '../local-store.ts';
import { ServingLock } from '../serving-lock.ts';
import { namesOf, unknownMigrations } from '../unknown-migrations.ts';

/** What SQLite keeps beside a store; with another store, it would be taken for a part of that. */
const STORE_FILES = [KEYS_FILE, ...[STORE_FILE, LOCAL_FILE].flatMap((name) => [name, `${name}-wal`, `${name}-shm`])];

export interface Restored {
  readonly manifest: Manifest;
  /** The folder that the store and the keys from before were moved to, if there were any. */
  readonly replaced: string | undefined;
}

/**
 * Puts the stores and the keys of a backup into a data folder, which is created if it is missing. Rejects, and changes
 * nothing, if the backup is damaged or of a newer Hostkeep, if a server serves the folder, or if it holds a store and
 * `force` is false.
 */
export async function restoreBackup(path: string, data: string, force: boolean): Promise<Restored> {
  const unknown = unknownMigrations(verifyBackup(path).migrations);
  if (unknown.length > 0)
    throw new Error(`${path} was made by a newer Hostkeep: this one does not know the migrations ${namesOf(unknown)}`);
  const lock = await ServingLock.acquire(data);
  const staging = join(data, `.restore-${PROCESS_ID}`);
  try {
    const present = STORE_FILES.filter((name) => existsSync(join(data, name)));
    if (present.length > 0 && !force)
      throw new Error(`${data} already holds a store; restore into an empty folder, or replace the store with --force`);
    const manifest = extractBackup(path, staging);
    const restored = [KEYS_FILE, STORE_FILE, LOCAL_FILE].filter((name) => existsSync(join(staging, name)));
    for (const name of restored) if (name !== KEYS_FILE) await assertSound(join(staging, name), path);
    const replaced = present.length === 0 ? undefined : join(data, `replaced-${timestamp(new Date())}`);
    if (replaced !== undefined) {
      mkdirSync(replaced, { mode: 0o700 });
      for (const name of present) renameSync(join(data, name), join(replaced, name));
    }
    for (const name of restored) renameSync(join(staging, name), join(data, name));
    flush(data);
    return { manifest, replaced };
  } finally {
    rmSync(staging, { recursive: true, force: true });
    await lock.release();
  }
}

async function assertSound(storeFile: string, path: string): Promise<void> {
  const faults = await faultsIn(storeFile);
  if (faults.length > 0) throw new Error(`${basename(storeFile)} in ${path} is damaged: ${faults.join('; ')}`);
}
