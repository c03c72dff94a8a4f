import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { identifier } from '../../../kernel/kit/databases/mysql-text.ts';
import type { Collations, DatabaseSettings } from '../schema.ts';

/** Resolves with those that a database can have. From 10.10 on a collation may be of several character sets, and has a longer name there. */
export async function readCollations(client: DatabaseClient): Promise<Collations> {
  const [column] = await client.query(
    `select 1 from information_schema.columns where table_schema = 'information_schema'
      and table_name = 'COLLATION_CHARACTER_SET_APPLICABILITY' and column_name = 'FULL_COLLATION_NAME'`,
  );
  const name = column === undefined ? 'a.collation_name' : 'a.full_collation_name';
  const rows = await client.query<{ collation: string; character_set: string; is_default: number }>(
    `select ${name} as collation, a.character_set_name as character_set,
        ${name} = c.default_collate_name as is_default
      from information_schema.collation_character_set_applicability a
      join information_schema.character_sets c on c.character_set_name = a.character_set_name
      order by 2, 1`,
  );
  return rows.map((row) => ({ ...row, is_default: row.is_default === 1 }));
}

export function readDatabaseTexts(
  client: DatabaseClient,
  databases: readonly string[],
): Promise<DatabaseSettings['databases']> {
  if (databases.length === 0) return Promise.resolve([]);
  return client.query(
    `select schema_name as name, default_character_set_name as character_set, default_collation_name as collation
      from information_schema.schemata where schema_name in (?) order by 1`,
    [databases.map((name) => Buffer.from(name))],
  );
}

/** Sets the collation of tables that are made from now on; `collation` is one of the server's. */
export async function setCollation(client: DatabaseClient, database: string, collation: string): Promise<void> {
  await client.query(`alter database ${identifier(database)} collate ${identifier(collation)}`);
}
