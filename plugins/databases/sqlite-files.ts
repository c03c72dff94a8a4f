import type { Account } from '../../kernel/identity/accounts.ts';
import { AccountCache } from '../../kernel/concurrency/account-cache.ts';
import { retryLater } from '../../kernel/errors.ts';
import { entryName, Folder, isMissing } from '../../kernel/system/safe-folder.ts';
import type { DatabaseSource } from './mysql/server-source.ts';
import { byName, AccountDatabases, type Database } from './account-databases.ts';

/** Folder of an account's SQLite files, below its files root. */
export const FOLDER = 'databases';
const FILE = /\.(sqlite3?|db)(-wal)?$/i;
/** SQLite's write-ahead log beside a file, which is a part of it. */
const LOG = '-wal';
/** Most files that are looked at for one account. */
const FILES = 10_000;
const TTL_MS = 3000;

/** The embedded default: each SQLite file of the account's folder is a database, named as the file. */
export class SqliteFiles implements DatabaseSource {
  readonly #views = new AccountCache<AccountDatabases>(TTL_MS);

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    return this.#views.get(
      account,
      '',
      async () => new AccountDatabases(await readFolder(account.filesRoot), [], Date.now()),
    );
  }
}

async function readFolder(filesRoot: string): Promise<Database[]> {
  try {
    const folder = await Folder.open(filesRoot, [FOLDER]);
    try {
      return await readFiles(folder);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (isMissing(error)) return [];
    throw retryLater('databases_unavailable', 'the folder of the databases cannot be read at the moment', 10, error);
  }
}

async function readFiles(folder: Folder): Promise<Database[]> {
  const names = new Set<string>();
  for await (const entry of folder.scan()) {
    const name = entryName(entry.name);
    if (name !== undefined && FILE.test(name)) names.add(name);
    if (names.size === FILES) break;
  }
  const found: Database[] = [];
  for (const name of names) {
    if (name.endsWith(LOG)) continue;
    const sizeBytes = await sizeOf(folder, name);
    const logBytes = names.has(name + LOG) ? await sizeOf(folder, name + LOG) : 0;
    if (sizeBytes !== undefined) found.push({ name, sizeBytes: sizeBytes + (logBytes ?? 0) });
  }
  return found.toSorted(byName);
}

/** `undefined` when it is gone, or is something else than a plain file. */
async function sizeOf(folder: Folder, name: string): Promise<number | undefined> {
  try {
    const stats = await folder.statEntry(name);
    return stats.isFile() ? stats.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
