import {
  api,
  attempt,
  bytes,
  Card,
  changed,
  ErrorPanel,
  IconButton,
  lastName,
  sendRemoval,
  t,
  textOr,
  useTasks,
} from '../../pages/kit/index.ts';
import type { Task } from './replies.ts';

/** Work that ended is shown for this long. */
const SHOWN_MS = 24 * 3_600_000;
const SHOWN = 3;

/** Long work: how far it is, with its end; and what became of that which ended lately. */
export function TaskList() {
  const listing = useTasks('/api/backup-tasks-stream', (signal) => api('GET /api/backup-tasks', { signal }));
  const tasks = listing.data?.tasks ?? [];
  const running = tasks.filter(({ state }) => state === 'running');
  const isRecent = ({ ended_at: at }: Task) => at !== null && Date.parse(at) > Date.now() - SHOWN_MS;
  const ended = tasks.filter((task) => task.state !== 'running' && isRecent(task)).slice(0, SHOWN);
  if (listing.error !== undefined) return <ErrorPanel error={listing.error} onRetry={listing.reload} />;
  if (running.length + ended.length === 0) return null;
  return (
    <Card title={t('backups.tasks')}>
      <ul class="stack tight">
        {[...running, ...ended].map((task) => (
          <Line key={task.id} task={task} />
        ))}
      </ul>
    </Card>
  );
}

const about = ({ kind, path }: Task): string =>
  t(`backups.task.${kind}`, { name: textOr(`backups.item.${path}`, lastName(path)) });

function outcome({ state, error, detail, left_out: n }: Task): string {
  if (state === 'failed') return textOr(`backups.error.${error ?? ''}`, detail ?? error ?? '');
  const end = t(state === 'done' ? 'backups.done' : 'backups.canceled');
  return n > 0 ? `${end}, ${t('backups.leftOut', { n })}${detail === null ? '' : `: ${detail}`}` : end;
}

function Line({ task }: { readonly task: Task }) {
  const { id, state, files, size_bytes: size } = task;
  const isRunning = state === 'running';
  const cancel = async () => {
    await sendRemoval('DELETE /api/backup-tasks/:id', { params: { id } });
    changed();
  };
  return (
    <li class="transfer">
      <span class="wrap">{about(task)}</span>
      <span class="small soft number wrap" role={isRunning ? 'status' : undefined}>
        {isRunning ? t('backups.progress', { n: files, size: bytes(size) }) : outcome(task)}
      </span>
      {isRunning && (
        <IconButton icon="close" label={t('backups.cancel', { name: about(task) })} onClick={() => attempt(cancel)} />
      )}
    </li>
  );
}
