import {
  actionsColumn,
  Answer,
  api,
  at,
  attempt,
  Button,
  Card,
  Empty,
  PageHead,
  Parts,
  sendRemoval,
  t,
  Table,
  timeColumn,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Lock = ReplyOf<'GET /api/locks'>['locks'][number];

/** Who is logged in at the moment, and who is kept out. */
export default function LocksPage() {
  return (
    <>
      <PageHead title={t('login.sessionsAndLocks')} about={t('login.sessionsAndLocksAbout')} />
      <div class="stack">
        <Locks />
        <Parts of="/sessions" />
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
    timeColumn('until', t('login.lockedUntil'), (row) => row.until, { isRelative: true }),
    actionsColumn((lock) => (
      <Button
        isSmall
        label={t('login.unlockOne', { name: nameOf(lock) })}
        onClick={() =>
          run(
            () => sendRemoval('DELETE /api/locks/:key', { params: { key: lock.key } }),
            t('login.unlocked', { name: nameOf(lock) }),
            locks.reload,
          )
        }
      >
        {t('login.unlock')}
      </Button>
    )),
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
