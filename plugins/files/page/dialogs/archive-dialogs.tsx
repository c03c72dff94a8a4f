import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, lastName, Select, t } from '../../../pages/kit/index.ts';
import { ARCHIVE, type Entry } from '../place.ts';

interface ArchiveProps {
  readonly folder: string;
  readonly onClose: () => void;
}

const FORMATS = ['zip', 'tar.gz', 'tar.zst'] as const;

/** Packs entries into an archive beside them; the list of long work then says how far it is. */
export function Compress({ folder, entries, onClose }: ArchiveProps & { readonly entries: readonly Entry[] }) {
  const [first] = entries;
  const name = useSignal(entries.length === 1 ? (first?.name ?? '') : lastName(folder));
  const format = useSignal<(typeof FORMATS)[number]>('zip');
  const pack = async () => {
    const paths = entries.map((each) => `${folder}/${each.name}`);
    const to = `${folder}/${name.value}.${format.value}`;
    await api('POST /api/files/compress', { body: { paths, to, format: format.value } });
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('files.compressSome', { n: entries.length, name: first?.name ?? '' })}
      onClose={onClose}
      onSubmit={pack}
      submit={{ text: t('files.act.compress'), isDisabled: !isName(name.value) }}
    >
      <NameField label={t('files.archiveName')} value={name.value} onChange={(value) => (name.value = value)} />
      <Select
        label={t('files.format')}
        value={format.value}
        of={FORMATS.map((each) => [each, each])}
        onChange={(value) => (format.value = value as typeof format.value)}
      />
    </Dialog>
  );
}

/** Unpacks an archive into a new folder beside it. */
export function Extract({ folder, entry, onClose }: ArchiveProps & { readonly entry: Entry }) {
  const name = useSignal(entry.name.replace(ARCHIVE, ''));
  const unpack = async () => {
    await api('POST /api/files/extract', {
      body: { from: `${folder}/${entry.name}`, to: `${folder}/${name.value}` },
    });
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('files.extractOne', { name: entry.name })}
      onClose={onClose}
      onSubmit={unpack}
      submit={{ text: t('files.act.extract'), isDisabled: !isName(name.value) }}
    >
      <NameField label={t('files.extractTo')} value={name.value} onChange={(value) => (name.value = value)} />
    </Dialog>
  );
}

const isName = (name: string): boolean => !name.includes('/') && !['', '.', '..'].includes(name);

interface NameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function NameField({ label, value, onChange }: NameFieldProps) {
  const fault = value.includes('/') ? t('files.slash') : undefined;
  return (
    <Field
      label={label}
      value={value}
      onChange={onChange}
      fault={fault}
      autocapitalize="none"
      autocomplete="off"
      spellcheck={false}
      autoFocus
    />
  );
}
