import { createHash } from 'node:crypto';
import type { DataFiles } from '../../kernel/contract/command.ts';
import { placesForRows } from '../../kernel/kit/placeholders.ts';
import type { Column, Reader, Store, Tx } from '../../kernel/store/store.ts';
import type { SqlValue } from '../../kernel/store/sqlite/connection.ts';

type Row = Readonly<Record<string, SqlValue>>;

/** How many rows are read and written at a time. */
const PAGE = 500;
/** Not copied: the target has its own. */
const MIGRATIONS = 'migrations';
/** Copied last, and emptied before, because triggers change them. */
const REVISION = ['revision', 'revision_changes'];

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Its primary key; empty for a table without one, which has one row at most. */
  readonly key: readonly string[];
}

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
}

/**
 * Copies all rows of a store into another one, whose tables are made first, and compares their number and digest, all in one
 * transaction of the target. Rejects, and leaves no row there, if the target holds a store, if a plugin whose tables are in
 * the source is not installed, or if something differs at the end, because somebody changed the source meanwhile.
 */
export async function copyStore(files: DataFiles, source: Store, target: Store): Promise<CopiedTable[]> {
  await files.makeTables(source, target);
  return target.write(async (tx) => {
    const tables = grouped(await target.catalogue.columns()).filter(({ name }) => name !== MIGRATIONS);
    const inOrder = [
      ...tables.filter(({ name }) => !REVISION.includes(name)),
      ...tables.filter(({ name }) => REVISION.includes(name)),
    ];
    for (const { name, key } of inOrder)
      if (key.length > 0 && !REVISION.includes(name) && (await tx.get(`select 1 as n from ${name}`)) !== undefined)
        throw new Error(`${target.place} already holds a store: name an empty one`);
    for (const table of inOrder) await copyRows(table, source, tx);
    await copyLastIds(source, target, tx);
    const copied: CopiedTable[] = [];
    for (const table of inOrder) copied.push(await compared(table, source, tx));
    return copied;
  });
}

/** Returns the tables with these columns, in their order. */
function grouped(all: readonly Column[]): Table[] {
  return [...new Set(all.map(({ table }) => table))].map((name) => {
    const columns = all.filter(({ table }) => table === name);
    const key = columns.filter(({ place }) => place > 0).toSorted((a, b) => a.place - b.place);
    return { name, columns: columns.map((each) => each.name), key: key.map((each) => each.name) };
  });
}

async function copyRows({ name, columns, key }: Table, source: Reader, tx: Tx): Promise<void> {
  if (key.length === 0 || REVISION.includes(name)) await tx.run(`delete from ${name}`);
  for await (const rows of pagesOf({ name, columns, key }, source)) {
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null));
    await tx.run(
      `insert into ${name} (${columns.join(', ')}) values ${placesForRows(rows.length, columns.length)}`,
      ...values,
    );
  }
}

/** An id that was given to an account that is gone must not be given again: its files may still be there. */
async function copyLastIds(source: Store, target: Store, tx: Tx): Promise<void> {
  const last = await source.write((from) => source.catalogue.lastIds(from));
  for (const table of new Set([...Object.keys(last), ...Object.keys(await target.catalogue.lastIds(tx))])) {
    const { id } = (await tx.get<{ id: number | null }>(`select max(id) as id from ${table}`)) ?? { id: null };
    const newest = Math.max(last[table] ?? 0, id ?? 0);
    if (newest > 0) await target.catalogue.setLastId(tx, table, newest);
  }
}

async function compared(table: Table, source: Reader, target: Reader): Promise<CopiedTable> {
  const [wanted, found] = [await digestOf(table, source), await digestOf(table, target)];
  if (wanted.rows !== found.rows || wanted.digest !== found.digest)
    throw new Error(
      `${table.name} differs after the copy (${wanted.rows} rows and ${found.rows}): nothing was copied; see that nobody serves the store meanwhile`,
    );
  return { name: table.name, rows: found.rows };
}

async function digestOf(table: Table, reader: Reader): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of pagesOf(table, reader))
    for (const row of rows) {
      count += 1;
      hash.update(`${JSON.stringify(table.columns.map((column) => row[column] ?? null))}\n`);
    }
  return { rows: count, digest: hash.digest('hex') };
}

/** Yields the rows in the order of their key. */
async function* pagesOf({ name, columns, key }: Table, reader: Reader): AsyncGenerator<Row[]> {
  const select = `select ${columns.join(', ')} from ${name}`;
  const order = key.length === 0 ? '' : ` order by ${key.join(', ')} limit ${PAGE}`;
  const after = `${select} where (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  let rows = await reader.all<Row>(select + order);
  while (rows.length > 0) {
    yield rows;
    const last = rows.at(-1) ?? {};
    rows = key.length === 0 ? [] : await reader.all<Row>(after + order, ...key.map((column) => last[column] ?? null));
  }
}
