import { Answer, bytes, Dialog, Empty, number, t, Table, useQuery, type Column } from '../index.ts';
import type { DatabaseEngine, ListedTable, ListedTables } from './engine.ts';

interface TablesProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
}

/** Shows the tables of a database, the largest first. */
export function TablesDialog({ engine, name, onClose }: TablesProps) {
  const tables = useQuery(`${engine.name}-tables-${name}`, (signal) => engine.tables(name, signal));
  return (
    <Dialog title={t('pages.db.tablesOne', { name })} onClose={onClose} isLarge>
      <Answer of={tables} lines={4}>
        {(data) => <Tables {...data} />}
      </Answer>
    </Dialog>
  );
}

/** Of what keeps no rows of its own. */
const NONE = <span class="soft">–</span>;
const hasRows = ({ kind }: ListedTable) => kind === 'table' || kind === 'materialized view';
const kindText = ({ kind, engine = '' }: ListedTable) => (engine === '' ? t(`pages.db.kind.${kind}`) : engine);

function Tables({ tables, total }: ListedTables) {
  if (total === 0)
    return (
      <Empty icon="table" title={t('pages.db.noTables')}>
        {t('pages.db.noTablesAbout')}
      </Empty>
    );
  const sizeBytes = tables.reduce((sum, table) => sum + table.sizeBytes, 0);
  const columns: readonly Column<ListedTable>[] = [
    {
      name: 'table',
      title: t('pages.db.table'),
      by: ({ name }) => name,
      cell: ({ name }) => <code class="wrap">{name}</code>,
    },
    { name: 'kind', title: t('pages.db.kind'), by: kindText, cell: kindText },
    {
      name: 'rows',
      title: t('pages.db.rows'),
      isEnd: true,
      isMostFirst: true,
      by: ({ rows }) => rows,
      cell: (table) => (hasRows(table) ? number(table.rows) : NONE),
    },
    {
      name: 'size',
      title: t('pages.db.size'),
      isEnd: true,
      isMostFirst: true,
      by: (table) => table.sizeBytes,
      cell: (table) => (hasRows(table) ? bytes(table.sizeBytes) : NONE),
    },
  ];
  return (
    <>
      <p role="status" class="number">
        {t('pages.db.tablesTotal', { n: total, size: bytes(sizeBytes) })}
      </p>
      {tables.length < total && <p>{t('pages.db.tablesPart', { n: tables.length })}</p>}
      <p class="small soft">{t('pages.db.rowsAbout')}</p>
      <Table
        caption={t('pages.db.tables')}
        columns={columns}
        rows={tables}
        keyOf={({ name }) => name}
        sortedBy="size"
        isDescending
      />
    </>
  );
}
