import { api, ConfirmDialog, t, toast } from '../../pages/kit/index.ts';

interface DropDatabaseProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for the name, because nothing brings the contents back. */
export function DropDatabase({ name, onClose, onDone }: DropDatabaseProps) {
  const drop = async () => {
    await api('DELETE /api/databases/:database', { params: { database: name } });
    toast(t('mysql.wasDropped', { name }));
    onDone();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('mysql.dropOne', { name })}
      action={t('mysql.drop')}
      name={name}
      onConfirm={drop}
      onClose={onClose}
    >
      <p>{t('mysql.dropAbout')}</p>
    </ConfirmDialog>
  );
}
