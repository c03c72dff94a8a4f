import type { Catalogue, Column, Reader, Tx } from '../store.ts';

/** The tables of a file of SQLite. */
export class SqliteCatalogue implements Catalogue {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  columns(): Promise<Column[]> {
    return this.#reader.all<Column>(
      `select t.name as "table", c.name, c.pk as place from sqlite_schema t join pragma_table_info(t.name) c
        where t.type = 'table' and t.name not like 'sqlite_%' order by t.rowid, c.cid`,
    );
  }

  async lastIds(tx: Tx): Promise<Readonly<Record<string, number>>> {
    const rows = await tx.all<{ name: string; seq: number }>('select name, seq from sqlite_sequence');
    return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
  }

  async setLastId(tx: Tx, table: string, id: number): Promise<void> {
    await tx.run('delete from sqlite_sequence where name = ?', table);
    await tx.run(
      "insert into sqlite_sequence (name, seq) select name, ? from sqlite_schema where name = ? and sql like '% autoincrement%'",
      id,
      table,
    );
  }
}
