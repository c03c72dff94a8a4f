import type { Reader, Tx } from '../../../kernel/store/store.ts';
import { reversedName } from './name.ts';

/** The names of all accounts, as a table: domains, those being added or removed included, and aliases. */
export const ALL_NAMES = `(select account_id, name, reversed from domains
  union all select account_id, name, reversed from domain_aliases)`;

/** Returns the aliases of some domains by name, by the domain's id. */
export async function readAliases(
  reader: Reader,
  domainIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const aliases = new Map<number, string[]>();
  if (domainIds.length === 0) return aliases;
  const found = await reader.all<{ domain_id: number; name: string }>(
    `select domain_id, name from domain_aliases where domain_id in (select cast(value as bigint) from json_each(?))
      order by name`,
    JSON.stringify(domainIds),
  );
  for (const { domain_id: id, name } of found) aliases.set(id, [...(aliases.get(id) ?? []), name]);
  return aliases;
}

/** Resolves with those of some names that are domains or aliases. */
export async function takenAmong(reader: Reader, names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await reader.all<{ name: string }>(
    `select name from ${ALL_NAMES} as n where name in (select value from json_each(?))`,
    JSON.stringify(names),
  );
  return new Set(found.map(({ name }) => name));
}

export async function insertAlias(tx: Tx, domain: { id: number; account_id: number }, name: string): Promise<void> {
  await tx.run(
    'insert into domain_aliases (domain_id, account_id, name, reversed, created_at) values (?, ?, ?, ?, ?)',
    domain.id,
    domain.account_id,
    name,
    reversedName(name),
    Date.now(),
  );
}

/** Resolves with `false` where the domain has no such alias. */
export async function removeAlias(tx: Tx, domainId: number, name: string): Promise<boolean> {
  return (await tx.run('delete from domain_aliases where domain_id = ? and name = ?', domainId, name)).changes === 1;
}
