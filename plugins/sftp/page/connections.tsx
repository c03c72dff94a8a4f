import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Button,
  Card,
  Empty,
  sendRemoval,
  t,
  Table,
  timeColumn,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Connection = ReplyOf<'GET /api/sftp/connections'>['connections'][number];

/** Shows who is logged in, and ends connections. */
export function Connections() {
  const connections = useQuery('sftp-connections', (signal) => api('GET /api/sftp/connections', { signal }));
  const end = (connection: string) =>
    attempt(async () => {
      await sendRemoval('DELETE /api/sftp/connections/:connection', { params: { connection } });
      toast(t('sftp.wasEnded'));
      connections.reload();
    });
  return (
    <Card
      title={t('sftp.connections')}
      isFlush
      end={
        <Button icon="refresh" isSmall onClick={() => connections.reload()}>
          {t('sftp.refresh')}
        </Button>
      }
    >
      <Answer of={connections} lines={2}>
        {({ connections: all }) => <ConnectionTable connections={all} onEnd={end} />}
      </Answer>
    </Card>
  );
}

interface ConnectionTableProps {
  readonly connections: readonly Connection[];
  readonly onEnd: (connection: string) => Promise<void>;
}

function ConnectionTable({ connections, onEnd }: ConnectionTableProps) {
  if (connections.length === 0) return <Empty icon="clock" title={t('sftp.noConnections')} />;
  const columns: readonly Column<Connection>[] = [
    {
      name: 'login',
      title: t('sftp.user'),
      by: ({ login }) => login,
      cell: ({ login }) => <code class="wrap">{login}</code>,
    },
    {
      name: 'address',
      title: t('sftp.from'),
      by: ({ address }) => address,
      cell: ({ address, protocol }) => (
        <span class="stack tight">
          <code class="wrap">{address}</code>
          <span class="small soft">{protocol.toUpperCase()}</span>
        </span>
      ),
    },
    timeColumn('since', t('sftp.since'), ({ since }) => since),
    actionsColumn(({ connection_id: id, login, address }) => (
      <Button isSmall isBad label={t('sftp.endOne', { login, address })} onClick={() => onEnd(id)}>
        {t('sftp.end')}
      </Button>
    )),
  ];
  return (
    <Table
      caption={t('sftp.connections')}
      columns={columns}
      rows={connections}
      keyOf={({ connection_id: id }) => id}
      sortedBy="since"
      isDescending
    />
  );
}
