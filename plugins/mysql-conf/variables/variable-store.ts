import type { Reader, Tx } from '../../../kernel/store/store.ts';

/** A variable that an administrator has set at a server of a node. */
export interface KeptVariable {
  readonly server: string;
  readonly name: string;
  readonly value: string;
  /** Of the server's own files, which a reset gives back. */
  readonly files_value: string;
  readonly is_pending: number;
  readonly changed_by: string;
  /** Milliseconds since 1970. */
  readonly changed_at: number;
  readonly ip: string;
}

const COLUMNS = 'server, name, value, files_value, is_pending, changed_by, changed_at, ip';

/** Resolves with those of a node. */
export function readKept(reader: Reader, node: string): Promise<KeptVariable[]> {
  return reader.all(`select ${COLUMNS} from mysql_variables where node = ? order by server, name`, node);
}

export async function keep(tx: Tx, node: string, row: KeptVariable): Promise<void> {
  await tx.run(
    `insert into mysql_variables (node, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (node, server, name) do update set value = excluded.value, files_value = excluded.files_value,
        is_pending = excluded.is_pending, changed_by = excluded.changed_by, changed_at = excluded.changed_at, ip = excluded.ip`,
    ...[node, row.server, row.name, row.value, row.files_value, row.is_pending, row.changed_by, row.changed_at, row.ip],
  );
}

/** Resolves with whether the change was pending, which it is no more. */
export async function complete(tx: Tx, node: string, { server, name, value }: KeptVariable): Promise<boolean> {
  const sql =
    'update mysql_variables set value = ?, is_pending = 0 where node = ? and server = ? and name = ? and is_pending = 1';
  return (await tx.run(sql, value, node, server, name)).changes === 1;
}

export async function forget(tx: Tx, node: string, { server, name }: KeptVariable): Promise<boolean> {
  const sql = 'delete from mysql_variables where node = ? and server = ? and name = ?';
  return (await tx.run(sql, node, server, name)).changes === 1;
}
