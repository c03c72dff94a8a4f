import { existsSync } from 'node:fs';
import { makePrivate } from '../../kit/files/private-file.ts';
import type { AppliedMigration } from '../store.ts';
import { Connection } from './connection.ts';

/** Writes a consistent copy of a database, to which others may be writing. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  makePrivate(target); // SQLite fills an empty file, and would make one that everybody can read
  await withConnection(file, [], (connection) => connection.all('vacuum into ?', target));
}

/** Resolves with the migrations of a database in a file; none if there is no file, or nothing was migrated in it yet. */
export async function migrationsIn(file: string): Promise<AppliedMigration[]> {
  if (!existsSync(file)) return [];
  return withConnection(file, ['query_only=on'], async (connection) => {
    if ((await connection.get("select 1 from sqlite_schema where name = 'migrations'")) === undefined) return [];
    return connection.all('select owner, name, sha256 from migrations order by owner, name');
  });
}

async function withConnection<T>(
  file: string,
  pragmas: readonly string[],
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(file, pragmas);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
