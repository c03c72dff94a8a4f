import type { Signal } from '@preact/signals';
import { Field, PasswordField } from './field.tsx';
import { t } from '../text/i18n.ts';

interface CredentialProps {
  readonly value: Signal<string>;
  readonly label?: string;
  readonly hint?: string;
  readonly autoFocus?: boolean;
}

/** Asks for the password of the own account. */
export function CurrentPassword({ value, label, ...rest }: CredentialProps) {
  return (
    <PasswordField
      {...rest}
      label={label ?? t('pages.password')}
      value={value.value}
      onChange={(text) => (value.value = text)}
      autocomplete="current-password"
    />
  );
}

/** Asks for a code of the second factor; from the app only, where a recovery code does not count. */
export function SecondFactor({ value, hint, isFromApp, ...rest }: CredentialProps & { readonly isFromApp?: boolean }) {
  return (
    <Field
      {...rest}
      {...(isFromApp === true && { inputMode: 'numeric' as const })}
      label={t('pages.code')}
      hint={hint ?? t('pages.codeHint')}
      value={value.value}
      onChange={(text) => (value.value = text)}
      autocomplete="one-time-code"
    />
  );
}
