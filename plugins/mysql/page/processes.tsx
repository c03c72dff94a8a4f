import {
  Answer,
  api,
  attempt,
  Button,
  Card,
  Empty,
  number,
  t,
  Table,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Process = ReplyOf<'GET /api/database-processes'>[number];

/** Shows what the users are doing now, and ends what runs away. */
export function Processes() {
  const processes = useQuery('database-processes', (signal) => api('GET /api/database-processes', { signal }));
  const end = (id: number) =>
    attempt(async () => {
      await api('DELETE /api/database-processes/:id', { params: { id: String(id) } });
      toast(t('mysql.processWasEnded'));
      processes.reload();
    });
  return (
    <Card
      title={t('mysql.processes')}
      isFlush
      end={
        <Button icon="refresh" isSmall onClick={() => processes.reload()}>
          {t('mysql.refresh')}
        </Button>
      }
    >
      <Answer of={processes} lines={2}>
        {(all) => <ProcessTable processes={all} onEnd={end} />}
      </Answer>
    </Card>
  );
}

interface ProcessTableProps {
  readonly processes: readonly Process[];
  readonly onEnd: (id: number) => Promise<void>;
}

function ProcessTable({ processes, onEnd }: ProcessTableProps) {
  if (processes.length === 0)
    return (
      <Empty icon="clock" title={t('mysql.noProcesses')}>
        {t('mysql.noProcessesAbout')}
      </Empty>
    );
  const columns: readonly Column<Process>[] = [
    {
      name: 'user',
      title: t('mysql.user'),
      by: ({ user }) => user,
      cell: ({ user }) => <code class="wrap">{user}</code>,
    },
    {
      name: 'statement',
      title: t('mysql.statement'),
      cell: ({ statement, command }) =>
        statement === '' ? <span class="soft">{command}</span> : <code class="wrap">{statement}</code>,
    },
    {
      name: 'seconds',
      title: t('mysql.seconds'),
      isEnd: true,
      by: ({ seconds }) => seconds,
      cell: ({ seconds }) => number(seconds),
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: ({ id }) => (
        <Button isSmall isBad label={t('mysql.endOne', { id })} onClick={() => onEnd(id)}>
          {t('mysql.end')}
        </Button>
      ),
    },
  ];
  return (
    <Table
      caption={t('mysql.processes')}
      columns={columns}
      rows={processes}
      keyOf={({ id }) => id}
      sortedBy="seconds"
      isDescending
    />
  );
}
