import { useSignal } from '@preact/signals';
import { api, toAscii, Dialog, Field, Panel, t, toast, toUnicode } from '../../pages/kit/index.ts';
import { isBeyondLimit, roomText, type Domains } from './room.ts';

interface AddDomainProps {
  readonly domains: Domains;
  /** The account for which an administrator adds it; the own one unless given. */
  readonly username?: string;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

const LABEL = /^[a-z0-9_\p{L}\p{N}]([-a-z0-9_\p{L}\p{N}\p{M}]{0,61}[a-z0-9\p{L}\p{N}\p{M}])?$/u;

/** Returns what is wrong with a name as far as a browser can tell while it is typed; the server decides. */
function faultOf(name: string, domains: Domains): string | undefined {
  if (name === '') return undefined;
  if (/^https?:|\//.test(name)) return t('domains.fault.url');
  if (/\s/.test(name)) return t('domains.fault.space');
  const ascii = toAscii(name);
  if (domains.domains.some(({ domain_url: each }) => each === ascii)) return t('domains.fault.known');
  const labels = name.split('.');
  if (labels.length < 2 || labels.at(-1) === '') return t('domains.fault.short');
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return t('domains.fault.name');
  return isBeyondLimit(ascii, domains) ? t('domains.fault.limit', { n: domains.domains_limit }) : undefined;
}

export function AddDomain({ domains, username, onClose, onAdded }: AddDomainProps) {
  const name = useSignal('');
  const folder = useSignal('');
  const hasLeft = useSignal(false);
  const typed = name.value.trim().toLowerCase();
  const fault = faultOf(typed, domains);
  const add = async () => {
    const docroot = folder.value.trim();
    const body = { domain_url: typed, ...(docroot !== '' && { docroot }) };
    const added = await (username === undefined
      ? api('POST /api/domains/new', { body })
      : api('POST /api/accounts/:username/domains', { params: { username }, body }));
    toast(t('domains.wasAdded', { name: toUnicode(added.domain_url) }));
    onAdded();
    onClose();
  };
  return (
    <Dialog
      title={t('domains.add')}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('domains.add'), isDisabled: typed === '' || fault !== undefined }}
    >
      <p class="soft">{roomText(domains)}</p>
      <div onFocusOut={() => void (hasLeft.value = true)}>
        <Field
          label={t('domains.domain')}
          hint={t('domains.nameHint')}
          value={name.value}
          onChange={(next) => (name.value = next)}
          fault={hasLeft.value || typed.length > 3 ? fault : undefined}
          inputMode="url"
          autocapitalize="none"
          autocomplete="off"
          spellcheck={false}
          autoFocus
        />
      </div>
      <Field
        label={t('domains.folderOptional')}
        hint={t('domains.folderHint', { folder: typed === '' || fault !== undefined ? '…' : toAscii(typed) })}
        value={folder.value}
        onChange={(next) => (folder.value = next)}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
      />
      {username === undefined && (
        <Panel icon="info" title={t('domains.dns')}>
          <p class="soft">{t('domains.dnsAbout')}</p>
        </Panel>
      )}
    </Dialog>
  );
}
