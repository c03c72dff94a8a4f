import { TextToCopy } from '../button.tsx';
import { t } from '../text/i18n.ts';
import { ShownOnce } from './shown-once.tsx';

interface PasswordOnceProps {
  readonly title: string;
  readonly username: string;
  readonly password: string;
  readonly onClose: () => void;
}

/** Returns a password that nobody chose: 24 characters out of 56. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** Shows a password that was just set, for the only time. */
export function PasswordOnce({ title, username, password, onClose }: PasswordOnceProps) {
  return (
    <ShownOnce
      title={title}
      warning={t('pages.passwordOnce')}
      about={t('pages.passwordOnceAbout', { name: username })}
      saved={t('pages.passwordSaved')}
      onClose={onClose}
    >
      <TextToCopy text={password} what={t('pages.password')} />
    </ShownOnce>
  );
}
