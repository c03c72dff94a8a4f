import { useSignal } from '@preact/signals';
import { api, changed, ConfirmDialog, Dialog, sendRemoval, t, toast } from '../../pages/kit/index.ts';
import { FolderField, KeyField } from './add-login.tsx';
import type { Secret } from './replies.ts';
import type { Opened } from './login-table.tsx';

interface LoginDialogProps {
  readonly opened: Opened;
  readonly onClose: () => void;
  readonly onSecret: (secret: Secret) => void;
}

export function LoginDialog({ opened: { dialog, login }, onClose, onSecret }: LoginDialogProps) {
  const text = useSignal(dialog === 'move' ? login.folder : '');
  const params = { login: login.login };
  const done = (message: string) => {
    toast(message);
    changed();
    onClose();
  };
  const field = { value: text.value, onChange: (next: string) => void (text.value = next) };
  if (dialog === 'move')
    return (
      <Dialog
        title={t('sftp.moveOne', params)}
        onClose={onClose}
        submit={{ text: t('sftp.move') }}
        onSubmit={async () => {
          await api('PATCH /api/sftp/logins/:login', { params, body: { folder: text.value.trim() } });
          done(t('sftp.wasMoved', params));
        }}
      >
        <FolderField {...field} />
      </Dialog>
    );
  if (dialog === 'key')
    return (
      <Dialog
        title={t('sftp.addKeyOne', params)}
        onClose={onClose}
        submit={{ text: t('sftp.addKey'), isDisabled: text.value.trim() === '' }}
        onSubmit={async () => {
          await api('POST /api/sftp/logins/:login/keys', { params, body: { public_key: text.value.trim() } });
          done(t('sftp.keyWasAdded', params));
        }}
      >
        <KeyField {...field} />
      </Dialog>
    );
  if (dialog === 'password')
    return (
      <ConfirmDialog
        title={t('sftp.renewOne', params)}
        action={t('sftp.renew')}
        onClose={onClose}
        onConfirm={async () => onSecret(await api('POST /api/sftp/logins/:login/password', { params }))}
      >
        <p>{t('sftp.renewAbout')}</p>
      </ConfirmDialog>
    );
  return (
    <ConfirmDialog
      title={t('sftp.removeOne', params)}
      action={t('sftp.remove')}
      onClose={onClose}
      onConfirm={async () => {
        await sendRemoval('DELETE /api/sftp/logins/:login', { params });
        done(t('sftp.wasRemoved', params));
      }}
    >
      <p>{t('sftp.removeAbout')}</p>
    </ConfirmDialog>
  );
}
