import type { OwnNames } from '../../../kernel/areas/database-servers.ts';
import { quotedInPattern, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import type { DatabaseUser } from '../schema.ts';

type Id = { readonly id: number };
/** Rights that a user has, but for the limit of its account. */
export interface Withheld extends UserName {
  /** Of `mysql.db`. */
  readonly pattern: string;
  readonly privileges: readonly string[];
}

export async function isStopped(reader: Reader, { id }: Id): Promise<boolean> {
  return (await reader.get('select 1 from mysql_stopped where account_id = ?', id)) !== undefined;
}

export async function readWithheld(reader: Reader, { id }: Id): Promise<Withheld[]> {
  const rows = await reader.all<Withheld & { privileges: string }>(
    'select name, host, pattern, privileges from mysql_withheld where account_id = ? order by name, host, pattern',
    id,
  );
  return rows.map((row) => ({ ...row, privileges: JSON.parse(row.privileges) as string[] }));
}

/** Keeps these rights and those that are withheld there already. */
export async function addWithheld(tx: Tx, account: Id, withheld: readonly Withheld[]): Promise<void> {
  const before = await readWithheld(tx, account);
  for (const { privileges, ...place } of withheld) {
    const same = before.find((each) => userText(each) === userText(place) && each.pattern === place.pattern);
    const all = [...new Set([...(same?.privileges ?? []), ...privileges])].toSorted();
    await tx.run(
      `insert into mysql_withheld (account_id, name, host, pattern, privileges) values (?, ?, ?, ?, ?)
        on conflict (account_id, name, host, pattern) do update set privileges = excluded.privileges`,
      ...[account.id, place.name, place.host, place.pattern, JSON.stringify(all)],
    );
  }
}

/** Resolves with whether rights were withheld there. */
export async function removeWithheld(tx: Tx, { id }: Id, { name, host }: UserName, pattern: string) {
  const sql = 'delete from mysql_withheld where account_id = ? and name = ? and host = ? and pattern = ?';
  return (await tx.run(sql, id, name, host, pattern)).changes === 1;
}

interface Dropped extends UserName {
  readonly account_id: number;
  readonly kind: string;
}

/** Forgets what was withheld from a user, or in a database, that is dropped: one of the same name begins with nothing. */
export async function forgetDropped(tx: Tx, { account_id: id, kind, name, host }: Dropped): Promise<void> {
  if (kind === 'user')
    await tx.run('delete from mysql_withheld where account_id = ? and name = ? and host = ?', id, name, host);
  if (kind === 'database')
    await tx.run('delete from mysql_withheld where account_id = ? and pattern = ?', id, quotedInPattern(name));
}

/** Returns users with the rights that they would have without the limit. */
export function withWithheld(
  own: OwnNames,
  users: readonly DatabaseUser[],
  withheld: readonly Withheld[],
): DatabaseUser[] {
  return users.map((user) => {
    const byDatabase = new Map(user.access.map(({ database, privileges }) => [database, privileges]));
    for (const { pattern, privileges } of withheld.filter((each) => userText(each) === userText(user)))
      for (const database of own.readGrant(pattern, true, own.databases).databases)
        byDatabase.set(database, [...new Set([...(byDatabase.get(database) ?? []), ...privileges])].toSorted());
    const access = [...byDatabase].map(([database, privileges]) => ({ database, privileges }));
    return { ...user, access: access.toSorted((a, b) => (a.database < b.database ? -1 : 1)) };
  });
}
