import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  ask,
  Button,
  bytes,
  Card,
  changed,
  Empty,
  ErrorPanel,
  mayUse,
  PageHead,
  Panel,
  t,
  Table,
  useQuery,
  type Column,
  type IconName,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { Connection } from './connection.tsx';
import { CreateDatabase } from './create-database.tsx';
import { DatabaseUsers } from './database-users.tsx';
import { DropDatabase } from './drop-database.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { Processes } from './processes.tsx';
import { QueryDialog } from './query-dialog.tsx';

type Databases = ReplyOf<'GET /api/databases'>;
type Users = ReplyOf<'GET /api/database-users'>;
/** A row of the plugin that measures databases. */
interface Size {
  readonly Database: string;
  readonly 'Size (BYTES)'?: number;
}
interface Database {
  readonly name: string;
  readonly sizeBytes: number | undefined;
  readonly users: readonly string[];
}

type Dialogs = 'drop' | 'export' | 'import' | 'query';
type Shown = { readonly dialog: 'create' } | { readonly dialog: Dialogs; readonly name: string };

export default function DatabasesPage() {
  const dialog = useSignal<Shown | undefined>(undefined);
  const databases = useQuery('managed-databases', (signal) => api('GET /api/databases', { signal }));
  const users = useQuery('database-users', (signal) => api('GET /api/database-users', { signal }));
  const sizes = useQuery('managed-sizes', () => ask<readonly Size[]>('GET', '/api/mysql-size?unit=bytes'));
  const close = () => void (dialog.value = undefined);
  const open = (next: Shown) => void (dialog.value = next);
  const create = () => open({ dialog: 'create' });
  const shown = dialog.value;
  const isManaged = databases.data?.server !== null;
  return (
    <>
      <PageHead title={t('mysql.title')} about={t('mysql.about')}>
        {isManaged && (
          <Button
            kind="primary"
            icon="plus"
            isDisabled={databases.data === undefined || isFull(databases.data)}
            onClick={create}
          >
            {t('mysql.create')}
          </Button>
        )}
      </PageHead>
      <div class="stack">
        {sizes.error !== undefined && <ErrorPanel error={sizes.error} />}
        {users.error !== undefined && !databases.data?.server && <ErrorPanel error={users.error} />}
        {databases.data && isFull(databases.data) && (
          <Panel kind="accent" icon="info" title={t('mysql.full', { n: databases.data.limit })}>
            <p>{t('mysql.fullAbout')}</p>
          </Panel>
        )}
        <Card isFlush>
          <Answer of={databases} lines={4}>
            {(data) => (
              <DatabaseTable
                data={data}
                rows={rowsOf(data, users.data ?? [], sizes.data)}
                onCreate={create}
                onOpen={open}
              />
            )}
          </Answer>
        </Card>
        {databases.data?.server && (
          <>
            <DatabaseUsers users={users} databases={databases.data} />
            <Connection server={databases.data.server} />
            <Processes />
          </>
        )}
      </div>
      {shown?.dialog === 'create' && databases.data && (
        <CreateDatabase databases={databases.data} onClose={close} onDone={changed} />
      )}
      {shown?.dialog === 'drop' && <DropDatabase name={shown.name} onClose={close} onDone={changed} />}
      {shown?.dialog === 'export' && <ExportDialog name={shown.name} onClose={close} />}
      {shown?.dialog === 'import' && <ImportDialog name={shown.name} onClose={close} />}
      {shown?.dialog === 'query' && <QueryDialog name={shown.name} onClose={close} />}
    </>
  );
}

const isFull = ({ limit, databases }: Databases): boolean => limit > 0 && databases.length >= limit;

function rowsOf({ databases }: Databases, users: Users, sizes: readonly Size[] | undefined): readonly Database[] {
  const byName = new Map(sizes?.map((row) => [row.Database, row['Size (BYTES)']]));
  return databases.map((name) => ({
    name,
    sizeBytes: byName.get(name),
    users: users.filter(({ access }) => access.some(({ database }) => database === name)).map((user) => user.name),
  }));
}

interface DatabaseTableProps {
  readonly data: Databases;
  readonly rows: readonly Database[];
  readonly onCreate: () => void;
  readonly onOpen: (shown: Shown) => void;
}

function DatabaseTable({ data, rows, onCreate, onOpen }: DatabaseTableProps) {
  if (data.server === null)
    return (
      <Empty icon="database" title={t('mysql.elsewhere')}>
        {t('mysql.elsewhereAbout')}
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty
        icon="database"
        title={t('mysql.none')}
        action={
          <Button kind="primary" icon="plus" onClick={onCreate}>
            {t('mysql.create')}
          </Button>
        }
      >
        {t('mysql.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Database>[] = [
    {
      name: 'name',
      title: t('mysql.database'),
      by: ({ name }) => name,
      cell: ({ name }) => <code class="wrap">{name}</code>,
    },
    {
      name: 'users',
      title: t('mysql.users'),
      cell: ({ users }) => <span class="wrap soft">{users.length === 0 ? t('mysql.noUsers') : users.join(', ')}</span>,
    },
    {
      name: 'size',
      title: t('mysql.size'),
      isEnd: true,
      by: ({ sizeBytes }) => sizeBytes ?? 0,
      cell: ({ sizeBytes }) => (sizeBytes === undefined ? '–' : bytes(sizeBytes)),
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: ({ name }) => <Actions name={name} onOpen={onOpen} />,
    },
  ];
  return (
    <>
      <div class="card-head">
        <span>
          {data.limit > 0
            ? t('mysql.countOf', { used: rows.length, n: data.limit })
            : t('mysql.count', { n: rows.length })}
        </span>
      </div>
      <Table caption={t('mysql.title')} columns={columns} rows={rows} keyOf={({ name }) => name} sortedBy="name" />
    </>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly onOpen: (shown: Shown) => void;
}

function Actions({ name, onOpen }: ActionsProps) {
  const action = (dialog: Dialogs, icon: IconName) => (
    <Button
      kind="plain"
      isSmall
      isBad={dialog === 'drop'}
      icon={icon}
      label={t(`mysql.${dialog}One`, { name })}
      onClick={() => onOpen({ dialog, name })}
    />
  );
  return (
    <>
      {action('query', 'search')}
      {action('export', 'download')}
      {mayUse(['mysql_import']) && action('import', 'upload')}
      {action('drop', 'trash')}
    </>
  );
}
