import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Card,
  CursorPaging,
  Empty,
  FilterInput,
  ofNode,
  PageHead,
  t,
  Table,
  useAddressState,
  useQuery,
  useRefresh,
} from '../../pages/kit/index.ts';
import { columns, ORDERS, type Pool } from './columns.tsx';
import { RestartDialog } from './restart-dialog.tsx';
import { Sums } from './sums.tsx';

const PAGE_POOLS = 50;
const REFRESH_MS = 5000;

/** The pools of PHP of the accounts of a node, with their sums. */
export default function PoolsPage() {
  const [{ q, sort: given }, set] = useAddressState('q', 'sort');
  const cursors = useSignal<readonly string[]>(['']);
  const restarting = useSignal<Pool | undefined>(undefined);
  const sort = ORDERS.find((each) => each === given) ?? 'memory';
  const query = { ...ofNode(), q, sort, limit: PAGE_POOLS, cursor: cursors.value.at(-1) ?? '' };
  const listing = useQuery(`php-pools ${JSON.stringify(query)}`, (signal) =>
    api('GET /api/php-pools', { query, signal }),
  );
  useRefresh(listing, REFRESH_MS);
  const choose = (next: { readonly q?: string; readonly sort?: string }) => {
    set(next);
    cursors.value = [''];
  };
  return (
    <>
      <PageHead title={t('php-pools.title')} about={t('php-pools.about')} />
      {listing.data === undefined && listing.error?.code === 'feature_unavailable' ? (
        <Missing />
      ) : (
        <div class="stack">
          {listing.data && <Sums of={listing.data.sums} />}
          <FilterInput label={t('php-pools.search')} value={q} onChange={(text) => choose({ q: text })} />
          <Answer of={listing} lines={8}>
            {({ pools, total, next_cursor: next }) => (
              <Card title={t('php-pools.found', { n: total })} isFlush={pools.length > 0}>
                {pools.length === 0 ? (
                  <Empty icon="window" title={t(q === '' ? 'php-pools.none' : 'php-pools.noneFound')}>
                    {q === '' ? t('php-pools.noneAbout') : undefined}
                  </Empty>
                ) : (
                  <>
                    <Table
                      caption={t('php-pools.title')}
                      columns={columns((pool) => void (restarting.value = pool))}
                      rows={pools}
                      keyOf={({ username, pool }) => `${username} ${pool}`}
                      server={{
                        order: { by: sort, isDescending: sort !== 'name' },
                        onSort: ({ by }) => choose({ sort: by }),
                      }}
                    />
                    <CursorPaging cursors={cursors} next={next} />
                  </>
                )}
              </Card>
            )}
          </Answer>
        </div>
      )}
      {restarting.value && (
        <RestartDialog pool={restarting.value} onClose={() => void (restarting.value = undefined)} />
      )}
    </>
  );
}

/** Says what to install where there is no PHP-FPM. */
const Missing = () => (
  <Card>
    <Empty icon="puzzle" title={t('php-pools.missing')}>
      {t('php-pools.missingAbout')} <code>apt-get install php-fpm</code>
    </Empty>
  </Card>
);
