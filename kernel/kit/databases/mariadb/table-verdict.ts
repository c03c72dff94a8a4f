import { maintained, type MaintainedTable, type TableStatus } from '../table-maintenance.ts';

/** A row of what CHECK, OPTIMIZE and REPAIR TABLE answer. */
export interface AdminRow {
  readonly Msg_type: string;
  readonly Msg_text: string;
}

const GOOD = ['OK', 'Table is already up to date'];

const typeOf = ({ Msg_type: type }: AdminRow): string => type.toLowerCase();
const isGood = (row: AdminRow): boolean => typeOf(row) === 'status' && GOOD.includes(row.Msg_text);

/** Returns what the rows of one statement mean: without a status, the engine of the table does not have this. */
export function statusIn(rows: readonly AdminRow[]): TableStatus {
  const statuses = rows.filter((row) => typeOf(row) === 'status');
  if (rows.some((row) => typeOf(row) === 'error') || !statuses.every(isGood)) return 'error';
  return statuses.length === 0 || rows.some((row) => typeOf(row) === 'warning') ? 'note' : 'ok';
}

/** Returns the row of a table; what says no more than the status is left out. */
export function verdictOn(table: string, status: TableStatus, rows: readonly AdminRow[]): MaintainedTable {
  const words = rows.filter((row) => !isGood(row)).map((row) => row.Msg_text);
  return maintained(table, status, [...new Set(words)]);
}
