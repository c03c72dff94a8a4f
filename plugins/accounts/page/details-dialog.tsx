import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, language, Select, session, t, toast } from '../../pages/kit/index.ts';
import type { Account } from './account/account.ts';

interface DetailsDialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Changes where the owner of an account is written to, and in which language. */
export function DetailsDialog({ account, onClose }: DetailsDialogProps) {
  const { username } = account;
  const [email, locale] = [useSignal(account.email), useSignal(account.locale)];
  const body = { email: email.value.trim(), locale: locale.value };
  const change = async () => {
    await api('PATCH /api/accounts/:username', { params: { username }, body });
    toast(t('accounts.wasChanged', { name: username }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('accounts.editOne', { name: username })}
      onClose={onClose}
      onSubmit={change}
      submit={{
        text: t('pages.save'),
        isDisabled: body.email === account.email && body.locale === account.locale,
      }}
    >
      <Field
        label={t('accounts.email')}
        value={email.value}
        onChange={(text) => (email.value = text)}
        autocomplete="off"
      />
      <Select
        label={t('pages.language')}
        value={locale.value}
        of={(session.value?.locales ?? [locale.value]).map((each) => [each, languageName(each)] as const)}
        onChange={(next) => (locale.value = next)}
      />
    </Dialog>
  );
}

/** Returns what a language is called in the language of the page. */
export const languageName = (locale: string): string =>
  new Intl.DisplayNames([language.value], { type: 'language' }).of(locale) ?? locale;
