import { useSignal } from '@preact/signals';
import { api, changed, Choices, Dialog, Field, mayUse, t, toast } from '../../pages/kit/index.ts';
import type { Secret } from './replies.ts';

interface AddLoginProps {
  readonly prefix: string;
  readonly onClose: () => void;
  /** Called where a password was made, which must be shown. */
  readonly onMade: (secret: Secret) => void;
}

const PLAIN = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;
const NAME = /^[a-z0-9][a-z0-9_-]{0,23}$/;

export function AddLogin({ prefix, onClose, onMade }: AddLoginProps) {
  const [name, folder, key] = [useSignal(''), useSignal(''), useSignal('')];
  const by = useSignal<'password' | 'key'>('password');
  const isByKey = by.value === 'key';
  const typed = name.value.trim();
  const isFaulty = typed !== '' && !NAME.test(typed);
  const add = async () => {
    const made = await api('POST /api/sftp/logins', {
      body: { name: typed, folder: folder.value.trim(), ...(isByKey && { public_key: key.value.trim() }) },
    });
    if (made.password !== null) return onMade(made);
    toast(t('sftp.wasAdded', { login: made.login.login }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('sftp.add')}
      onClose={onClose}
      onSubmit={add}
      submit={{
        text: t('sftp.add'),
        isDisabled: typed === '' || isFaulty || (isByKey && key.value.trim() === ''),
      }}
    >
      <Field
        {...PLAIN}
        autoFocus
        label={t('sftp.name')}
        hint={t('sftp.nameHint', { name: `${prefix}${typed === '' || isFaulty ? '…' : typed}` })}
        fault={isFaulty ? t('sftp.nameFault') : undefined}
        maxLength={24}
        value={name.value}
        onChange={(next) => (name.value = next)}
      />
      <FolderField value={folder.value} onChange={(next) => (folder.value = next)} />
      {mayUse(['ssh_keys']) && (
        <Choices
          label={t('sftp.by')}
          of={[
            ['password', t('pages.password')],
            ['key', t('sftp.key')],
          ]}
          value={by.value}
          onChange={(next) => (by.value = next)}
        />
      )}
      {isByKey && <KeyField value={key.value} onChange={(next) => (key.value = next)} />}
    </Dialog>
  );
}

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FolderField(props: FieldProps) {
  return (
    <Field
      {...PLAIN}
      {...props}
      label={t('sftp.folder')}
      hint={t('sftp.folderHint')}
      maxLength={4096}
      placeholder="/var/www/html"
    />
  );
}

export function KeyField(props: FieldProps) {
  return (
    <Field
      {...PLAIN}
      {...props}
      label={t('sftp.key')}
      hint={t('sftp.keyHint')}
      maxLength={8192}
      placeholder="ssh-ed25519 …"
    />
  );
}
