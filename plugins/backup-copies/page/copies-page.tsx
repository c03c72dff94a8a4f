import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  Empty,
  ofNode,
  PageHead,
  t,
  Table,
  Time,
  toast,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { FetchDialog } from './fetch-dialog.tsx';
import { follow } from './follow.ts';

type Copy = ReplyOf<'GET /api/backup-copies'>['copies'][number];
type Stored = ReplyOf<'GET /api/backup-copies/stored'>['stored'][number];

/** The copies of a node's accounts, and those that are at its remote. */
export default function CopiesPage() {
  const copies = useQuery('backup-copies', (signal) => api('GET /api/backup-copies', { query: ofNode(), signal }));
  return (
    <>
      <PageHead title={t('backup-copies.title')} about={t('backup-copies.about')} />
      <div class="stack">
        <Answer of={copies} lines={8}>
          {({ remote, copies: rows }) => (
            <Card {...(remote !== '' && { title: remote })} isFlush={rows.length > 0}>
              {rows.length === 0 ? (
                <Empty icon="shield" title={t(remote === '' ? 'backup-copies.off' : 'backup-copies.none')}>
                  {t(remote === '' ? 'backup-copies.offAbout' : 'backup-copies.noneAbout')}
                </Empty>
              ) : (
                <Table
                  caption={t('backup-copies.title')}
                  columns={columns()}
                  rows={rows}
                  keyOf={(each) => each.username}
                />
              )}
            </Card>
          )}
        </Answer>
        {copies.data !== undefined && copies.data.remote !== '' && <Stored />}
      </div>
    </>
  );
}

/** Asks the remote when somebody wants to know what it has. */
function Stored() {
  const isLooking = useSignal(false);
  if (isLooking.value) return <StoredCard />;
  return (
    <Card title={t('backup-copies.stored')}>
      <div class="stack">
        <p class="soft">{t('backup-copies.storedAbout')}</p>
        <div>
          <Button icon="search" onClick={() => void (isLooking.value = true)}>
            {t('backup-copies.look')}
          </Button>
        </div>
      </div>
    </Card>
  );
}

function StoredCard() {
  const stored = useQuery('stored-copies', (signal) =>
    api('GET /api/backup-copies/stored', { query: ofNode(), signal }),
  );
  const fetched = useSignal<Stored | undefined>(undefined);
  return (
    <Card title={t('backup-copies.stored')} isFlush>
      <Answer of={stored} lines={6}>
        {({ stored: rows }) => (
          <Table
            caption={t('backup-copies.stored')}
            columns={storedColumns((each) => void (fetched.value = each))}
            rows={rows}
            keyOf={(each) => `${each.name} ${each.stored_at}`}
          />
        )}
      </Answer>
      {fetched.value && <FetchDialog stored={fetched.value} onClose={() => void (fetched.value = undefined)} />}
    </Card>
  );
}

async function copyNow(username: string): Promise<void> {
  const task = await api('POST /api/backup-copies/accounts/:username/copy', { params: { username } });
  toast(t('backup-copies.copying', { name: username }));
  await follow(username, task, t('backup-copies.copied', { name: username }));
}

const columns = (): readonly Column<Copy>[] => [
  { name: 'username', title: t('backup-copies.account'), cell: ({ username }) => <span class="wrap">{username}</span> },
  {
    name: 'copied',
    title: t('backup-copies.last'),
    cell: ({ copied_at: at, problem }) => (
      <span class="stack tight">
        {at === null ? <span class="soft">{t('backup-copies.never')}</span> : <Time at={at} />}
        {problem !== null && (
          <>
            <Badge tone="bad">{t('backup-copies.failed')}</Badge>
            <span class="small soft wrap">{problem}</span>
          </>
        )}
      </span>
    ),
  },
  {
    name: 'newest',
    title: t('backup-copies.newest'),
    cell: ({ newest_at: at }) => (at === null ? <span class="soft">–</span> : <Time at={at} />),
  },
  { name: 'backups', title: t('backup-copies.backups'), isEnd: true, cell: ({ backups }) => backups },
  actionsColumn(({ username }) => (
    <Button
      isSmall
      label={t('backup-copies.copyOne', { name: username })}
      onClick={() => attempt(() => copyNow(username))}
    >
      {t('backup-copies.copy')}
    </Button>
  )),
];

const storedColumns = (fetch: (stored: Stored) => void): readonly Column<Stored>[] => [
  {
    name: 'username',
    title: t('backup-copies.account'),
    cell: ({ username, name }) => (
      <span class="stack tight">
        <span class="wrap">{username}</span>
        <span class="small soft wrap">{name}</span>
      </span>
    ),
  },
  { name: 'stored', title: t('backup-copies.last'), cell: ({ stored_at: at }) => <Time at={at} /> },
  actionsColumn((stored) => (
    <Button isSmall label={t('backup-copies.fetchOne', { name: stored.username })} onClick={() => fetch(stored)}>
      {t('backup-copies.fetch')}
    </Button>
  )),
];
