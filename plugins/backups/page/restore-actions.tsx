import { Button, IconButton, t } from '../../pages/kit/index.ts';

interface RestoreActionsProps {
  readonly name: string;
  /** Absent for what cannot be downloaded. */
  readonly onSave: (() => void) | undefined;
  readonly onRestore: () => void;
}

/** Offers to download and to restore one thing of a backup. */
export function RestoreActions({ name, onSave, onRestore }: RestoreActionsProps) {
  return (
    <span class="row nowrap">
      {onSave !== undefined && <IconButton icon="download" label={t('backups.saveOne', { name })} onClick={onSave} />}
      <Button isSmall icon="refresh" label={t('backups.restoreEntry', { name })} onClick={onRestore}>
        {t('backups.restore')}
      </Button>
    </span>
  );
}
