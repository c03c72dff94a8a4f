/**
 * The local store: what belongs to this machine, such as its history and what was detected on its disks, in a file beside the
 * store. Nothing in it is asked for by other machines, and all but the history is found again.
 */
import { join } from 'node:path';
import { migrate } from './migrate.ts';
import type { Reader, Store } from './store.ts';

/** The file of the local store, in the data folder. */
export const LOCAL_FILE = 'node.db';

/** The folder of the local store's migrations, in that of their owner. */
export const LOCAL_MIGRATIONS = 'local';

/** Both stores of a node. */
export interface Stores {
  readonly store: Store;
  readonly local: Store;
}

/** Brings the tables of an owner up to date in both stores; see `LOCAL_MIGRATIONS`. */
export async function migrateStores({ store, local }: Stores, owner: string, folder: string): Promise<void> {
  await migrate(local, owner, join(folder, LOCAL_MIGRATIONS));
  await migrate(store, owner, folder);
}

/**
 * Deletes an account's rows: they have the column `account_id`, but no foreign key, because the account is in the store. What
 * adds rows asks in its transaction whether the account still exists, so that none come after this.
 */
export async function forgetAccount(local: Store, id: number): Promise<void> {
  const tables = await tablesOfAccounts(local);
  if (tables.length === 0) return;
  await local.write(async (tx) => {
    for (const table of tables) await tx.run(`delete from ${table} where account_id = ?`, id);
  });
}

/**
 * Deletes rows of accounts that are newer than all in the store: it was put back to a state before them, and would give
 * their ids to others.
 */
export async function forgetNewerAccounts({ store, local }: Stores): Promise<void> {
  const newestIn = async (reader: Reader, column: string, table: string): Promise<number> =>
    (await reader.get<{ id: number | null }>(`select max(${column}) as id from ${table}`))?.id ?? 0;
  for (const table of await tablesOfAccounts(local)) {
    const here = await newestIn(local, 'account_id', table); // before the other: accounts may be added meanwhile
    const newest = await newestIn(store, 'id', 'accounts');
    if (here > newest) await local.write((tx) => tx.run(`delete from ${table} where account_id > ?`, newest));
  }
}

async function tablesOfAccounts(local: Reader): Promise<string[]> {
  const rows = await local.all<{ name: string }>(
    `select t.name from sqlite_schema t join pragma_table_info(t.name) c
      where t.type = 'table' and c.name = 'account_id'`,
  );
  return rows.map(({ name }) => name);
}
