/** Tables of the databases of an account that moves, and digests that tell whether two of them are alike. */
import { createHash } from 'node:crypto';
import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { identifier } from '../../../kernel/kit/databases/mysql-text.ts';
import { Vanished } from './vanished.ts';

export interface MovedTable {
  readonly name: string;
  readonly isSequence: boolean;
}

export interface MovedDatabase {
  readonly name: string;
  readonly charset: string;
  readonly collation: string;
  readonly tables: readonly MovedTable[];
}

interface TableRow extends Record<'database' | 'name' | 'type', string> {
  readonly engine: string | null;
}

/** Whose rows are in files of the server. Tables of others show what is somewhere else. */
const ENGINES = new Set(['InnoDB', 'MyISAM', 'Aria', 'MEMORY', 'CSV', 'ARCHIVE']);
/** Of one statement that compares. */
const TABLES_AT_ONCE = 200;

export const nameBytes = (names: readonly string[]): Uint8Array[] => names.map((name) => Buffer.from(name));

/** Resolves with the databases, sorted as `names`, and with what cannot move. */
export async function readDatabases(
  client: DatabaseClient,
  names: readonly string[],
): Promise<{ readonly databases: MovedDatabase[]; readonly obstacles: string[] }> {
  if (names.length === 0) return { databases: [], obstacles: [] };
  const schemata = await client.query<Record<'name' | 'charset' | 'collation', string>>(
    `select schema_name as name, default_character_set_name as charset, default_collation_name as collation
      from information_schema.schemata where schema_name in (?)`,
    [nameBytes(names)],
  );
  const rows = await client.query<TableRow>(
    `select table_schema as \`database\`, table_name as name, table_type as type, engine
      from information_schema.tables where table_schema in (?) and table_type <> 'VIEW' order by binary table_name`,
    [nameBytes(names)],
  );
  const obstacles = rows
    .filter(({ type, engine }) => !['BASE TABLE', 'SEQUENCE'].includes(type) || !ENGINES.has(engine ?? ''))
    .map(({ database, name, type, engine }) => `the table ${database}.${name} (${type}, ${engine ?? 'no engine'})`);
  const databases = names.flatMap((name) => {
    const schema = schemata.find((each) => each.name === name);
    const tables = rows.filter(({ database }) => database === name);
    if (schema === undefined) return [];
    return [{ ...schema, tables: tables.map((row) => ({ name: row.name, isSequence: row.type === 'SEQUENCE' })) }];
  });
  return { databases, obstacles };
}

/** Resolves with the statement that makes a table, as the server shows it. */
export async function readDefinition(client: DatabaseClient, database: string, { name }: MovedTable): Promise<string> {
  const rows = await client.query<Record<string, string>>(
    `show create table ${identifier(database)}.${identifier(name)}`,
  );
  return rows[0]?.['Create Table'] ?? '';
}

/** Resolves with what is the same for equal contents, by table; `undefined` for a table that is not there. */
export async function readChecksums(
  client: DatabaseClient,
  { name: database, tables }: Pick<MovedDatabase, 'name' | 'tables'>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const qualified = ({ name }: MovedTable) => `${identifier(database)}.${identifier(name)}`;
  for (const table of tables.filter(({ isSequence }) => isSequence)) {
    const rows = await client.query(`select * from ${qualified(table)}`);
    found.set(table.name, JSON.stringify(rows));
  }
  const others = tables.filter(({ isSequence }) => !isSequence);
  for (let at = 0; at < others.length; at += TABLES_AT_ONCE) {
    const some = others.slice(at, at + TABLES_AT_ONCE);
    const rows = await client.query<{ Checksum: number | string | null }>(
      `checksum table ${some.map(qualified).join(', ')} extended`,
    );
    for (const [i, { name }] of some.entries()) {
      const checksum = rows[i]?.Checksum ?? undefined;
      if (checksum === undefined)
        throw new Vanished('databases_unavailable', `the table ${database}.${name} cannot be read`);
      found.set(name, String(checksum));
    }
  }
  return found;
}

/** Returns what is the same for a table that is and holds the same. */
export const tableDigest = (checksum: string, definition: string): string =>
  createHash('sha256').update(`${checksum} ${definition}`).digest('base64url');

/** Resolves with that of tables, by name. */
export async function readContents(
  client: DatabaseClient,
  database: Pick<MovedDatabase, 'name' | 'tables'>,
): Promise<Map<string, string>> {
  const checksums = await readChecksums(client, database);
  const contents = new Map<string, string>();
  for (const table of database.tables)
    contents.set(
      table.name,
      tableDigest(checksums.get(table.name) ?? '', await readDefinition(client, database.name, table)),
    );
  return contents;
}

/** Drops tables, whatever refers to them, over a client with one connection. */
export async function dropTables(
  client: DatabaseClient,
  database: string,
  tables: readonly MovedTable[],
): Promise<void> {
  await client.query('set session foreign_key_checks = 0');
  for (const { name, isSequence } of tables)
    await client.query(`drop ${isSequence ? 'sequence' : 'table'} ${identifier(database)}.${identifier(name)}`);
}
