import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/configuration.ts';
import type { DataFiles } from '../../contract/command.ts';
import { migrationsFolder as pluginMigrations } from '../../host/discovery.ts';
import { Keyring } from '../../identity/gate/keyring.ts';
import { projectDir } from '../../kit/files/project-dir.ts';
import { LOCAL_FILE } from '../../store/local-store.ts';
import { openStore } from './open-store.ts';
import { ServingLock, servingProcess } from './serving-lock.ts';
import type { Store } from '../../store/store.ts';
import { migrationNames, unknownMigrations } from './unknown-migrations.ts';
import { SqliteEngine } from '../../store/sqlite/sqlite-engine.ts';
import { assertPrivateData, assertStoreExists } from '../core.ts';
import { migrate } from '../../store/migrate.ts';

/** Returns what commands may do with the files of a data folder; see `DataFiles`. */
export function dataFilesAt({ data: folder }: Config): DataFiles {
  return {
    folder,
    names: { keys: 'keys.json', store: 'hostkeep.db', local: LOCAL_FILE },
    assertSound() {
      assertStoreExists(folder);
      assertPrivateData(folder);
      if (Keyring.exist(folder)) Keyring.open(folder);
    },
    isInUse: () => isInUse(join(folder, 'hostkeep.db')),
    serving: () => servingProcess(folder),
    async whileStopped(work) {
      const lock = await ServingLock.acquire(folder);
      try {
        return await work();
      } finally {
        await lock.release();
      }
    },
    newerMigrations(applied) {
      const unknown = unknownMigrations(applied);
      return unknown.length === 0 ? undefined : migrationNames(unknown);
    },
    open: (settings, file) => openStore(folder, settings, file === undefined ? {} : { file }),
    makeTables,
  };
}

async function makeTables(source: Store, target: Store): Promise<void> {
  const applied = await source.migrations();
  for (const owner of new Set(['kernel', ...applied.map((each) => each.owner)])) {
    const folder = owner === 'kernel' ? join(projectDir, 'kernel/store/migrations') : pluginMigrations(owner);
    if (!existsSync(folder)) throw new Error(`the plugin ${owner}, whose tables are in the store, is not installed`);
    await migrate(target, owner, folder);
  }
  const names = (all: typeof applied) => all.map(({ owner, name }) => `${owner}/${name}`).join();
  if (names(applied) !== names(await target.migrations()))
    throw new Error(`${source.place} is not of this version: start the server once, so that it is migrated`);
}

/** Counts a store that was not closed, is missing or cannot be read as one in use. */
async function isInUse(file: string): Promise<boolean> {
  if (!existsSync(file) || existsSync(`${file}-wal`)) return true;
  try {
    const store = await SqliteEngine.open(file);
    try {
      return (await store.get('select 1 from accounts')) !== undefined;
    } finally {
      await store.close();
    }
  } catch {
    return true; // `restore` then asks for --force, whatever is wrong with it
  }
}
