import {
  Answer,
  api,
  bytes,
  Card,
  ofNode,
  percent,
  t,
  Table,
  useQuery,
  useRefresh,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Process = ReplyOf<'GET /api/usage/system'>['processes']['top'][number];
const REFRESH_MS = 5000;
const SHOWN = 8;

/** The programs that take most of the processor. */
export function ProcessesCard() {
  const system = useQuery('system', (signal) => api('GET /api/usage/system', { query: ofNode(), signal }));
  useRefresh(system, REFRESH_MS);
  const columns: readonly Column<Process>[] = [
    {
      name: 'name',
      title: t('usage.program'),
      by: ({ name }) => name,
      cell: ({ name }) => <span class="wrap">{name}</span>,
    },
    { name: 'user', title: t('usage.user'), by: ({ user }) => user, cell: ({ user }) => user },
    {
      name: 'cpu',
      title: t('usage.processor'),
      isEnd: true,
      by: (row) => row.cpu_percent,
      cell: (row) => percent(row.cpu_percent),
    },
    {
      name: 'memory',
      title: t('usage.memory'),
      isEnd: true,
      by: (row) => row.memory,
      cell: (row) => bytes(row.memory),
    },
    { name: 'pid', title: 'PID', isEnd: true, by: ({ pid }) => pid, cell: ({ pid }) => <code>{pid}</code> },
  ];
  return (
    <Card
      title={t('usage.processes')}
      isFlush
      end={system.data && <span class="small soft">{t('usage.processCount', { n: system.data.processes.total })}</span>}
    >
      <Answer of={system} lines={5}>
        {({ processes: { top } }) => (
          <Table
            caption={t('usage.processes')}
            columns={columns}
            rows={top.slice(0, SHOWN)}
            keyOf={({ pid }) => pid}
            sortedBy="cpu"
            isDescending
          />
        )}
      </Answer>
    </Card>
  );
}
