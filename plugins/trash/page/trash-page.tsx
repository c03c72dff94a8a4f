import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Button,
  bytes,
  Card,
  changed,
  ConfirmDialog,
  Empty,
  Icon,
  IconButton,
  lastName,
  parentFolder,
  Parts,
  t,
  TabbedHead,
  Table,
  timeColumn,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { restore } from './removal.ts';

type Removed = ReplyOf<'GET /api/files/trash'>['removed'][number];

export default function TrashPage() {
  const trash = useQuery('trash', (signal) => api('GET /api/files/trash', { signal }));
  /** Those that shall go for good. */
  const going = useSignal<Removed | 'all' | undefined>(undefined);
  return (
    <>
      <TabbedHead of="/files">
        {/* also while none are listed: the rest of what was being removed is not */}
        <Button icon="trash" isDisabled={trash.data === undefined} onClick={() => void (going.value = 'all')}>
          {t('trash.empty')}
        </Button>
      </TabbedHead>
      <div class="stack">
        <Parts of="/files/trash" />
        <Card isFlush>
          <Answer of={trash} lines={5}>
            {({ removed, kept_days: days }) => (
              <>
                <div class="card-head">
                  <p class="soft">{t('trash.kept', { n: days })}</p>
                </div>
                {removed.length === 0 ? (
                  <Empty icon="trash" title={t('trash.noTrash')} />
                ) : (
                  <Table
                    caption={t('trash.title')}
                    columns={columns((one) => void (going.value = one))}
                    rows={removed}
                    keyOf={({ id }) => id}
                    sortedBy="removed"
                    isDescending
                  />
                )}
              </>
            )}
          </Answer>
        </Card>
      </div>
      {going.value !== undefined && <ForGood what={going.value} onClose={() => void (going.value = undefined)} />}
    </>
  );
}

function columns(onForGood: (one: Removed) => void): readonly Column<Removed>[] {
  return [
    {
      name: 'name',
      title: t('trash.name'),
      by: ({ path }) => lastName(path),
      cell: ({ path, kind }) => (
        <span class="entry-name">
          <Icon name={kind === 'folder' ? 'folder' : 'file'} />
          <span class="wrap">{lastName(path)}</span>
        </span>
      ),
    },
    {
      name: 'from',
      title: t('trash.from'),
      by: ({ path }) => parentFolder(path),
      cell: ({ path }) => <code class="wrap">{parentFolder(path)}</code>,
    },
    {
      name: 'size',
      title: t('trash.size'),
      by: ({ size_bytes: size }) => size,
      cell: ({ kind, size_bytes: size }) => kind === 'file' && <span class="number">{bytes(size)}</span>,
    },
    timeColumn('removed', t('trash.removedAt'), ({ removed_at: at }) => at),
    actionsColumn((one) => (
      <span class="row nowrap">
        <Button
          isSmall
          label={t('trash.restoreOne', { name: lastName(one.path) })}
          onClick={() => attempt(() => restore([one]))}
        >
          {t('trash.restore')}
        </Button>
        <IconButton
          isBad
          icon="trash"
          label={t('trash.forGoodOne', { name: lastName(one.path) })}
          onClick={() => onForGood(one)}
        />
      </span>
    )),
  ];
}

function ForGood({ what, onClose }: { readonly what: Removed | 'all'; readonly onClose: () => void }) {
  const isAll = what === 'all';
  const empty = async () => {
    await api('POST /api/files/trash/empty', { body: { ids: isAll ? null : [what.id] } });
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={isAll ? t('trash.empty') : t('trash.forGoodOne', { name: lastName(what.path) })}
      action={t('trash.forGood')}
      onConfirm={empty}
      onClose={onClose}
    >
      <p>{t('trash.forGoodAbout')}</p>
    </ConfirmDialog>
  );
}
