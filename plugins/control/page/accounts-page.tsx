import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  Answer,
  api,
  at,
  Badge,
  Button,
  Card,
  changed,
  Empty,
  PageHead,
  SearchInput,
  Select,
  t,
  Table,
  Time,
  toast,
  toastError,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { AddAccount } from './add-account.tsx';

type Account = ReplyOf<'GET /api/accounts'>['accounts'][number];

const REST_MS = 200;
const PAGE_ACCOUNTS = 100;

export default function AccountsPage() {
  const typed = useSignal('');
  const filter = useSignal({ q: '', plan: '', state: '' });
  const cursors = useSignal<readonly string[]>(['']);
  const isAdding = useSignal(false);
  const set = (next: Partial<typeof filter.value>) => {
    filter.value = { ...filter.value, ...next };
    cursors.value = [''];
  };
  useEffect(() => {
    if (typed.value.trim() === filter.value.q) return;
    const timer = setTimeout(() => set({ q: typed.value.trim() }), REST_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const { q, plan, state } = filter.value;
  const cursor = cursors.value.at(-1) ?? '';
  const query = {
    limit: PAGE_ACCOUNTS,
    ...(cursor !== '' && { cursor }),
    ...(q !== '' && { q }),
    ...(plan !== '' && { plan }),
    ...(state === 'admin' && { role: 'admin' as const }),
    ...(['active', 'suspended'].includes(state) && { suspended: state === 'suspended' }),
  };
  const page = useQuery(JSON.stringify(query), (signal) => api('GET /api/accounts', { query, signal }));
  const plans = useQuery('plans', (signal) => api('GET /api/plans', { query: { limit: 500 }, signal }));
  const names = plans.data?.plans.map(({ name }) => name) ?? [];
  return (
    <>
      <PageHead title={t('control.accounts')} about={t('control.accountsAbout')}>
        <Button kind="primary" icon="plus" onClick={() => void (isAdding.value = true)}>
          {t('control.addAccount')}
        </Button>
      </PageHead>
      <Card isFlush>
        <div class="card-head">
          <SearchInput
            label={t('control.searchAccounts')}
            value={typed.value}
            onChange={(text) => (typed.value = text)}
          />
          <div class="row">
            <Select
              label={t('control.plan')}
              isLabelHidden
              value={plan}
              of={[['', t('control.allPlans')], ...names.map((name) => [name, name] as const)]}
              onChange={(next) => set({ plan: next })}
            />
            <Select
              label={t('control.state')}
              isLabelHidden
              value={state}
              of={(['', 'active', 'suspended', 'admin'] as const).map(
                (each) => [each, t(`control.filter.${each || 'all'}`)] as const,
              )}
              onChange={(next) => set({ state: next })}
            />
            {page.data && <span class="small soft">{t('control.accountCount', { n: page.data.total })}</span>}
          </div>
        </div>
        <Answer of={page} lines={8}>
          {({ accounts, next_cursor: next }) => (
            <>
              <Accounts rows={accounts} />
              {(cursors.value.length > 1 || next !== null) && (
                <div class="table-foot">
                  <Button
                    isSmall
                    isDisabled={cursors.value.length === 1}
                    onClick={() => void (cursors.value = cursors.value.slice(0, -1))}
                  >
                    {t('pages.previous')}
                  </Button>
                  <Button
                    isSmall
                    isDisabled={next === null}
                    onClick={() => void (cursors.value = [...cursors.value, next ?? ''])}
                  >
                    {t('pages.next')}
                  </Button>
                </div>
              )}
            </>
          )}
        </Answer>
      </Card>
      {isAdding.value && <AddAccount plans={names} onClose={() => void (isAdding.value = false)} />}
    </>
  );
}

async function setSuspended({ username }: Account, isSuspended: boolean): Promise<void> {
  const params = { username };
  if (isSuspended) await api('POST /api/accounts/:username/suspend', { params });
  else await api('POST /api/accounts/:username/unsuspend', { params });
  changed();
}

/** Suspends at once, because it can be undone at once. */
async function toggle(account: Account): Promise<void> {
  const isSuspended = !account.suspended;
  try {
    await setSuspended(account, isSuspended);
    toast(t(isSuspended ? 'control.wasSuspended' : 'control.wasUnsuspended', { name: account.username }), () =>
      setSuspended(account, !isSuspended),
    );
  } catch (error) {
    toastError(error);
  }
}

const COLUMNS = (): readonly Column<Account>[] => [
  {
    name: 'name',
    title: t('pages.username'),
    by: ({ username }) => username,
    cell: ({ username, email }) => (
      <span class="stack tight">
        <a href={at(`/accounts/${username}`)}>{username}</a>
        {email !== '' && <span class="small soft wrap">{email}</span>}
      </span>
    ),
  },
  {
    name: 'plan',
    title: t('control.plan'),
    by: ({ plan, role }) => plan ?? role,
    cell: ({ plan, role }) =>
      role === 'admin' ? <Badge tone="accent">{t('control.admin')}</Badge> : (plan ?? t('control.noPlan')),
  },
  {
    name: 'state',
    title: t('control.state'),
    by: ({ suspended }) => Number(suspended),
    cell: ({ suspended }) => (
      <Badge tone={suspended ? 'bad' : 'good'}>{t(suspended ? 'control.suspended' : 'control.active')}</Badge>
    ),
  },
  {
    name: 'created',
    title: t('control.created'),
    by: (row) => row.created_at,
    cell: (row) => <Time at={row.created_at} />,
  },
  {
    name: 'actions',
    title: '',
    isEnd: true,
    cell: (account) => (
      <Button
        isSmall
        label={t(account.suspended ? 'control.unsuspendOne' : 'control.suspendOne', { name: account.username })}
        onClick={() => toggle(account)}
      >
        {t(account.suspended ? 'control.unsuspend' : 'control.suspend')}
      </Button>
    ),
  },
];

function Accounts({ rows }: { readonly rows: readonly Account[] }) {
  if (rows.length === 0) return <Empty icon="users" title={t('pages.nothingFound')} />;
  return (
    <Table
      caption={t('control.accounts')}
      columns={COLUMNS()}
      rows={rows}
      keyOf={({ user_id: id }) => id}
      sortedBy="name"
    />
  );
}
