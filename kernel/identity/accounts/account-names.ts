import { fail } from '../../errors.ts';
import type { Reader, Tx } from '../../store/store.ts';

/**
 * Rejects if a new account must not get the name. Errors: 409 `account_exists`; `name_reserved` while what a removed
 * account left may be found under it; `ambiguous_username` where it extends another by `_` or is extended, because
 * databases `ann_…` are those of `ann`.
 */
export async function assertNameFree(tx: Tx, username: string): Promise<void> {
  if (await tx.get('select 1 from accounts where username = ?', username))
    throw fail.account_exists(`the account ${username} already exists`);
  if (await tx.get('select 1 from removed_accounts where username = ?', username))
    throw fail.name_reserved(`${username} is the name of a removed account that is not purged`);
  const shorter = [...username.matchAll(/_/g)].map(({ index }) => username.slice(0, index));
  const clash = await tx.get<{ username: string }>(
    `select username from (select username from accounts union all select username from removed_accounts) as names
      where username in (select value from json_each(?)) limit 1`,
    JSON.stringify(shorter),
  );
  const other = clash?.username ?? (await namesExtending(tx, username))[0];
  if (other !== undefined)
    throw fail.ambiguous_username(`${username} and ${other} differ only by what follows an underscore`);
}

/** Resolves with the names, those of removed accounts too, that begin with `<username>_`; no new one does. */
export async function namesExtending(reader: Reader, username: string): Promise<string[]> {
  const rows = await reader.all<{ username: string }>(
    `select username from accounts where username >= ?1 and username < ?2
      union select username from removed_accounts where username >= ?1 and username < ?2`,
    `${username}_`,
    `${username}\``, // the character after the underscore
  );
  return rows.map((row) => row.username);
}
