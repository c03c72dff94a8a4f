/** What a server says of its databases, in one statement for all of them, and one more for tables whose size no file tells. */
import { isSqlError, type MysqlClient, type SqlParameter } from './client.ts';
import type { Grant } from './server-catalogue.ts';
import type { Database } from '../account-databases.ts';

interface Row {
  readonly name: string;
  /** Decimal text, as sums are; null in the row that says that there is a database, and in those of tables. */
  readonly bytes: string | null;
  /** A table whose size is still to be asked for. */
  readonly tbl: string | null;
}

/** File names of InnoDB encode what a file system may not like (`a@002eb` = `a.b`); the server decodes them. */
const decoded = (expression: string) => `convert(convert(cast(${expression} as binary) using filename) using utf8mb4)`;

/**
 * MariaDB, asked by a login with the PROCESS privilege: InnoDB's own list of files, which opens no table. Tables of
 * other engines, and those in the shared tablespace, are only named here. Engines whose tables lie elsewhere are left
 * out, because opening one connects to where its customer says.
 */
const FILES = `select schema_name as name, null as bytes, null as tbl from information_schema.schemata
union all select ${decoded('folder')}, bytes, null from (select cast(substring_index(name, '/', 1) as binary) as folder, sum(file_size) as bytes
  from information_schema.innodb_sys_tablespaces where name like '%/%' group by folder) as files
union all select ${decoded("substring_index(name, '/', 1)")}, null, ${decoded("substring_index(substring_index(name, '/', -1), '#P#', 1)")}
  from information_schema.innodb_sys_tables where space = 0 and name like '%/%'
union all select table_schema, null, table_name from information_schema.tables where engine in ('Aria', 'MyISAM', 'CSV', 'ARCHIVE', 'ROCKSDB') and table_type <> 'SYSTEM VIEW'`;

/** Any server and any login: estimates, for which MariaDB opens every table. */
const ESTIMATES = `select schema_name as name, null as bytes, null as tbl from information_schema.schemata
union all select table_schema, sum(coalesce(data_length, 0) + coalesce(index_length, 0)), null from information_schema.tables
  where table_type not in ('VIEW', 'SYSTEM VIEW') group by binary table_schema`;

const OF_TABLES = `select table_schema as name, sum(coalesce(data_length, 0) + coalesce(index_length, 0)) as bytes, null as tbl from information_schema.tables
  where (table_schema, table_name) in (`;

const GRANTS = `select distinct user, db as name, 1 as isPattern from mysql.db
union select distinct user, db, 0 from mysql.tables_priv union select distinct user, db, 0 from mysql.columns_priv`;

export type Method = 'files' | 'estimates';

/** Real sizes where the server tells them to this login; `method` says which they are. Errors: those of the connection, and `SqlError`. */
export async function readSizes(
  client: MysqlClient,
  preferred: Method = 'files',
): Promise<{ databases: Database[]; method: Method }> {
  const { rows, method } = await readRows(client, preferred);
  const sizes = new Map<string, number>(
    rows.filter((row) => row.tbl === null && row.bytes === null).map((row) => [row.name, 0]),
  );
  const tables = rows.filter((row) => row.tbl !== null);
  const more =
    tables.length === 0
      ? []
      : await client.query<Row>(
          `${OF_TABLES}${tables.map(() => '(?, ?)').join(', ')}) group by binary table_schema`,
          tables.flatMap(quotable),
        );
  for (const { name, bytes } of [...rows, ...more]) {
    const before = sizes.get(name);
    if (before !== undefined) sizes.set(name, before + Number(bytes));
  }
  return { databases: [...sizes].map(([name, sizeBytes]) => ({ name, sizeBytes })), method };
}

/** What each database user was granted on databases and tables. Needs a login that may read the tables of `mysql`. */
export async function readGrants(client: MysqlClient): Promise<Grant[]> {
  const rows = await client.query<{ user: string; name: string; isPattern: number }>(GRANTS);
  return rows.map(({ user, name, isPattern }) => ({ user, name, isPattern: isPattern === 1 }));
}

async function readRows(client: MysqlClient, preferred: Method): Promise<{ rows: Row[]; method: Method }> {
  if (preferred === 'files') {
    try {
      return { rows: await client.query<Row>(FILES), method: 'files' };
    } catch (error) {
      if (!isSqlError(error)) throw error;
    }
  }
  return { rows: await client.query<Row>(ESTIMATES), method: 'estimates' };
}

/** Names as bytes, because customers choose them: no mode of the server reads `X'…'` in another way. */
function quotable({ name, tbl }: Row): SqlParameter[] {
  return [Buffer.from(name), Buffer.from(tbl ?? '')];
}
