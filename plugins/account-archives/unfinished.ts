import type { Reader, Tx } from '../../kernel/store/store.ts';

/** Notes in the transaction that makes an account that its import begins; `source` is an `AccountSource.name`. */
export async function beginImport(tx: Tx, username: string, source: string): Promise<void> {
  const sql = 'insert into account_imports (username, began_at, source) values (?, ?, ?) on conflict do nothing'; // of an account that is there
  await tx.run(sql, username, Date.now(), source);
}

export async function endImport(tx: Tx, username: string): Promise<void> {
  await tx.run('delete from account_imports where username = ?', username);
}

/** Resolves with the account that is being made of a source, whose name is not empty. */
export async function beingMade(reader: Reader, source: string): Promise<string | undefined> {
  const sql = 'select username from account_imports where source = ?';
  return (await reader.get<{ username: string }>(sql, source))?.username;
}

/** Says of each import that has not ended what to do if it was killed. */
export async function unfinishedImports(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ username: string; began_at: number }>(
    "select username, began_at from account_imports where source = '' order by username",
  );
  return rows.map(
    ({ username, began_at: beganAt }) =>
      `the import of ${username} that began at ${new Date(beganAt).toISOString()} has not ended: unless it still runs, run hostkeep account remove ${username}, then hostkeep account purge ${username}`,
  );
}
