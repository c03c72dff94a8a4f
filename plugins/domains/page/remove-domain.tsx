import { useSignal } from '@preact/signals';
import { ConfirmDialog, sendRemoval, t, toast, toUnicode } from '../../pages/kit/index.ts';

interface Domain {
  readonly domain_url: string;
  readonly docroot: string;
}
interface RemoveDomainProps {
  readonly domain: Domain;
  readonly all: readonly Domain[];
  /** The account from which an administrator removes it; the own one unless given. */
  readonly username?: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** Says what goes and what stays, before a domain is removed. */
export function RemoveDomain({ domain, all, username, onClose, onRemoved }: RemoveDomainProps) {
  const name = domain.domain_url;
  const shown = toUnicode(name);
  const below = all.filter((each) => each.domain_url.endsWith(`.${name}`));
  const takesAll = useSignal(false);
  const remove = async () => {
    const more = takesAll.value ? { with_subdomains: true } : {};
    await (username === undefined
      ? sendRemoval('POST /api/domains/delete', { body: { domain_url: name, ...more } })
      : sendRemoval('DELETE /api/accounts/:username/domains/:domain', {
          params: { username, domain: name },
          query: more,
        }));
    toast(t('domains.wasRemoved', { name: shown }));
    onRemoved();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('domains.removeOne', { name: shown })}
      action={t('domains.remove')}
      name={shown}
      orName={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('domains.goes')}</p>
      <p class="wrap">{t('domains.stays', { folder: domain.docroot })}</p>
      {below.length > 0 && (
        <label class="row">
          <input
            type="checkbox"
            checked={takesAll.value}
            onChange={(event) => void (takesAll.value = event.currentTarget.checked)}
          />
          <span class="wrap">{t('domains.withBelow', { n: below.length })}</span>
        </label>
      )}
    </ConfirmDialog>
  );
}
