import type { Signal } from '@preact/signals';
import { Field, t } from '../index.ts';

interface NameFieldProps {
  readonly name: Signal<string>;
  readonly prefix: string;
  readonly fault: string | undefined;
}

/** Returns what is wrong with a name as far as a browser can tell while it is typed; the server decides. */
export function faultIn(name: string, prefix: string, taken: readonly string[]): string | undefined {
  if (name !== '' && !/^[a-z0-9_]+$/.test(name)) return t('pages.db.fault.name');
  return taken.includes(`${prefix}${name}`) ? t('pages.db.fault.taken') : undefined;
}

/** Asks for the name of a database or user, and shows it with the prefix of the account. */
export function NameField({ name, prefix, fault }: NameFieldProps) {
  const typed = name.value.trim();
  return (
    <Field
      label={t('pages.db.name')}
      hint={t('pages.db.nameHint', { name: `${prefix}${typed === '' || fault !== undefined ? '…' : typed}` })}
      value={name.value}
      onChange={(next) => (name.value = next)}
      fault={fault}
      maxLength={64}
      autocapitalize="none"
      autocomplete="off"
      spellcheck={false}
      autoFocus
    />
  );
}
