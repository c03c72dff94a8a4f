import type { Table } from './store.ts';

interface Column {
  /** Of its table. */
  readonly name: string;
  readonly column: string;
  /** In the primary key, from 1; 0 = it is not in it. */
  readonly place: number;
}

/** Returns the tables with these columns, in their order. */
export function tablesOf(rows: readonly Column[]): Table[] {
  return [...new Set(rows.map(({ name }) => name))].map((table) => {
    const columns = rows.filter(({ name }) => name === table);
    const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place);
    return { name: table, columns: columns.map(({ column }) => column), key: key.map(({ column }) => column) };
  });
}
