import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Badge, Choices, Dialog, t, Table, type Column } from '../index.ts';
import type { DatabaseEngine, MaintainedTables, Maintenance } from './engine.ts';

interface MaintenanceProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
}
type Maintained = MaintainedTables['tables'][number];

const ACTIONS = ['optimize', 'check', 'repair'] as const satisfies readonly Maintenance[];
/** The worst first, as the results are sorted. */
const STATUSES = ['error', 'repaired', 'note', 'ok'] as const;
const TONES = { error: 'bad', repaired: 'warn', note: 'accent', ok: 'good' } as const;
const statusOf = ({ status }: Maintained) => STATUSES.find((each) => each === status) ?? 'note';

/** Optimizes, checks or repairs the tables of a database, and shows what became of each; to close the dialog ends it. */
export function MaintenanceDialog({ engine, name, onClose }: MaintenanceProps) {
  const action = useSignal<Maintenance>('optimize');
  const isRunning = useSignal(false);
  const result = useSignal<MaintainedTables | undefined>(undefined);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const choose = (next: Maintenance) => {
    if (isRunning.value) return;
    action.value = next;
    result.value = undefined;
  };
  const run = async () => {
    result.value = undefined;
    isRunning.value = true;
    try {
      result.value = await engine.maintain(name, action.value, abort.current.signal);
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <Dialog
      title={t('pages.db.maintainOne', { name })}
      onClose={onClose}
      isLarge
      onSubmit={run}
      submit={{ text: t(`pages.db.maintain.${action.value}`) }}
    >
      <Choices
        label={t('pages.db.maintenance')}
        of={ACTIONS.map((each) => [each, t(`pages.db.maintain.${each}`)] as const)}
        value={action.value}
        onChange={choose}
      />
      <p>{t(`pages.db.maintainAbout.${action.value}`)}</p>
      {isRunning.value && <p role="status">{t('pages.db.maintaining')}</p>}
      {result.value && <Results result={result.value} />}
    </Dialog>
  );
}

function Results({ result: { tables, total } }: { readonly result: MaintainedTables }) {
  if (total === 0) return <p role="status">{t('pages.db.noTables')}</p>;
  const faults = tables.filter(({ status }) => status === 'error').length;
  const columns: readonly Column<Maintained>[] = [
    {
      name: 'table',
      title: t('pages.db.table'),
      by: ({ table }) => table,
      cell: ({ table }) => <code class="wrap">{table}</code>,
    },
    {
      name: 'status',
      title: t('pages.db.tableStatus'),
      by: (row) => STATUSES.indexOf(statusOf(row)),
      cell: (row) => <Badge tone={TONES[statusOf(row)]}>{t(`pages.db.status.${statusOf(row)}`)}</Badge>,
    },
    {
      name: 'text',
      title: t('pages.db.tableText'),
      cell: ({ text }) => <span class="wrap soft">{text === '' ? '–' : text}</span>,
    },
  ];
  return (
    <>
      <p role="status" class="number">
        {t('pages.db.maintained', { n: tables.length })}
        {': '}
        {faults === 0 ? t('pages.db.maintainedWell') : t('pages.db.maintainedBadly', { n: faults })}
      </p>
      {tables.length < total && <p>{t('pages.db.maintainedPart', { n: tables.length, total })}</p>}
      <Table
        caption={t('pages.db.result')}
        columns={columns}
        rows={tables}
        keyOf={({ table }) => table}
        sortedBy="status"
      />
    </>
  );
}
