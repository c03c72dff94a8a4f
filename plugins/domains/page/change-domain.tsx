import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, mayUse, t, toast, toUnicode } from '../../pages/kit/index.ts';
import type { Domains } from './room.ts';

type Domain = Domains['domains'][number];

interface ChangeDomainProps {
  readonly domain: Domain;
  readonly onClose: () => void;
}

/** Returns a domain as its owner writes it; another name is never shown in its place. */
export function shownName({ domain_url: name, shown_as: shownAs }: Pick<Domain, 'domain_url' | 'shown_as'>): string {
  const own = toUnicode(name);
  return [own, name].includes(shownAs.normalize('NFC').toLowerCase()) ? shownAs : own;
}

/** The folder and the spelling of a domain, and whether visitors see it. */
export function ChangeDomain({ domain, onClose }: ChangeDomainProps) {
  const name = domain.domain_url;
  const before = shownName(domain);
  const form = useSignal({ docroot: domain.docroot, spelling: before, isSuspended: domain.suspended });
  const set = (change: Partial<typeof form.value>) => void (form.value = { ...form.value, ...change });
  const { docroot, spelling, isSuspended } = form.value;
  const isSame = [toUnicode(name), name].includes(spelling.trim().normalize('NFC').toLowerCase());
  const save = async () => {
    const params = { domain: name };
    if (spelling.trim() !== before)
      await api('PUT /api/domains/:domain/shown-as', { params, body: { shown_as: spelling.trim() } });
    if (docroot.trim() !== domain.docroot)
      await api('PUT /api/domains/:domain/docroot', { params, body: { docroot: docroot.trim() } });
    if (isSuspended !== domain.suspended)
      await api('PUT /api/domains/:domain/suspended', { params, body: { suspended: isSuspended } });
    toast(t('domains.wasChanged', { name: spelling.trim() }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('domains.changeOne', { name: before })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: docroot.trim() === '' || !isSame }}
    >
      <Field
        label={t('domains.folder')}
        hint={t('domains.folderChange')}
        value={docroot}
        onChange={(value) => set({ docroot: value })}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
      />
      {mayUse(['capitalize_domains']) && (
        <Field
          label={t('domains.spelling')}
          hint={t('domains.spellingHint')}
          value={spelling}
          onChange={(value) => set({ spelling: value })}
          fault={isSame ? undefined : t('domains.fault.spelling', { name: toUnicode(name) })}
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
        />
      )}
      <label class="row">
        <input
          type="checkbox"
          checked={isSuspended}
          onChange={(event) => set({ isSuspended: event.currentTarget.checked })}
        />
        <span class="wrap">{t('domains.suspend')}</span>
      </label>
    </Dialog>
  );
}
