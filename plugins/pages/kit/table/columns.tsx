import { bytes } from '../text/i18n.ts';
import { Time } from '../text/time.tsx';
import type { Column } from './table.tsx';

/** The last column, which has no title: what can be done with a row. */
export const actionsColumn = <T,>(cell: Column<T>['cell']): Column<T> => ({
  name: 'actions',
  title: '',
  isEnd: true,
  cell,
});

/** A column of moments, which are strings of ISO 8601. */
export const timeColumn = <T,>(
  name: string,
  title: string,
  by: (row: T) => string,
  { isRelative = false } = {},
): Column<T> => ({ name, title, by, cell: (row) => <Time at={by(row)} isRelative={isRelative} /> });

/** A column of sizes in bytes. */
export const sizeColumn = <T,>(name: string, title: string, by: (row: T) => number): Column<T> => ({
  name,
  title,
  by,
  cell: (row) => <span class="number">{bytes(by(row))}</span>,
});
