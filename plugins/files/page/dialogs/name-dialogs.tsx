import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, t, toast } from '../../../pages/kit/index.ts';
import type { Entry } from '../place.ts';

interface NameProps {
  readonly title: string;
  readonly action: string;
  readonly name?: string;
  readonly onName: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for a name, which the server checks. */
function NameDialog({ title, action, name: before = '', onName, onClose }: NameProps) {
  const typed = useSignal(before);
  const fault = typed.value.includes('/') ? t('files.slash') : undefined;
  const take = async () => {
    await onName(typed.value);
    changed();
    onClose();
  };
  const isDisabled = fault !== undefined || ['', '.', '..', before].includes(typed.value);
  return (
    <Dialog title={title} onClose={onClose} onSubmit={take} submit={{ text: action, isDisabled }}>
      <Field
        label={t('files.name')}
        value={typed.value}
        onChange={(value) => (typed.value = value)}
        fault={fault}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        autoFocus
      />
    </Dialog>
  );
}

interface NewProps {
  readonly folder: string;
  readonly onClose: () => void;
}

export function NewFolder({ folder, onClose }: NewProps) {
  const make = (name: string) => api('POST /api/files/folders', { body: { path: `${folder}/${name}` } });
  return <NameDialog title={t('files.newFolder')} action={t('files.create')} onName={make} onClose={onClose} />;
}

interface RenameProps extends NewProps {
  readonly entry: Entry;
}

export function Rename({ folder, entry, onClose }: RenameProps) {
  const rename = async (from: string, to: string) => {
    await api('POST /api/files/move', { body: { from: `${folder}/${from}`, to: `${folder}/${to}` } });
    changed();
  };
  const take = async (name: string) => {
    await rename(entry.name, name);
    toast(t('files.wasRenamed', { name: entry.name, to: name }), () => rename(name, entry.name));
  };
  return (
    <NameDialog
      title={t('files.renameOne', { name: entry.name })}
      action={t('files.rename')}
      name={entry.name}
      onName={take}
      onClose={onClose}
    />
  );
}
