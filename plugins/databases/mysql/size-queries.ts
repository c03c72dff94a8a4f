/**
 * Statements about names, sizes and grants. One lists all databases with the sizes of InnoDB's files; it opens no table,
 * so no customer can hold it up. Tables that it does not size are opened, for each database by itself.
 */
import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import type { Grant, ListedDatabase, SizeMethod } from './server-catalogue.ts';

/** Databases of one account that are listed; further ones are not. */
const OWN_DATABASES = 5000;
const DATABASES = 50_000;
/** A user's grants that count. */
const OWN_GRANTS = 5000;
/** A database with more tables to open is not sized. */
export const OPENED_TABLES = 10_000;
/** Names in one statement. From 1,000 on MariaDB opens every table of the database instead. */
const NAMES_AT_ONCE = 500;
/** The limit for one statement that opens tables, on the server and for its answer. */
const OPEN_SECONDS = 2;
const ANSWER_MS = (OPEN_SECONDS + 1) * 1000;

/**
 * With ownership by prefix, databases with the same part before the first underscore share a bound, because accounts
 * create their own: one account's do not push out another's.
 */
function boundOf(ownership: string): { readonly sharedBy: string; readonly limit: number } {
  if (ownership === 'grants') return { sharedBy: '1', limit: DATABASES };
  return {
    sharedBy: ownership === 'prefix' ? "binary substring_index(schema_name, '_', 1)" : '1',
    limit: OWN_DATABASES,
  };
}

/** InnoDB encodes special characters in file names (`a@002eb` = `a.b`); the server decodes them. */
const decoded = (expression: string) => `convert(convert(cast(${expression} as binary) using filename) using utf8mb4)`;

const FOLDER = "cast(substring_index(name, '/', 1) as binary)";

const NAMES = (
  sharedBy: string,
) => `select schema_name as name, row_number() over (partition by ${sharedBy} order by schema_name) as place,
    0 as bytes, 0 as files, 0 as shared, 0 as tables from information_schema.schemata`;

/** Counts file names, without opening what they name. */
const TABLES = `select table_schema, 0, 0, 0, 0, count(*) from information_schema.tables
    where table_schema not in ('information_schema', 'performance_schema') group by binary table_schema`;

/** For MariaDB and a login with the PROCESS privilege. */
const FILES = `select ${decoded('folder')}, 0, bytes, files, 0, 0 from (select ${FOLDER} as folder, sum(file_size) as bytes,
      count(distinct if(name like '%/FTS\\_%' or name like '%/#%', null, substring_index(name, '#P#', 1))) as files
      from information_schema.innodb_sys_tablespaces where name like '%/%' group by folder) as spaces
  union all select ${decoded('folder')}, 0, 0, 0, shared, 0 from (select ${FOLDER} as folder, count(*) as shared
      from information_schema.innodb_sys_tables where space = 0 and name like '%/%' group by folder) as others`;

const listing = (
  parts: readonly string[],
) => `select name, sum(bytes) as bytes, sum(files) as files, sum(shared) as shared, sum(tables) as tables
  from (${parts.join('\n  union all ')}) as parts group by binary name having max(place) between 1 and ? limit ${DATABASES}`;

/**
 * Without waiting for locks: MariaDB then shows a locked table without an engine and figures. Other servers read a
 * comment.
 */
const WITHOUT_WAITING = `/*M!100100 set statement lock_wait_timeout=0, max_statement_time=${OPEN_SECONDS} for */ `;

/** Engines whose tables are local: to open another's may connect to a host that a customer chose. */
const FILE_ENGINES = "'Aria', 'MyISAM', 'CSV', 'ARCHIVE', 'ROCKSDB'";

/** Views have no engine either, but are of another type. */
const opened = (
  engines: string,
) => `${WITHOUT_WAITING}select table_name as name, engine is null as isLocked from information_schema.tables
  where table_schema = ? and table_type <> 'SYSTEM VIEW' and (engine in (${engines}) or engine is null and table_type = 'BASE TABLE')
  limit ${OPENED_TABLES + 1}`;

const IN_SHARED_SPACE = `select ${decoded("substring_index(substring_index(name, '/', -1), '#P#', 1)")} as name, 0 as isLocked
  from information_schema.innodb_sys_tables where space = 0 and ${decoded(FOLDER)} = ? limit ${OPENED_TABLES + 1}`;

const SIZES = `${WITHOUT_WAITING}select sum(coalesce(data_length, 0) + coalesce(index_length, 0)) as bytes, count(*) - count(data_length) as locked
  from information_schema.tables where table_schema = ? and table_name in (?)`;

const GRANTS = `select user, name, isPattern from (select *, row_number() over (partition by binary user order by isPattern, name) as place from (
    select user, db as name, 1 as isPattern from mysql.db
    union select user, db, 0 from mysql.tables_priv union select user, db, 0 from mysql.columns_priv) as grants) as placed
  where place <= ${OWN_GRANTS} limit ${DATABASES}`;

interface ListingRow extends Record<'bytes' | 'files' | 'shared' | 'tables', string> {
  readonly name: string;
}

/**
 * Lists all databases, with sizes of files where the server shows them to this login; `method` says which. Errors: those
 * of the connection, and `SqlError`.
 */
export async function readListing(
  client: DatabaseClient,
  ownership: string,
  preferred: SizeMethod = 'files',
): Promise<{ databases: ListedDatabase[]; method: SizeMethod }> {
  const { sharedBy, limit } = boundOf(ownership);
  const ask = (...parts: string[]) => client.query<ListingRow>(listing([NAMES(sharedBy), TABLES, ...parts]), [limit]);
  if (preferred === 'files') {
    try {
      return { databases: (await ask(FILES)).map((row) => databaseOf(row, 'files')), method: 'files' };
    } catch (error) {
      if (!isSqlError(error)) throw error;
    }
  }
  return { databases: (await ask()).map((row) => databaseOf(row, 'estimates')), method: 'estimates' };
}

function databaseOf({ name, bytes, files, shared, tables }: ListingRow, method: SizeMethod): ListedDatabase {
  const toOpen = Math.max(0, Number(tables) - Number(files));
  return { name, sizeBytes: Number(bytes), method, toOpen, isInSharedSpace: Number(shared) > 0 };
}

/**
 * Returns the names of the tables that must be opened to know their size. Rejects where one is locked, or where they are
 * too many.
 */
export async function tablesToOpen(client: DatabaseClient, database: ListedDatabase): Promise<string[]> {
  const { name, method, isInSharedSpace } = database;
  const engines = method === 'files' ? FILE_ENGINES : `'InnoDB', ${FILE_ENGINES}`;
  const ask = (sql: string) => client.query<{ name: string; isLocked: number }>(sql, [Buffer.from(name)], ANSWER_MS);
  const rows = [
    ...(await ask(opened(engines))),
    ...(isInSharedSpace && method === 'files' ? await ask(IN_SHARED_SPACE) : []),
  ];
  if (rows.length > OPENED_TABLES) throw new Error(`more than ${OPENED_TABLES} tables would have to be opened`);
  const locked = rows.find(({ isLocked }) => isLocked === 1);
  if (locked !== undefined) throw new Error(`the table ${locked.name} is locked`);
  return rows.map((row) => row.name);
}

/** Opens the first tables of the list and returns the size of their data and indexes, and the names that remain. */
export async function openTables(
  client: DatabaseClient,
  { name }: ListedDatabase,
  tables: readonly string[],
): Promise<{ bytes: number; rest: readonly string[] }> {
  const names = tables.slice(0, NAMES_AT_ONCE).map((table) => Buffer.from(table));
  const [row] = await client.query<{ bytes: string | null; locked: number }>(
    SIZES,
    [Buffer.from(name), names],
    ANSWER_MS,
  );
  if ((row?.locked ?? 0) > 0) throw new Error('a table is locked');
  return { bytes: Number(row?.bytes), rest: tables.slice(NAMES_AT_ONCE) };
}

/** Returns the grants on databases and tables. The login must be allowed to read the tables of `mysql`. */
export async function readGrants(client: DatabaseClient): Promise<Grant[]> {
  const rows = await client.query<{ user: string; name: string; isPattern: number }>(GRANTS);
  return rows.map(({ user, name, isPattern }) => ({ user, name, isPattern: isPattern === 1 }));
}
