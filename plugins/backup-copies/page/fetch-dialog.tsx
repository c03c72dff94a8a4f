import { useSignal } from '@preact/signals';
import { api, attempt, Dialog, Field, t, toast, type ReplyOf } from '../../pages/kit/index.ts';
import { follow } from './follow.ts';

interface FetchDialogProps {
  readonly stored: ReplyOf<'GET /api/backup-copies/stored'>['stored'][number];
  readonly onClose: () => void;
}

/** Fetches a copy as the backups of an account. */
export function FetchDialog({ stored: { name, username: owner }, onClose }: FetchDialogProps) {
  const account = useSignal(owner);
  const replace = useSignal(false);
  const submit = async () => {
    const username = account.value.trim();
    const task = await api('POST /api/backup-copies/accounts/:username/fetch', {
      params: { username },
      body: { name, replace: replace.value },
    });
    toast(t('backup-copies.fetching'));
    onClose();
    void attempt(() => follow(username, task, t('backup-copies.fetched', { name: username })));
  };
  return (
    <Dialog
      title={t('backup-copies.fetchOne', { name: owner })}
      onClose={onClose}
      onSubmit={submit}
      submit={{ text: t('backup-copies.fetch'), isDisabled: account.value.trim() === '' }}
    >
      <p class="soft">{t('backup-copies.fetchAbout')}</p>
      <Field
        label={t('backup-copies.account')}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        value={account.value}
        onChange={(value) => void (account.value = value)}
      />
      <label class="row">
        <input
          type="checkbox"
          checked={replace.value}
          onChange={({ currentTarget }) => void (replace.value = currentTarget.checked)}
        />
        <span>{t('backup-copies.replace')}</span>
      </label>
    </Dialog>
  );
}
