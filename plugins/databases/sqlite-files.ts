import type { Account } from '../../kernel/identity/accounts.ts';
import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import { retryLater } from '../../kernel/errors.ts';
import { entryName, Folder, isMissing } from '../../kernel/system/safe-folder.ts';
import { AccountDatabases, byName, type Database, type DatabaseSource } from './account-databases.ts';

/** Folder of an account's SQLite files, in its files root. */
export const SQLITE_FOLDER = 'databases';
const FILE = /\.(sqlite3?|db)(-wal)?$/i;
/** SQLite's write-ahead log beside a file counts as part of the database. */
const WAL = '-wal';
/** Further files of an account are not listed. */
const MAX_FILES = 10_000;
const KEEP_MS = 3000;

/** The default without a server: each SQLite file in the account's folder is a database with the file's name. */
export class SqliteFiles implements DatabaseSource {
  readonly #cache = new AccountCache<AccountDatabases>(KEEP_MS);

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    return this.#cache.get(
      account,
      '',
      async () => new AccountDatabases(await readFolder(account.filesRoot), [], Date.now()),
    );
  }
}

async function readFolder(filesRoot: string): Promise<Database[]> {
  try {
    const folder = await Folder.open(filesRoot, [SQLITE_FOLDER]);
    try {
      return await readFiles(folder);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (isMissing(error)) return [];
    throw retryLater('databases_unavailable', 'the databases folder cannot be read at the moment', 10, error);
  }
}

async function readFiles(folder: Folder): Promise<Database[]> {
  const names = new Set<string>();
  for await (const entry of folder.scan()) {
    const name = entryName(entry.name);
    if (name !== undefined && FILE.test(name)) names.add(name);
    if (names.size === MAX_FILES) break;
  }
  const found: Database[] = [];
  for (const name of names) {
    if (name.endsWith(WAL)) continue;
    const sizeBytes = await sizeOf(folder, name);
    const walBytes = names.has(name + WAL) ? await sizeOf(folder, name + WAL) : 0;
    if (sizeBytes !== undefined) found.push({ name, sizeBytes: sizeBytes + (walBytes ?? 0) });
  }
  return found.toSorted(byName);
}

/** Returns `undefined` for a file that is gone, and for anything but a regular file. */
async function sizeOf(folder: Folder, name: string): Promise<number | undefined> {
  try {
    const stats = await folder.statEntry(name);
    return stats.isFile() ? stats.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
