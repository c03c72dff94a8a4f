import type { Signal } from '@preact/signals';
import { Choices, Field, t } from '../../index.ts';

const PLACES = ['here', 'address', 'anywhere'] as const;

/** Where a user connects from, as people choose it; the address is that of `place: 'address'`. */
export interface FromWhere {
  readonly place: (typeof PLACES)[number];
  readonly address: string;
}

/** An IPv4 address, or the beginning of one and all that begin so. */
const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const RANGE = /^(?:\d{1,3}\.){1,3}%$/;

/** Returns the host for the server; `undefined` for that of the account's applications. */
export const hostIn = ({ place, address }: FromWhere): string | undefined =>
  place === 'here' ? undefined : place === 'anywhere' ? '%' : address.trim();

/** Whether what is chosen can be sent; the server decides. */
export function isUsable({ place, address }: FromWhere): boolean {
  const typed = address.trim();
  if (place !== 'address' || RANGE.test(typed)) return true;
  if (IPV4.test(typed)) return typed.split('.').every((part) => Number(part) <= 255);
  return typed.includes(':') && URL.canParse(`http://[${typed}]/`);
}

/** Asks where a user connects from. */
export function FromWhereField({ from }: { readonly from: Signal<FromWhere> }) {
  const { place, address } = from.value;
  return (
    <>
      <div class="field">
        <span>{t('pages.db.connectsFrom')}</span>
        <Choices
          label={t('pages.db.connectsFrom')}
          of={PLACES.map((each) => [each, t(`pages.db.from.${each}`)] as const)}
          value={place}
          onChange={(next) => (from.value = { place: next, address })}
        />
      </div>
      {place === 'address' && (
        <Field
          label={t('pages.db.address')}
          hint={t('pages.db.addressHint')}
          value={address}
          onChange={(next) => (from.value = { place, address: next })}
          fault={address.trim() === '' || isUsable(from.value) ? undefined : t('pages.db.fault.address')}
          maxLength={255}
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {place === 'anywhere' && <p class="small">{t('pages.db.anywhereAbout')}</p>}
    </>
  );
}
