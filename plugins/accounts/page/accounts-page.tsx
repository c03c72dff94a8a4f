import { useSignal, type Signal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Button,
  Card,
  changed,
  CursorPaging,
  Empty,
  ErrorPanel,
  FilterInput,
  NodeFilter,
  PageHead,
  Select,
  t,
  Table,
  toast,
  useAddressState,
  useQuery,
  useRefresh,
  type Column,
} from '../../pages/kit/index.ts';
import { AddAccount } from './add-account.tsx';
import { chosenColumns, ColumnsDialog, showsFigures, type ListedAccount } from './account-columns.tsx';
import { exportAccounts } from './account-export.ts';
import { BulkDialog, type BulkAction } from './bulk-dialog.tsx';
import { readPlans } from './plans.ts';

const PAGE_ACCOUNTS = 50;
/** About as often as the server samples what accounts use. */
const REFRESH_MS = 10_000;
const STATES = ['', 'active', 'suspended', 'over', 'admin'] as const;

export default function AccountsPage() {
  const [{ q, plan, state, node, sort }, setState] = useAddressState('q', 'plan', 'state', 'node', 'sort');
  const cursors = useSignal<readonly string[]>(['']);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const dialog = useSignal<'add' | 'columns' | BulkAction | undefined>(undefined);
  const isExporting = useSignal(false);
  const set: typeof setState = (next) => {
    setState(next);
    cursors.value = [''];
    chosen.value = new Set();
  };
  const filter = {
    ...(q !== '' && { q }),
    ...(plan !== '' && { plan }),
    ...(node !== '' && { node }),
    ...(state === 'admin' && { role: 'admin' as const }),
    ...(state === 'over' && { over: true }),
    ...(['active', 'suspended'].includes(state) && { suspended: state === 'suspended' }),
    ...(sort !== '' && { sort: sort as 'username' }),
  };
  const isLive = showsFigures();
  const cursor = cursors.value.at(-1) ?? '';
  const query = { ...filter, limit: PAGE_ACCOUNTS, usage: isLive, ...(cursor !== '' && { cursor }) };
  const page = useQuery(JSON.stringify(query), (signal) => api('GET /api/accounts', { query, signal }));
  // who is over a limit is looked for, at length
  useRefresh({ reload: () => void (isLive && state !== 'over' && page.reload()) }, REFRESH_MS);
  const plans = useQuery('plans', readPlans);
  const names = plans.data?.plans.map(({ name }) => name) ?? [];
  const close = () => void (dialog.value = undefined);
  const exportAll = async () => {
    isExporting.value = true;
    await attempt(async () => toast(t('accounts.exported', { n: await exportAccounts(filter) })));
    isExporting.value = false;
  };
  return (
    <>
      <PageHead title={t('accounts.accounts')} about={t('accounts.accountsAbout')}>
        <Button icon="grid" onClick={() => void (dialog.value = 'columns')}>
          {t('accounts.columns')}
        </Button>
        <Button icon="download" isBusy={isExporting.value} onClick={exportAll}>
          {t('accounts.export')}
        </Button>
        <Button
          kind="primary"
          icon="plus"
          isDisabled={plans.data === undefined}
          onClick={() => void (dialog.value = 'add')}
        >
          {t('accounts.addAccount')}
        </Button>
      </PageHead>
      {plans.data === undefined && plans.error !== undefined && (
        <ErrorPanel error={plans.error} onRetry={plans.reload} />
      )}
      <Card isFlush>
        <div class="card-head">
          <FilterInput label={t('accounts.searchAccounts')} value={q} onChange={(text) => set({ q: text })} />
          <div class="row">
            <Select
              label={t('accounts.plan')}
              isLabelHidden
              value={plan}
              of={[['', t('accounts.allPlans')], ...names.map((name) => [name, name] as const)]}
              onChange={(next) => set({ plan: next })}
            />
            <Select
              label={t('accounts.state')}
              isLabelHidden
              value={state}
              of={STATES.map(
                (each) => [each, t(each === '' ? 'accounts.allStates' : `accounts.filter.${each}`)] as const,
              )}
              onChange={(next) => set({ state: next })}
            />
            <NodeFilter value={node} onChange={(next) => set({ node: next })} />
            {page.data && state !== 'over' && (
              <span class="small soft">{t('accounts.accountCount', { n: page.data.total })}</span>
            )}
          </div>
        </div>
        {chosen.value.size > 0 && <BulkBar chosen={chosen} onAction={(action) => void (dialog.value = action)} />}
        <Answer of={page} lines={8}>
          {({ accounts, next_cursor: next }) => (
            <>
              <Accounts rows={accounts} chosen={chosen} sort={sort} onSort={(by) => set({ sort: by })} />
              <CursorPaging cursors={cursors} next={next} />
            </>
          )}
        </Answer>
      </Card>
      {dialog.value === 'add' && plans.data && <AddAccount plans={plans.data} onClose={close} />}
      {dialog.value === 'columns' && <ColumnsDialog onClose={close} />}
      {(dialog.value === 'suspend' || dialog.value === 'unsuspend' || dialog.value === 'plan') && (
        <BulkDialog action={dialog.value} names={[...chosen.value]} plans={names} onClose={close} />
      )}
    </>
  );
}

function BulkBar(props: {
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly onAction: (action: BulkAction) => void;
}) {
  const n = props.chosen.value.size;
  return (
    <div class="bulk-bar" role="group" aria-label={t('accounts.chosen', { n })}>
      <span>{t('accounts.chosen', { n })}</span>
      <Button isSmall onClick={() => props.onAction('plan')}>
        {t('accounts.action.plan')}
      </Button>
      <Button isSmall onClick={() => props.onAction('suspend')}>
        {t('accounts.suspend')}
      </Button>
      <Button isSmall onClick={() => props.onAction('unsuspend')}>
        {t('accounts.unsuspend')}
      </Button>
      <Button isSmall kind="plain" onClick={() => void (props.chosen.value = new Set())}>
        {t('accounts.chooseNone')}
      </Button>
    </div>
  );
}

async function setSuspended({ username }: ListedAccount, isSuspended: boolean): Promise<void> {
  const params = { username };
  if (isSuspended) await api('POST /api/accounts/:username/suspend', { params });
  else await api('POST /api/accounts/:username/unsuspend', { params });
  changed();
}

/** Suspends at once, because it can be undone at once. */
function toggle(account: ListedAccount): Promise<void> {
  const isSuspended = !account.suspended;
  return attempt(async () => {
    await setSuspended(account, isSuspended);
    toast(t(isSuspended ? 'accounts.wasSuspended' : 'accounts.wasUnsuspended', { name: account.username }), () =>
      setSuspended(account, !isSuspended),
    );
  });
}

interface AccountsProps {
  readonly rows: readonly ListedAccount[];
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function Accounts({ rows, chosen, sort, onSort }: AccountsProps) {
  if (rows.length === 0) return <Empty icon="users" title={t('pages.nothingFound')} />;
  const areAll = rows.every(({ username }) => chosen.value.has(username));
  const choose = (names: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen.value);
    for (const name of names)
      if (isChosen) next.add(name);
      else next.delete(name);
    chosen.value = next;
  };
  const columns: readonly Column<ListedAccount>[] = [
    {
      name: 'choose',
      title: '',
      head: (
        <input
          type="checkbox"
          class="choose"
          aria-label={t('accounts.chooseAll')}
          checked={areAll}
          onChange={() =>
            choose(
              rows.map(({ username }) => username),
              !areAll,
            )
          }
        />
      ),
      cell: ({ username }) => (
        <input
          type="checkbox"
          class="choose"
          aria-label={t('accounts.chooseOne', { name: username })}
          checked={chosen.value.has(username)}
          onChange={(event) => choose([username], event.currentTarget.checked)}
        />
      ),
    },
    ...chosenColumns(),
    actionsColumn((account) => (
      <Button
        isSmall
        label={t(account.suspended ? 'accounts.unsuspendOne' : 'accounts.suspendOne', { name: account.username })}
        onClick={() => toggle(account)}
      >
        {t(account.suspended ? 'accounts.unsuspend' : 'accounts.suspend')}
      </Button>
    )),
  ];
  const order = { by: sort.replace('-', '') || 'username', isDescending: sort.startsWith('-') };
  return (
    <Table
      caption={t('accounts.accounts')}
      columns={columns}
      rows={rows}
      keyOf={({ user_id: id }) => id}
      server={{ order, onSort: ({ by, isDescending }) => onSort(`${isDescending ? '-' : ''}${by}`) }}
    />
  );
}
