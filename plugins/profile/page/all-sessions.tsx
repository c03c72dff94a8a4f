import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  ask,
  attempt,
  at,
  Badge,
  Button,
  Card,
  CursorPaging,
  t,
  Table,
  timeColumn,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { describeDevice } from './device.ts';

type AnySession = ReplyOf<'GET /api/sessions'>['sessions'][number];

const PAGE_SESSIONS = 100;

/** The sessions of all accounts, which an administrator may end. */
export default function AllSessions() {
  const cursors = useSignal<readonly string[]>(['']);
  const cursor = cursors.value.at(-1) ?? '';
  const query = { limit: PAGE_SESSIONS, ...(cursor !== '' && { cursor }) };
  const page = useQuery(`all sessions ${cursor}`, (signal) => api('GET /api/sessions', { query, signal }));
  const end = (username: string, id: string) =>
    attempt(async () => {
      await ask('DELETE', `/api/accounts/${encodeURIComponent(username)}/sessions/${encodeURIComponent(id)}`);
      toast(t('profile.sessionEnded', { name: username }));
      page.reload();
    });
  const columns: readonly Column<AnySession>[] = [
    {
      name: 'account',
      title: t('pages.username'),
      by: ({ username }) => username,
      cell: ({ username, role, opened_by: by, current }) => (
        <span class="row">
          <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a>
          {role === 'admin' && <Badge tone="accent">{t('profile.admin')}</Badge>}
          {by !== null && <Badge tone="warn">{t('profile.openedBy', { name: by })}</Badge>}
          {current && <Badge tone="good">{t('profile.thisDevice')}</Badge>}
        </span>
      ),
    },
    { name: 'ip', title: t('profile.address'), by: ({ ip }) => ip, cell: ({ ip }) => <span class="wrap">{ip}</span> },
    {
      name: 'device',
      title: t('profile.device'),
      by: (row) => describeDevice(row.user_agent),
      cell: (row) => <span title={row.user_agent}>{describeDevice(row.user_agent)}</span>,
    },
    timeColumn('begun', t('profile.begun'), (row) => row.created_at, { isRelative: true }),
    actionsColumn(({ id, username, current }) => (
      <Button
        isSmall
        kind="plain"
        isBad
        isDisabled={current}
        label={t('profile.endOne', { name: username })}
        onClick={() => end(username, id)}
      >
        {t('pages.end')}
      </Button>
    )),
  ];
  return (
    <Card
      title={t('profile.sessions')}
      isFlush
      end={page.data && <span class="small soft">{t('profile.sessionCount', { n: page.data.total })}</span>}
    >
      <Answer of={page} lines={6}>
        {({ sessions: rows, next_cursor: next }) => (
          <>
            <Table caption={t('profile.sessions')} columns={columns} rows={rows} keyOf={({ id }) => id} />
            <CursorPaging cursors={cursors} next={next} />
          </>
        )}
      </Answer>
    </Card>
  );
}
