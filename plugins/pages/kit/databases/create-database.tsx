import { useSignal } from '@preact/signals';
import { Dialog, t, toast } from '../index.ts';
import type { DatabaseEngine, ListedDatabases } from './engine.ts';
import { faultIn, NameField } from './name-field.tsx';

interface CreateDatabaseProps {
  readonly engine: DatabaseEngine;
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CreateDatabase({ engine, databases: { databases, prefix }, onClose, onDone }: CreateDatabaseProps) {
  const name = useSignal('');
  const typed = name.value.trim();
  const taken = databases.map((each) => each.name);
  const fault = faultIn(typed, prefix, taken);
  const create = async () => {
    const made = await engine.create(typed);
    toast(t('pages.db.wasCreated', { name: made.name }));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t('pages.db.create')}
      onClose={onClose}
      onSubmit={create}
      submit={{ text: t('pages.db.create'), isDisabled: typed === '' || fault !== undefined }}
    >
      <NameField name={name} prefix={prefix} fault={fault} />
    </Dialog>
  );
}
