import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  changed,
  dateTime,
  Dialog,
  Field,
  ofNode,
  parseTime,
  PasswordOnce,
  randomPassword,
  Select,
  t,
  toast,
} from '../../pages/kit/index.ts';
import { follow } from './follow.ts';
import type { Removed } from './list.ts';

interface RestoreDialogProps {
  readonly account: Removed;
  readonly onClose: () => void;
}

/** Begins to restore an account, and shows its new password once. */
export function RestoreDialog({ account, onClose }: RestoreDialogProps) {
  const { name, backups, gone_at: goneAt } = account;
  const [username, plan] = [useSignal(goneAt === null ? '' : account.username), useSignal(account.plan ?? '')];
  const backup = useSignal(backups[0]?.id ?? '');
  const shown = useSignal<string | undefined>(undefined);
  const restore = async () => {
    const password = randomPassword();
    const chosen = { username: username.value.trim(), plan: plan.value.trim() || null, backup: backup.value };
    const task = await api('POST /api/removed-accounts/:name/restore', {
      params: { name },
      query: ofNode(),
      body: { ...chosen, password },
    });
    toast(t('removed-accounts.begun', { name: chosen.username }));
    shown.value = password;
    changed();
    void attempt(() => follow(name, task));
  };
  if (shown.value !== undefined)
    return (
      <PasswordOnce
        title={t('removed-accounts.passwordOf', { name: username.value.trim() })}
        username={username.value.trim()}
        password={shown.value}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={t('removed-accounts.restoreOne', { name: account.username })}
      onClose={onClose}
      onSubmit={restore}
      submit={{ text: t('removed-accounts.restore'), isDisabled: username.value.trim() === '' }}
    >
      <p class="soft">{t('removed-accounts.restoreAbout')}</p>
      <Select
        label={t('removed-accounts.backup')}
        value={backup.value}
        of={backups.map(({ id, created_at: at }) => [id, dateTime(parseTime(at))] as const)}
        onChange={(next) => (backup.value = next)}
      />
      <Field
        label={t('pages.username')}
        hint={goneAt === null ? t('removed-accounts.nameHint', { name: account.username }) : ''}
        value={username.value}
        onChange={(text) => (username.value = text)}
        maxLength={32}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <Field
        label={t('removed-accounts.plan')}
        hint={t('removed-accounts.planHint')}
        value={plan.value}
        onChange={(text) => (plan.value = text)}
        maxLength={64}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
    </Dialog>
  );
}
