import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Button,
  Card,
  changed,
  dateTime,
  Empty,
  IconButton,
  Meter,
  number,
  PageHead,
  Parts,
  sizeColumn,
  t,
  Table,
  Time,
  useAddressState,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import { Browse } from './browse.tsx';
import { Databases, RestoreDatabase, type DatabaseOf } from './databases.tsx';
import { RemoveBackup, Restore, type RestoreWhat } from './dialogs.tsx';
import type { Backup, Backups } from './replies.ts';
import { ScheduleCard } from './schedule-card.tsx';
import { TaskList } from './task-list.tsx';

type Shown = { readonly remove: Backup } | { readonly restore: RestoreWhat } | { readonly restoreDatabase: DatabaseOf };

export default function BackupsPage() {
  const [{ backup, folder }, set] = useAddressState('backup', 'folder');
  const shown = useSignal<Shown | undefined>(undefined);
  const listing = useQuery('backups', (signal) => api('GET /api/backups', { signal }));
  const close = () => void (shown.value = undefined);
  const begin = async () => {
    await api('POST /api/backups');
    changed();
  };
  return (
    <>
      <PageHead title={t('backups.title')} about={t('backups.about')}>
        <Button kind="primary" icon="plus" onClick={() => attempt(begin)}>
          {t('backups.make')}
        </Button>
      </PageHead>
      <div class="stack">
        <TaskList />
        <Answer of={listing} lines={6}>
          {(all) => {
            const open = all.backups.find(({ id }) => id === backup);
            if (open !== undefined)
              return (
                <>
                  <Browse
                    backup={open}
                    folder={folder}
                    onFolder={(next) => set({ backup: open.id, folder: next })}
                    onLeave={() => set({ backup: '', folder: '' })}
                    onRestore={(path) => void (shown.value = { restore: { backup: open, path } })}
                  />
                  {folder === '' && (
                    <>
                      <Databases
                        backup={open}
                        onRestore={(database) => void (shown.value = { restoreDatabase: { backup: open, database } })}
                      />
                      <Parts of="/backups/open" />
                    </>
                  )}
                </>
              );
            return (
              <Overview
                all={all}
                onOpen={({ id }) => set({ backup: id, folder: '' })}
                onShow={(next) => void (shown.value = next)}
              />
            );
          }}
        </Answer>
      </div>
      {shown.value !== undefined && 'remove' in shown.value && (
        <RemoveBackup backup={shown.value.remove} onClose={close} />
      )}
      {shown.value !== undefined && 'restoreDatabase' in shown.value && (
        <RestoreDatabase what={shown.value.restoreDatabase} onClose={close} />
      )}
      {shown.value !== undefined && 'restore' in shown.value && <Restore what={shown.value.restore} onClose={close} />}
    </>
  );
}

interface OverviewProps {
  readonly all: Backups;
  readonly onOpen: (backup: Backup) => void;
  readonly onShow: (shown: Shown) => void;
}

function Overview({ all, onOpen, onShow }: OverviewProps) {
  return (
    <>
      <Card isFlush>
        {all.backups.length === 0 ? (
          <Empty icon="shield" title={t('backups.none')}>
            {t('backups.noneAbout')}
          </Empty>
        ) : (
          <Table
            caption={t('backups.title')}
            columns={columns(onOpen, onShow)}
            rows={all.backups}
            keyOf={({ id }) => id}
            sortedBy="made"
            isDescending
          />
        )}
      </Card>
      <ScheduleCard schedule={all.schedule} most={all.kept_limit}>
        <Meter label={t('backups.room')} used={all.repository_bytes} limit={all.limit_bytes} isBytes />
      </ScheduleCard>
      <Parts of="/backups" />
    </>
  );
}

function columns(onOpen: OverviewProps['onOpen'], onShow: OverviewProps['onShow']): readonly Column<Backup>[] {
  return [
    {
      name: 'made',
      title: t('backups.made'),
      by: ({ created_at: at }) => at,
      cell: ({ created_at: at, is_scheduled: isScheduled, left_out: n }) => (
        <span class="stack tight">
          <Time at={at} />
          <span class="small soft">
            {t(isScheduled ? 'backups.bySchedule' : 'backups.byHand')}
            {n > 0 && ` · ${t('backups.leftOut', { n })}`}
          </span>
        </span>
      ),
    },
    {
      name: 'files',
      title: t('backups.files'),
      by: ({ files }) => files,
      cell: ({ files }) => <span class="number">{number(files)}</span>,
    },
    sizeColumn('size', t('backups.size'), ({ size_bytes: size }) => size),
    actionsColumn((backup) => {
      const at = dateTime(new Date(backup.created_at));
      return (
        <span class="row nowrap">
          <Button isSmall icon="folder" label={t('backups.openOne', { at })} onClick={() => onOpen(backup)}>
            {t('backups.open')}
          </Button>
          <Button
            isSmall
            icon="refresh"
            label={t('backups.restoreAll', { at })}
            onClick={() => onShow({ restore: { backup, path: '' } })}
          >
            {t('backups.restore')}
          </Button>
          <IconButton
            isBad
            icon="trash"
            label={t('backups.removeOne', { at })}
            onClick={() => onShow({ remove: backup })}
          />
        </span>
      );
    }),
  ];
}
