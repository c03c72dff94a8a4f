import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  bytes,
  Card,
  CursorPaging,
  Empty,
  FilterInput,
  number,
  ofNode,
  PageHead,
  Parts,
  t,
  Table,
  Time,
  useAddressState,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Row = ReplyOf<'GET /api/account-backups'>['accounts'][number];

const PAGE_ACCOUNTS = 50;
const TONES = { failed: 'bad', unreadable: 'bad', none: 'warn', late: 'warn', good: 'good', off: undefined } as const;

/** How the backups of a node's accounts do; those that need somebody come first. */
export default function OverviewPage() {
  const [{ q }, set] = useAddressState('q');
  const cursors = useSignal<readonly string[]>(['']);
  const query = { ...ofNode(), q, limit: PAGE_ACCOUNTS, cursor: cursors.value.at(-1) ?? '' };
  const listing = useQuery(`backup-overview ${JSON.stringify(query)}`, (signal) =>
    api('GET /api/account-backups', { query, signal }),
  );
  const search = (text: string) => {
    set({ q: text });
    cursors.value = [''];
  };
  return (
    <>
      <PageHead title={t('backup-overview.title')} about={t('backup-overview.about')} />
      <div class="stack">
        <FilterInput label={t('backup-overview.search')} value={q} onChange={search} />
        <Answer of={listing} lines={8}>
          {({ accounts, total, troubled, next_cursor: next }) => (
            <Card title={summary(total, troubled)} isFlush={accounts.length > 0}>
              {accounts.length === 0 ? (
                <Empty icon="shield" title={t('backup-overview.none')} />
              ) : (
                <>
                  <Table
                    caption={t('backup-overview.title')}
                    columns={columns()}
                    rows={accounts}
                    keyOf={({ username }) => username}
                  />
                  <CursorPaging cursors={cursors} next={next} />
                </>
              )}
            </Card>
          )}
        </Answer>
        <Parts of="/account-backups" />
      </div>
    </>
  );
}

const summary = (total: number, troubled: number): string =>
  `${t('backup-overview.accounts', { n: total })} · ${t('backup-overview.troubled', { n: troubled })}`;

const columns = (): readonly Column<Row>[] => [
  {
    name: 'username',
    title: t('backup-overview.account'),
    cell: ({ username }) => (
      <a class="wrap" href={`/console/accounts/${encodeURIComponent(username)}`}>
        {username}
      </a>
    ),
  },
  { name: 'state', title: t('backup-overview.state'), cell: (row) => <State row={row} /> },
  {
    name: 'schedule',
    title: t('backup-overview.schedule'),
    cell: ({ schedule, is_by_plan: isByPlan }) => (
      <span class="stack tight">
        {t(`backup-overview.${schedule as 'off' | 'daily' | 'weekly'}`)}
        {isByPlan && <span class="small soft">{t('backup-overview.byPlan')}</span>}
      </span>
    ),
  },
  {
    name: 'newest',
    title: t('backup-overview.newest'),
    cell: ({ newest_at: at }) => (at === null ? <span class="soft">–</span> : <Time at={at} />),
  },
  { name: 'kept', title: t('backup-overview.kept'), isEnd: true, cell: ({ kept }) => number(kept) },
  {
    name: 'room',
    title: t('backup-overview.room'),
    isEnd: true,
    cell: ({ size_bytes: size, limit_bytes: limit }) => (
      <span class="number">{limit === 0 ? bytes(size) : `${bytes(size)} / ${bytes(limit)}`}</span>
    ),
  },
  {
    name: 'checked',
    title: t('backup-overview.checked'),
    cell: ({ checked_at: at }) => (at === null ? <span class="soft">–</span> : <Time at={at} />),
  },
];

/** Says how they do, with why the last try or the last check failed. */
function State({ row: { state, problem, check_problem: checkProblem } }: { readonly row: Row }) {
  const tone = TONES[state as keyof typeof TONES];
  return (
    <span class="stack tight">
      <span>
        <Badge {...(tone !== undefined && { tone })}>{t(`backup-overview.is.${state as keyof typeof TONES}`)}</Badge>
      </span>
      {[problem, checkProblem].map((text, i) => text !== null && <Problem key={i} text={text} />)}
    </span>
  );
}

const Problem = ({ text }: { readonly text: string }) => <span class="small soft wrap">{text}</span>;
