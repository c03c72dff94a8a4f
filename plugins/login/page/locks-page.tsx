import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  ask,
  attempt,
  at,
  Badge,
  Button,
  Card,
  CursorPaging,
  Empty,
  PageHead,
  t,
  Table,
  Time,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { describeDevice } from './device.ts';

type Lock = ReplyOf<'GET /api/locks'>['locks'][number];
type AnySession = ReplyOf<'GET /api/sessions'>['sessions'][number];

const PAGE_SESSIONS = 100;

/** Who is logged in at the moment, and who is kept out. */
export default function LocksPage() {
  return (
    <>
      <PageHead title={t('login.sessionsAndLocks')} about={t('login.sessionsAndLocksAbout')} />
      <div class="stack">
        <Locks />
        <AllSessions />
      </div>
    </>
  );
}

function run(act: () => Promise<unknown>, text: string, reload: () => void): Promise<void> {
  return attempt(async () => {
    await act();
    toast(text);
    reload();
  });
}

function Locks() {
  const locks = useQuery('locks', (signal) => api('GET /api/locks', { signal }));
  const nameOf = ({ username, network }: Lock) => username ?? network ?? t('login.unknownName');
  const columns: readonly Column<Lock>[] = [
    {
      name: 'who',
      title: t('login.lockedWho'),
      by: nameOf,
      cell: (lock) => (
        <span class="stack tight">
          {lock.username === null ? (
            <span class="wrap">{nameOf(lock)}</span>
          ) : (
            <a href={at(`/accounts/${encodeURIComponent(lock.username)}`)}>{lock.username}</a>
          )}
          <span class="small soft wrap">{t(`login.lock.${lock.kind}`, { network: lock.network ?? '' })}</span>
        </span>
      ),
    },
    {
      name: 'failures',
      title: t('login.failures'),
      isEnd: true,
      by: (row) => row.failures,
      cell: (row) => row.failures,
    },
    {
      name: 'until',
      title: t('login.lockedUntil'),
      by: (row) => row.until,
      cell: (row) => <Time at={row.until} isRelative />,
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: (lock) => (
        <Button
          isSmall
          label={t('login.unlockOne', { name: nameOf(lock) })}
          onClick={() =>
            run(
              () => api('DELETE /api/locks/:key', { params: { key: lock.key } }),
              t('login.unlocked', { name: nameOf(lock) }),
              locks.reload,
            )
          }
        >
          {t('login.unlock')}
        </Button>
      ),
    },
  ];
  return (
    <Card
      title={t('login.locks')}
      isFlush
      end={
        <Button isSmall icon="refresh" isBusy={locks.isLoading} onClick={locks.reload}>
          {t('login.refresh')}
        </Button>
      }
    >
      <Answer of={locks}>
        {({ locks: rows }) =>
          rows.length === 0 ? (
            <Empty icon="lock" title={t('login.noLocks')}>
              {t('login.noLocksAbout')}
            </Empty>
          ) : (
            <Table caption={t('login.locks')} columns={columns} rows={rows} keyOf={({ key }) => key} />
          )
        }
      </Answer>
    </Card>
  );
}

function AllSessions() {
  const cursors = useSignal<readonly string[]>(['']);
  const cursor = cursors.value.at(-1) ?? '';
  const query = { limit: PAGE_SESSIONS, ...(cursor !== '' && { cursor }) };
  const page = useQuery(`all sessions ${cursor}`, (signal) => api('GET /api/sessions', { query, signal }));
  const columns: readonly Column<AnySession>[] = [
    {
      name: 'account',
      title: t('pages.username'),
      by: ({ username }) => username,
      cell: ({ username, role, opened_by: by, current }) => (
        <span class="row">
          <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a>
          {role === 'admin' && <Badge tone="accent">{t('login.admin')}</Badge>}
          {by !== null && <Badge tone="warn">{t('login.openedBy', { name: by })}</Badge>}
          {current && <Badge tone="good">{t('login.thisDevice')}</Badge>}
        </span>
      ),
    },
    { name: 'ip', title: t('login.address'), by: ({ ip }) => ip, cell: ({ ip }) => <span class="wrap">{ip}</span> },
    {
      name: 'device',
      title: t('login.device'),
      by: (row) => describeDevice(row.user_agent),
      cell: (row) => <span title={row.user_agent}>{describeDevice(row.user_agent)}</span>,
    },
    {
      name: 'begun',
      title: t('login.begun'),
      by: (row) => row.created_at,
      cell: (row) => <Time at={row.created_at} isRelative />,
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: ({ id, username, current }) => (
        <Button
          isSmall
          kind="plain"
          isBad
          isDisabled={current}
          label={t('login.endOne', { name: username })}
          onClick={() =>
            run(
              () => ask('DELETE', `/api/accounts/${encodeURIComponent(username)}/sessions/${encodeURIComponent(id)}`),
              t('login.sessionEnded', { name: username }),
              page.reload,
            )
          }
        >
          {t('login.end')}
        </Button>
      ),
    },
  ];
  return (
    <Card
      title={t('login.sessions')}
      isFlush
      end={page.data && <span class="small soft">{t('login.sessionCount', { n: page.data.total })}</span>}
    >
      <Answer of={page} lines={6}>
        {({ sessions: rows, next_cursor: next }) => (
          <>
            <Table caption={t('login.sessions')} columns={columns} rows={rows} keyOf={({ id }) => id} />
            <CursorPaging cursors={cursors} next={next} />
          </>
        )}
      </Answer>
    </Card>
  );
}
