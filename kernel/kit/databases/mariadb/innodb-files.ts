import { isSqlError } from '../mysql-text.ts';

interface Client {
  query<T>(sql: string, parameters?: readonly unknown[]): Promise<T[]>;
}

/** InnoDB encodes special characters in file names. */
const decoded = (part: string) => `convert(convert(cast(${part} as binary) using filename) using utf8mb4)`;

/**
 * Resolves with the sizes of files of InnoDB by table: what the server says of these tables is seconds old, and far too little after an
 * import. Without the privilege PROCESS there are none.
 */
export async function readInnodbFiles(client: Client, database: string): Promise<ReadonlyMap<string, number>> {
  const table = decoded("substring_index(substring_index(name, '/', -1), '#P#', 1)"); // the files of partitions count together
  const sql = `select ${table} as name, sum(file_size) as bytes from information_schema.innodb_sys_tablespaces
    where name like '%/%' and ${decoded("substring_index(name, '/', 1)")} = ? group by 1`;
  try {
    const rows = await client.query<{ name: string; bytes: string }>(sql, [database]);
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  } catch (error) {
    if (!isSqlError(error)) throw error;
    return new Map();
  }
}
