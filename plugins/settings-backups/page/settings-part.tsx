import { useSignal } from '@preact/signals';
import {
  api,
  ApiError,
  Button,
  Card,
  changed,
  ConfirmDialog,
  ErrorPanel,
  t,
  toast,
  useAddressState,
  useQuery,
} from '../../pages/kit/index.ts';

/** The settings in the backup that is open; nothing where the plugin is off. */
export default function SettingsPart() {
  const [{ backup: id }] = useAddressState('backup');
  const isAsking = useSignal(false);
  const { data, error, reload } = useQuery(`backup settings ${id}`, (signal) =>
    api('GET /api/backups/:id/settings', { params: { id }, signal }),
  );
  if (error !== undefined && !(error instanceof ApiError && error.status === 404))
    return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return null;
  const { saved, problem } = data;
  return (
    <Card title={t('settings-backups.title')}>
      <div class="stack tight">
        <p>{t(saved ? 'settings-backups.about' : 'settings-backups.missing')}</p>
        {problem !== null && <p class="small soft wrap">{problem}</p>}
        {saved && (
          <div>
            <Button isSmall icon="refresh" onClick={() => void (isAsking.value = true)}>
              {t('settings-backups.restore')}
            </Button>
          </div>
        )}
      </div>
      {isAsking.value && <RestoreSettings id={id} onClose={() => void (isAsking.value = false)} />}
    </Card>
  );
}

/** Asks before passwords become those of before. */
function RestoreSettings({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const restore = async () => {
    await api('POST /api/backups/:id/settings/restore', { params: { id } });
    changed();
    toast(t('settings-backups.restoring'));
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('settings-backups.restore')}
      action={t('settings-backups.act')}
      onConfirm={restore}
      onClose={onClose}
    >
      <p>{t('settings-backups.replaces')}</p>
    </ConfirmDialog>
  );
}
