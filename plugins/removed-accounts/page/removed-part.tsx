import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Badge,
  Button,
  bytes,
  Card,
  changed,
  ConfirmDialog,
  ErrorPanel,
  ofNode,
  sendRemoval,
  t,
  Table,
  Time,
  toast,
  type Column,
} from '../../pages/kit/index.ts';
import { isOff, useRemoved, type Removed } from './list.ts';
import { RestoreDialog } from './restore-dialog.tsx';

type Open = { readonly what: 'restore' | 'remove'; readonly account: Removed };

/** The removed accounts of a node that can be restored; nothing while there are none. */
export default function RemovedPart() {
  const { data, error, reload } = useRemoved();
  const open = useSignal<Open | undefined>(undefined);
  if (error !== undefined && !isOff(error)) return <ErrorPanel error={error} onRetry={reload} />;
  const close = () => void (open.value = undefined);
  if (data === undefined || (data.accounts.length === 0 && open.value === undefined)) return null;
  return (
    <Card title={t('removed-accounts.title')} isFlush>
      <Table
        caption={t('removed-accounts.title')}
        columns={columns((next) => void (open.value = next))}
        rows={data.accounts}
        keyOf={({ name }) => name}
      />
      {open.value?.what === 'restore' && <RestoreDialog account={open.value.account} onClose={close} />}
      {open.value?.what === 'remove' && <RemoveDialog account={open.value.account} onClose={close} />}
    </Card>
  );
}

function RemoveDialog({
  account: { name, username, gone_at: goneAt },
  onClose,
}: {
  readonly account: Removed;
  readonly onClose: () => void;
}) {
  const remove = async () => {
    await sendRemoval('DELETE /api/removed-accounts/:name', { params: { name }, query: ofNode() });
    toast(t('removed-accounts.removed', { name: username }));
    changed();
    onClose();
  };
  const title = t('removed-accounts.removeOne', { name: username });
  return (
    <ConfirmDialog
      title={title}
      action={t('removed-accounts.remove')}
      name={username}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t(goneAt === null ? 'removed-accounts.removeUnpurged' : 'removed-accounts.removeAbout')}</p>
    </ConfirmDialog>
  );
}

const columns = (open: (next: Open) => void): readonly Column<Removed>[] => [
  {
    name: 'username',
    title: t('removed-accounts.account'),
    cell: ({ username, is_restoring: isRestoring }) => (
      <span class="stack tight">
        <span class="wrap">{username}</span>
        {isRestoring && (
          <span>
            <Badge>{t('removed-accounts.restoring')}</Badge>
          </span>
        )}
      </span>
    ),
  },
  { name: 'removed', title: t('removed-accounts.removedAt'), cell: ({ removed_at: at }) => <Time at={at} /> },
  {
    name: 'newest',
    title: t('removed-accounts.newest'),
    cell: ({ backups: [newest] }) =>
      newest === undefined ? <span class="soft">–</span> : <Time at={newest.created_at} />,
  },
  { name: 'room', title: t('removed-accounts.room'), isEnd: true, cell: ({ size_bytes: size }) => bytes(size) },
  {
    name: 'gone',
    title: t('removed-accounts.goneAt'),
    cell: ({ gone_at: at }) =>
      at === null ? <span class="soft">{t('removed-accounts.purge')}</span> : <Time at={at} />,
  },
  actionsColumn((account) => (
    <span class="row">
      <Button
        isSmall
        label={t('removed-accounts.restoreOne', { name: account.username })}
        onClick={() => open({ what: 'restore', account })}
      >
        {t('removed-accounts.restore')}
      </Button>
      <Button
        isSmall
        label={t('removed-accounts.removeOne', { name: account.username })}
        onClick={() => open({ what: 'remove', account })}
      >
        {t('removed-accounts.remove')}
      </Button>
    </span>
  )),
];
