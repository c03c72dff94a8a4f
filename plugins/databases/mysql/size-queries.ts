/**
 * Sizes and grants from a server: one statement for all databases, and a second one for tables without files of their
 * own.
 */
import { isSqlError, type MysqlClient, type SqlParameter } from './client.ts';
import type { Grant } from './server-catalogue.ts';
import type { Database } from '../account-databases.ts';

interface SizeRow {
  readonly name: string;
  /** A sum, so decimal text; null in the row of a database itself, and in rows of tables. */
  readonly bytes: string | null;
  /** A table whose size needs the second statement. */
  readonly tbl: string | null;
}

/** InnoDB encodes special characters in file names (`a@002eb` = `a.b`); the server decodes them. */
const decoded = (expression: string) => `convert(convert(cast(${expression} as binary) using filename) using utf8mb4)`;

/**
 * For MariaDB and a login with the PROCESS privilege: InnoDB's own list of files, which opens no table. For tables of
 * other engines, and in the shared tablespace, it returns names only. Engines with remote tables are excluded, because
 * opening such a table connects to a host that a customer chose.
 */
const FILES = `select schema_name as name, null as bytes, null as tbl from information_schema.schemata
union all select ${decoded('folder')}, bytes, null from (select cast(substring_index(name, '/', 1) as binary) as folder, sum(file_size) as bytes
  from information_schema.innodb_sys_tablespaces where name like '%/%' group by folder) as files
union all select ${decoded("substring_index(name, '/', 1)")}, null, ${decoded("substring_index(substring_index(name, '/', -1), '#P#', 1)")}
  from information_schema.innodb_sys_tables where space = 0 and name like '%/%'
union all select table_schema, null, table_name from information_schema.tables where engine in ('Aria', 'MyISAM', 'CSV', 'ARCHIVE', 'ROCKSDB') and table_type <> 'SYSTEM VIEW'`;

/** For any server and any login: estimates, for which MariaDB opens every table. */
const ESTIMATES = `select schema_name as name, null as bytes, null as tbl from information_schema.schemata
union all select table_schema, sum(coalesce(data_length, 0) + coalesce(index_length, 0)), null from information_schema.tables
  where table_type not in ('VIEW', 'SYSTEM VIEW') group by binary table_schema`;

const TABLE_SIZES = `select table_schema as name, sum(coalesce(data_length, 0) + coalesce(index_length, 0)) as bytes, null as tbl from information_schema.tables
  where (table_schema, table_name) in (`;

const GRANTS = `select distinct user, db as name, 1 as isPattern from mysql.db
union select distinct user, db, 0 from mysql.tables_priv union select distinct user, db, 0 from mysql.columns_priv`;

export type SizeMethod = 'files' | 'estimates';

/**
 * Returns sizes of files where the server shows them to this login, else estimates; `method` says which. Errors: those
 * of the connection, and `SqlError`.
 */
export async function readSizes(
  client: MysqlClient,
  preferred: SizeMethod = 'files',
): Promise<{ databases: Database[]; method: SizeMethod }> {
  const { rows, method } = await readRows(client, preferred);
  const sizes = new Map<string, number>(
    rows.filter((row) => row.tbl === null && row.bytes === null).map((row) => [row.name, 0]),
  );
  const tables = rows.filter((row) => row.tbl !== null);
  const more =
    tables.length === 0
      ? []
      : await client.query<SizeRow>(
          `${TABLE_SIZES}${tables.map(() => '(?, ?)').join(', ')}) group by binary table_schema`,
          tables.flatMap(quotable),
        );
  for (const { name, bytes } of [...rows, ...more]) {
    const before = sizes.get(name);
    if (before !== undefined) sizes.set(name, before + Number(bytes));
  }
  return { databases: [...sizes].map(([name, sizeBytes]) => ({ name, sizeBytes })), method };
}

/** Returns all grants on databases and tables. The login must be allowed to read the tables of `mysql`. */
export async function readGrants(client: MysqlClient): Promise<Grant[]> {
  const rows = await client.query<{ user: string; name: string; isPattern: number }>(GRANTS);
  return rows.map(({ user, name, isPattern }) => ({ user, name, isPattern: isPattern === 1 }));
}

async function readRows(client: MysqlClient, preferred: SizeMethod): Promise<{ rows: SizeRow[]; method: SizeMethod }> {
  if (preferred === 'files') {
    try {
      return { rows: await client.query<SizeRow>(FILES), method: 'files' };
    } catch (error) {
      if (!isSqlError(error)) throw error;
    }
  }
  return { rows: await client.query<SizeRow>(ESTIMATES), method: 'estimates' };
}

/** Names as bytes, because customers choose them: every SQL mode reads `X'…'` the same way. */
function quotable({ name, tbl }: SizeRow): SqlParameter[] {
  return [Buffer.from(name), Buffer.from(tbl ?? '')];
}
