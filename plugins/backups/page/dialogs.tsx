import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  ConfirmDialog,
  dateTime,
  Dialog,
  Field,
  lastName,
  sendRemoval,
  t,
  toast,
} from '../../pages/kit/index.ts';
import type { Backup } from './replies.ts';

export interface RestoreWhat {
  readonly backup: Backup;
  /** Empty for all. */
  readonly path: string;
}

/** Asks where restored files go: to their place, or to a new name beside. */
export function Restore({ what: { backup, path }, onClose }: { what: RestoreWhat; onClose: () => void }) {
  const isBeside = useSignal(false);
  const to = useSignal(`${path === '' ? '' : `${path.replace(/^\//, '')}-`}${backup.created_at.slice(0, 10)}`);
  const restore = async () => {
    const body = { path, to: isBeside.value ? to.value.trim() : null };
    await api('POST /api/backups/:id/restore', { params: { id: backup.id }, body });
    changed();
    toast(t('backups.restoring'));
    onClose();
  };
  const choice = (isThis: boolean, text: string) => (
    <label class="row">
      <input
        type="radio"
        name="place"
        checked={isBeside.value === isThis}
        onChange={() => void (isBeside.value = isThis)}
      />
      <span class="wrap">{text}</span>
    </label>
  );
  const name = path === '' ? t('backups.all') : lastName(path);
  return (
    <Dialog
      title={t('backups.restoreOne', { name, at: dateTime(new Date(backup.created_at)) })}
      onClose={onClose}
      onSubmit={restore}
      submit={{ text: t('backups.restore'), isDisabled: isBeside.value && to.value.trim() === '' }}
    >
      {choice(false, t('backups.inPlace'))}
      {choice(true, t('backups.beside'))}
      {isBeside.value && (
        <Field
          label={t('backups.to')}
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
          hint={t('backups.toHint')}
          value={to.value}
          onChange={(value) => void (to.value = value)}
        />
      )}
    </Dialog>
  );
}

export function RemoveBackup({ backup, onClose }: { readonly backup: Backup; readonly onClose: () => void }) {
  const at = dateTime(new Date(backup.created_at));
  const remove = async () => {
    await sendRemoval('DELETE /api/backups/:id', { params: { id: backup.id } });
    toast(t('backups.wasRemoved', { at }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('backups.removeOne', { at })}
      action={t('backups.remove')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('backups.goes')}</p>
    </ConfirmDialog>
  );
}
