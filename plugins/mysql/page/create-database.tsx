import { useSignal } from '@preact/signals';
import { api, Dialog, t, toast, type ReplyOf } from '../../pages/kit/index.ts';
import { faultIn, NameField } from './name-field.tsx';

interface CreateDatabaseProps {
  readonly databases: ReplyOf<'GET /api/databases'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CreateDatabase({ databases: { databases, prefix }, onClose, onDone }: CreateDatabaseProps) {
  const name = useSignal('');
  const typed = name.value.trim();
  const fault = faultIn(typed, prefix, databases);
  const create = async () => {
    const made = await api('POST /api/databases', { body: { name: typed } });
    toast(t('mysql.wasCreated', { name: made.name }));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t('mysql.create')}
      onClose={onClose}
      onSubmit={create}
      submit={{ text: t('mysql.create'), isDisabled: typed === '' || fault !== undefined }}
    >
      <NameField name={name} prefix={prefix} fault={fault} />
    </Dialog>
  );
}
