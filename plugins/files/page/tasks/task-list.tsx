import {
  Answer,
  api,
  attempt,
  bytes,
  Card,
  changed,
  IconButton,
  lastName,
  sendRemoval,
  t,
  textOr,
  toast,
  useTasks,
  type ReplyOf,
} from '../../../pages/kit/index.ts';

type Task = ReplyOf<'GET /api/files/tasks/:id'>;

/** Tasks that ended are shown for this long. */
const SHOWN_MS = 24 * 3_600_000;
const SHOWN = 5;

/** Long work: how far it is, with its end; and what became of that which ended, also while the page was closed. */
export default function TaskList() {
  const listing = useTasks('/api/files/tasks-stream', (signal) => api('GET /api/files/tasks', { signal }), say);
  const tasks = listing.data?.tasks ?? [];
  const running = tasks.filter(({ state }) => state === 'running');
  const isRecent = ({ ended_at: at }: Task) => at !== null && Date.parse(at) > Date.now() - SHOWN_MS;
  const ended = tasks.filter((task) => task.state !== 'running' && isRecent(task)).slice(0, SHOWN);
  if (listing.error === undefined && running.length + ended.length === 0) return null;
  return (
    <Card title={t('files.tasks')}>
      <Answer of={listing} lines={1}>
        {() => (
          <ul class="stack tight">
            {[...running, ...ended].map((task) => (
              <Line key={task.id} task={task} />
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  );
}

const say = (task: Task) => toast(`${about(task)}: ${outcome(task)}`, undefined, task.state === 'failed');
const about = ({ kind, path }: Task): string => t(`files.task.${kind}`, { name: lastName(path) });

function outcome({ kind, state, files, error, detail, left_out: n }: Task): string {
  if (state === 'failed') return textOr(`files.error.${error ?? ''}`, detail ?? error ?? '');
  return [
    t(state === 'done' ? 'files.task.done' : 'files.task.canceled'),
    ...(kind === 'repair' ? [t('files.repaired', { n: files })] : []),
    ...(kind === 'empty' ? [t('files.gone', { n: files })] : []),
    ...(kind === 'repair' && detail !== null ? [t('files.ownersUnseen')] : []),
    ...(n > 0 ? [t('files.leftOut', { n })] : []),
  ].join(', ');
}

function Line({ task }: { readonly task: Task }) {
  const { id, kind, path, state, files, size_bytes: size } = task;
  const isEmptying = kind === 'empty';
  const sofar = () =>
    isEmptying ? t('files.gone', { n: files }) : t('files.taskDone', { n: files, size: bytes(size) });
  const cancel = async () => {
    await sendRemoval('DELETE /api/files/tasks/:id', { params: { id } });
    changed();
  };
  return (
    <li class="transfer">
      <span class="wrap">{about(task)}</span>
      <span class="small soft number" role={state === 'running' ? 'status' : undefined}>
        {state === 'running' ? sofar() : outcome(task)}
      </span>
      {state === 'running' && (
        <IconButton
          icon="close"
          label={isEmptying ? t('files.cancelEmptying') : t('files.cancel', { name: lastName(path) })}
          onClick={() => attempt(cancel)}
        />
      )}
    </li>
  );
}
