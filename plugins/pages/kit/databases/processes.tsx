import {
  actionsColumn,
  Answer,
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
} from '../index.ts';
import type { DatabaseEngine, Process } from './engine.ts';

/** Shows what the users are doing now, and ends what runs away. */
export function Processes({ engine }: { readonly engine: DatabaseEngine }) {
  const processes = useQuery(`${engine.name}-processes`, (signal) => engine.processes(signal));
  const end = (id: number) =>
    attempt(async () => {
      await engine.endProcess(id);
      toast(t('pages.db.processWasEnded'));
      processes.reload();
    });
  return (
    <Card
      title={t('pages.db.processes')}
      isFlush
      end={
        <Button icon="refresh" isSmall onClick={() => processes.reload()}>
          {t('pages.db.refresh')}
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
      <Empty icon="clock" title={t('pages.db.noProcesses')}>
        {t('pages.db.noProcessesAbout')}
      </Empty>
    );
  const columns: readonly Column<Process>[] = [
    {
      name: 'user',
      title: t('pages.db.user'),
      by: ({ user }) => user,
      cell: ({ user }) => <code class="wrap name">{user}</code>,
    },
    {
      name: 'statement',
      title: t('pages.db.statement'),
      cell: ({ statement, state }) =>
        statement === '' ? <span class="soft">{state}</span> : <code class="wrap">{statement}</code>,
    },
    {
      name: 'seconds',
      title: t('pages.db.seconds'),
      isEnd: true,
      by: ({ seconds }) => seconds,
      cell: ({ seconds }) => number(seconds),
    },
    actionsColumn(({ id }) => (
      <Button isSmall isBad label={t('pages.db.endOne', { id })} onClick={() => onEnd(id)}>
        {t('pages.db.end')}
      </Button>
    )),
  ];
  return (
    <Table
      caption={t('pages.db.processes')}
      columns={columns}
      rows={processes}
      keyOf={({ id }) => id}
      sortedBy="seconds"
      isDescending
    />
  );
}
