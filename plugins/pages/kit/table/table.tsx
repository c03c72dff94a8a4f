import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { language, number, t } from '../text/i18n.ts';

export interface Column<T> {
  readonly name: string;
  readonly title: string;
  /** Content of the head instead of the title. */
  readonly head?: ComponentChildren;
  readonly cell: (row: T) => ComponentChildren;
  /** Sort key of the column; a column without it is not sorted. */
  readonly by?: (row: T) => string | number;
  readonly isEnd?: boolean;
  /** Whether the first press sorts the largest first. */
  readonly isMostFirst?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly sortedBy?: string;
  /** Where sorting begins with the largest. */
  readonly isDescending?: boolean;
  /** Whether a row is the one to which the address of the page leads. */
  readonly isWanted?: (row: T) => boolean;
  /** Set where the server sorts and pages: the order that holds, and what asks for another. */
  readonly server?: { readonly order: Order; readonly onSort: (order: Order) => void };
}

/** Rows that a page holds: enough to read, and quick to draw. */
const PAGE_ROWS = 25;

/** A table that is sorted and paged in the browser, and becomes a list of cards where it is narrow. */
export function Table<T>({ caption, columns, rows, keyOf, isWanted, server, ...begin }: TableProps<T>) {
  const { sortedBy, isDescending = false } = begin;
  const order = useSignal({ by: sortedBy ?? '', isDescending });
  const page = useSignal(0);
  const sorted = sort(rows, columns.find(({ name }) => name === order.value.by)?.by, order.value.isDescending);
  const last = Math.max(0, Math.ceil(rows.length / PAGE_ROWS) - 1);
  const current = Math.min(page.value, last);
  const shown = server === undefined ? sorted.slice(current * PAGE_ROWS, (current + 1) * PAGE_ROWS) : rows;
  return (
    <>
      <div class="table-frame" tabIndex={0} role="group" aria-label={caption}>
        <table class="table cards">
          <caption class="sr-only">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.name}
                  column={column}
                  order={server?.order ?? order.value}
                  onSort={server?.onSort ?? ((next) => void (order.value = next))}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)} aria-current={isWanted?.(row) === true ? 'location' : undefined}>
                {columns.map(({ name, title, cell, isEnd }) => (
                  <td
                    key={name}
                    class={isEnd === true ? 'end number' : undefined}
                    data-label={title === '' ? undefined : title}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {last > 0 && server === undefined && (
        <Paging page={current} last={last} total={rows.length} onChange={(next) => (page.value = next)} />
      )}
    </>
  );
}

export interface Order {
  readonly by: string;
  readonly isDescending: boolean;
}

function Head<T>(props: {
  readonly column: Column<T>;
  readonly order: Order;
  readonly onSort: (order: Order) => void;
}) {
  const { name, title, head, by, isEnd, isMostFirst = false } = props.column;
  const isSorted = props.order.by === name;
  const direction = isSorted ? (props.order.isDescending ? 'descending' : 'ascending') : undefined;
  const next = { by: name, isDescending: isSorted ? !props.order.isDescending : isMostFirst };
  return (
    <th scope="col" class={isEnd === true ? 'end' : undefined} aria-sort={by === undefined ? undefined : direction}>
      {head !== undefined ? (
        head
      ) : by === undefined ? (
        title === '' ? (
          <span class="sr-only">{t('pages.actions')}</span>
        ) : (
          title
        )
      ) : (
        <button type="button" onClick={() => props.onSort(next)}>
          {title}
          {isSorted && <Icon name={props.order.isDescending ? 'down' : 'up'} />}
        </button>
      )}
    </th>
  );
}

interface PagingProps {
  /** From 0. */
  readonly page: number;
  readonly last: number;
  readonly total: number;
  readonly onChange: (page: number) => void;
}

export function Paging({ page, last, total, onChange }: PagingProps) {
  return (
    <nav class="table-foot" aria-label={t('pages.paging')}>
      <span class="small soft">{t('pages.pageOf', { page: number(page + 1), last: number(last + 1), total })}</span>
      <span class="row">
        <Button isSmall isDisabled={page === 0} onClick={() => onChange(page - 1)}>
          {t('pages.previous')}
        </Button>
        <Button isSmall isDisabled={page === last} onClick={() => onChange(page + 1)}>
          {t('pages.next')}
        </Button>
      </span>
    </nav>
  );
}

interface CursorPagingProps {
  /** Cursors of the pages up to the shown one. */
  readonly cursors: Signal<readonly string[]>;
  readonly next: string | null;
}

/** Leads through a list that the server pages; nothing where one page holds it all. */
export function CursorPaging({ cursors, next }: CursorPagingProps) {
  const { length } = cursors.value;
  if (length === 1 && next === null) return null;
  return (
    <nav class="table-foot" aria-label={t('pages.paging')}>
      <Button isSmall isDisabled={length === 1} onClick={() => void (cursors.value = cursors.value.slice(0, -1))}>
        {t('pages.previous')}
      </Button>
      <Button isSmall isDisabled={next === null} onClick={() => void (cursors.value = [...cursors.value, next ?? ''])}>
        {t('pages.next')}
      </Button>
    </nav>
  );
}

function sort<T>(rows: readonly T[], by: Column<T>['by'], isDescending: boolean): readonly T[] {
  if (by === undefined) return rows;
  const collator = new Intl.Collator(language.value, { numeric: true });
  const sorted = rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    return typeof x === 'number' && typeof y === 'number' ? x - y : collator.compare(String(x), String(y));
  });
  return isDescending ? sorted.toReversed() : sorted;
}
