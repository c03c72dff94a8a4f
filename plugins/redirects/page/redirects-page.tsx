import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  Button,
  Card,
  changed,
  ConfirmDialog,
  Empty,
  IconButton,
  PageHead,
  sendRemoval,
  t,
  Table,
  timeColumn,
  toast,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { AddRedirect } from './add-redirect.tsx';
import { MainAddresses } from './main-addresses.tsx';

type Redirect = ReplyOf<'GET /api/redirects'>['redirects'][number];

const fromOf = ({ domain_url: name, path, match }: Redirect) =>
  `${toUnicode(name)}${match === 'prefix' ? `${path.replace(/\/$/, '')}/…` : path}`;

export default function RedirectsPage() {
  const dialog = useSignal<'add' | Redirect | undefined>(undefined);
  const redirects = useQuery('redirects', (signal) => api('GET /api/redirects', { signal }));
  const close = () => void (dialog.value = undefined);
  const shown = dialog.value;
  return (
    <>
      <PageHead title={t('redirects.title')} about={t('redirects.about')}>
        <Button kind="primary" icon="plus" onClick={() => void (dialog.value = 'add')}>
          {t('redirects.add')}
        </Button>
      </PageHead>
      <div class="stack">
        <Card title={t('redirects.paths')} isFlush>
          <Answer of={redirects} lines={5}>
            {({ redirects: all }) => (
              <RedirectTable all={all} onRemove={(redirect) => void (dialog.value = redirect)} />
            )}
          </Answer>
        </Card>
        <MainAddresses />
      </div>
      {shown === 'add' && <AddRedirect onClose={close} onAdded={changed} />}
      {typeof shown === 'object' && <RemoveRedirect redirect={shown} onClose={close} />}
    </>
  );
}

interface RedirectTableProps {
  readonly all: readonly Redirect[];
  readonly onRemove: (redirect: Redirect) => void;
}

function RedirectTable({ all, onRemove }: RedirectTableProps) {
  if (all.length === 0)
    return (
      <Empty icon="send" title={t('redirects.none')}>
        {t('redirects.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Redirect>[] = [
    { name: 'from', title: t('redirects.from'), by: fromOf, cell: (each) => <code class="wrap">{fromOf(each)}</code> },
    {
      name: 'target',
      title: t('redirects.target'),
      by: ({ target }) => target,
      cell: ({ target }) => <code class="wrap">{target}</code>,
    },
    { name: 'status', title: t('redirects.kind'), by: ({ status }) => status, cell: ({ status }) => status },
    timeColumn('added', t('redirects.added'), ({ created_at: at }) => at),
    actionsColumn((redirect) => (
      <IconButton
        isBad
        icon="trash"
        label={t('redirects.removeOne', { from: fromOf(redirect) })}
        onClick={() => onRemove(redirect)}
      />
    )),
  ];
  return (
    <Table
      caption={t('redirects.title')}
      columns={columns}
      rows={all}
      keyOf={({ redirect_id: id }) => id}
      sortedBy="from"
    />
  );
}

function RemoveRedirect({ redirect, onClose }: { readonly redirect: Redirect; readonly onClose: () => void }) {
  const from = fromOf(redirect);
  const remove = async () => {
    await sendRemoval('DELETE /api/redirects/:id', { params: { id: String(redirect.redirect_id) } });
    toast(t('redirects.wasRemoved', { from }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('redirects.removeOne', { from })}
      action={t('redirects.remove')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('redirects.goes')}</p>
    </ConfirmDialog>
  );
}
