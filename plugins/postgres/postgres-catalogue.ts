import type { Catalogue, Column, Reader, Tx } from '../../kernel/store/store.ts';

/** The tables of a schema of PostgreSQL. */
export class PostgresCatalogue implements Catalogue {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  columns(): Promise<Column[]> {
    return this.#reader.all<Column>(
      `select c.relname as "table", a.attname as name, coalesce(array_position(i.indkey::int2[], a.attnum) + 1, 0) as place
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_index i on i.indrelid = c.oid and i.indisprimary
        where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
        order by c.oid, a.attnum`,
    );
  }

  async lastIds(tx: Tx): Promise<Readonly<Record<string, number>>> {
    const rows = await tx.all<{ name: string; last: number }>(
      `select c.table_name as name, coalesce(s.last_value, 0) as last from information_schema.columns c
        left join pg_sequences s on s.schemaname = c.table_schema and s.sequencename = c.table_name || '_id_seq'
        where c.table_schema = current_schema() and c.is_identity = 'YES'`,
    );
    return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
  }

  async setLastId(tx: Tx, table: string, id: number): Promise<void> {
    await tx.get("select setval(pg_get_serial_sequence(?, 'id'), ?) as last", table, id);
  }
}
