import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  Button,
  bytes,
  Card,
  changed,
  Empty,
  ErrorPanel,
  IconButton,
  Meter,
  PageHead,
  Panel,
  t,
  Table,
  TextToCopy,
  useQuery,
  type Column,
  type IconName,
} from '../index.ts';
import { Connection } from './connection.tsx';
import { CreateDatabase } from './create-database.tsx';
import { DatabaseUsers } from './users/database-users.tsx';
import { DropDatabase } from './drop-database.tsx';
import type { DatabaseEngine, ListedDatabases, ListedUser } from './engine.ts';
import { ExportDialog } from './export-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { MaintenanceDialog } from './maintenance-dialog.tsx';
import { Processes } from './processes.tsx';
import { QueryDialog } from './query-dialog.tsx';
import { TablesDialog } from './tables-dialog.tsx';

interface Database {
  readonly name: string;
  readonly sizeBytes: number | undefined;
  readonly users: readonly string[];
}

type Dialogs = 'drop' | 'export' | 'import' | 'maintain' | 'query' | 'tables';
type Shown = { readonly dialog: 'create' } | { readonly dialog: Dialogs; readonly name: string };

/** The databases of an account at one kind of servers, with their users and what they are doing. */
export function ManagedDatabases({ engine }: { readonly engine: DatabaseEngine }) {
  const dialog = useSignal<Shown | undefined>(undefined);
  const databases = useQuery(`${engine.name}-databases`, (signal) => engine.list(signal));
  const users = useQuery(`${engine.name}-users`, (signal) => engine.users(signal));
  const close = () => void (dialog.value = undefined);
  const open = (next: Shown) => void (dialog.value = next);
  const create = () => open({ dialog: 'create' });
  const shown = dialog.value;
  const isManaged = databases.data?.server !== null;
  const noSpaceAbout = databases.data?.noSpaceAbout;
  return (
    <>
      <PageHead title={t(engine.texts.title)} about={t(engine.texts.about)}>
        {isManaged && (
          <Button
            kind="primary"
            icon="plus"
            isDisabled={databases.data === undefined || isFull(databases.data) || noSpaceAbout !== undefined}
            onClick={create}
          >
            {t('pages.db.create')}
          </Button>
        )}
      </PageHead>
      <div class="stack">
        {databases.data?.sizesError !== undefined && (
          <ErrorPanel error={databases.data.sizesError} onRetry={databases.reload} />
        )}
        {users.error !== undefined && !databases.data?.server && <ErrorPanel error={users.error} />}
        {noSpaceAbout !== undefined && (
          <Panel kind="bad" icon="warn" title={t('pages.db.noSpace')}>
            <p>{t(noSpaceAbout)}</p>
          </Panel>
        )}
        {databases.data && isFull(databases.data) && (
          <Panel kind="accent" icon="info" title={t('pages.db.full', { n: databases.data.limit })}>
            <p>{t('pages.db.fullAbout')}</p>
          </Panel>
        )}
        <Card isFlush>
          <Answer of={databases} lines={4}>
            {(data) => (
              <DatabaseTable
                engine={engine}
                data={data}
                rows={rowsIn(data, users.data ?? [])}
                onCreate={create}
                onOpen={open}
              />
            )}
          </Answer>
        </Card>
        {databases.data?.server && (
          <>
            <DatabaseUsers engine={engine} users={users} databases={databases.data} />
            <Connection server={databases.data.server} />
            <Processes engine={engine} />
          </>
        )}
      </div>
      {shown?.dialog === 'create' && databases.data && (
        <CreateDatabase engine={engine} databases={databases.data} onClose={close} onDone={changed} />
      )}
      {shown?.dialog === 'drop' && <DropDatabase engine={engine} name={shown.name} onClose={close} onDone={changed} />}
      {shown?.dialog === 'export' && <ExportDialog engine={engine} name={shown.name} onClose={close} />}
      {shown?.dialog === 'import' && <ImportDialog engine={engine} name={shown.name} onClose={close} />}
      {shown?.dialog === 'maintain' && <MaintenanceDialog engine={engine} name={shown.name} onClose={close} />}
      {shown?.dialog === 'tables' && <TablesDialog engine={engine} name={shown.name} onClose={close} />}
      {shown?.dialog === 'query' && <QueryDialog engine={engine} name={shown.name} onClose={close} />}
    </>
  );
}

const isFull = ({ limit, databases }: ListedDatabases): boolean => limit > 0 && databases.length >= limit;

const sum = (rows: readonly Database[]): number =>
  rows.reduce((bytesOfAll, row) => bytesOfAll + (row.sizeBytes ?? 0), 0);

function rowsIn({ databases }: ListedDatabases, users: readonly ListedUser[]): readonly Database[] {
  return databases.map((each) => ({
    ...each,
    users: users.filter(({ access }) => access.some(({ database }) => database === each.name)).map((user) => user.name),
  }));
}

interface DatabaseTableProps {
  readonly engine: DatabaseEngine;
  readonly data: ListedDatabases;
  readonly rows: readonly Database[];
  readonly onCreate: () => void;
  readonly onOpen: (shown: Shown) => void;
}

function DatabaseTable({ engine, data, rows, onCreate, onOpen }: DatabaseTableProps) {
  if (data.server === null)
    return (
      <Empty icon="database" title={t(engine.texts.elsewhere)}>
        {t(engine.texts.elsewhereAbout)}
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty
        icon="database"
        title={t('pages.db.none')}
        action={
          <Button kind="primary" icon="plus" onClick={onCreate}>
            {t('pages.db.create')}
          </Button>
        }
      >
        {t('pages.db.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Database>[] = [
    {
      name: 'name',
      title: t('pages.db.database'),
      by: ({ name }) => name,
      cell: ({ name }) => <TextToCopy text={name} what={name} />,
    },
    {
      name: 'users',
      title: t('pages.db.users'),
      cell: ({ users }) => (
        <span class="wrap soft">{users.length === 0 ? t('pages.db.noUsers') : users.join(', ')}</span>
      ),
    },
    {
      name: 'size',
      title: t('pages.db.size'),
      isEnd: true,
      by: ({ sizeBytes }) => sizeBytes ?? 0,
      cell: ({ sizeBytes }) => (sizeBytes === undefined ? '–' : bytes(sizeBytes)),
    },
    actionsColumn(({ name }) => <Actions engine={engine} name={name} onOpen={onOpen} />),
  ];
  return (
    <>
      <div class="card-head">
        <span>
          {data.limit > 0
            ? t('pages.db.countOf', { used: rows.length, n: data.limit })
            : t('pages.db.count', { n: rows.length })}
        </span>
        {data.limitBytes > 0 && <Meter label={t('pages.db.size')} used={sum(rows)} limit={data.limitBytes} isBytes />}
      </div>
      <Table caption={t(engine.texts.title)} columns={columns} rows={rows} keyOf={({ name }) => name} sortedBy="name" />
    </>
  );
}

interface ActionsProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onOpen: (shown: Shown) => void;
}

function Actions({ engine, name, onOpen }: ActionsProps) {
  const action = (dialog: Dialogs, icon: IconName) => (
    <IconButton
      isBad={dialog === 'drop'}
      icon={icon}
      label={t(`pages.db.${dialog}One`, { name })}
      onClick={() => onOpen({ dialog, name })}
    />
  );
  return (
    <>
      {action('tables', 'table')}
      {action('query', 'search')}
      {action('export', 'download')}
      {engine.mayImport() && action('import', 'upload')}
      {action('maintain', 'gauge')}
      {action('drop', 'trash')}
    </>
  );
}
