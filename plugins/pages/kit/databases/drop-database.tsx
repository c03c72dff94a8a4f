import { ConfirmDialog, t, toast } from '../index.ts';
import type { DatabaseEngine } from './engine.ts';

interface DropDatabaseProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for the name, because nothing brings the contents back. */
export function DropDatabase({ engine, name, onClose, onDone }: DropDatabaseProps) {
  const drop = async () => {
    await engine.drop(name);
    toast(t('pages.db.wasDropped', { name }));
    onDone();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('pages.db.dropOne', { name })}
      action={t('pages.db.drop')}
      name={name}
      onConfirm={drop}
      onClose={onClose}
    >
      <p>{t('pages.db.dropAbout')}</p>
    </ConfirmDialog>
  );
}
