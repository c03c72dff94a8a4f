import { useSignal } from '@preact/signals';
import { api, Dialog, Field, Panel, t, toast } from '../../pages/kit/index.ts';

interface AddDomainProps {
  readonly known: readonly { readonly domain_url: string }[];
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

const LABEL = /^[a-z0-9_\p{L}\p{N}]([-a-z0-9_\p{L}\p{N}\p{M}]{0,61}[a-z0-9\p{L}\p{N}\p{M}])?$/u;

/** Returns what is wrong with a name as far as a browser can tell while it is typed; the server decides. */
export function faultOf(name: string, known: readonly { readonly domain_url: string }[]): string | undefined {
  if (name === '') return undefined;
  if (/^https?:|\//.test(name)) return t('domains.fault.url');
  if (/\s/.test(name)) return t('domains.fault.space');
  if (known.some(({ domain_url: each }) => each === name)) return t('domains.fault.known');
  const labels = name.split('.');
  if (labels.length < 2 || labels.at(-1) === '') return t('domains.fault.short');
  return name.length > 253 || !labels.every((label) => LABEL.test(label)) ? t('domains.fault.name') : undefined;
}

export function AddDomain({ known, onClose, onAdded }: AddDomainProps) {
  const name = useSignal('');
  const folder = useSignal('');
  const hasLeft = useSignal(false);
  const typed = name.value.trim().toLowerCase();
  const fault = faultOf(typed, known);
  const add = async () => {
    const docroot = folder.value.trim();
    const added = await api('POST /api/domains/new', {
      body: { domain_url: typed, ...(docroot !== '' && { docroot }) },
    });
    toast(t('domains.wasAdded', { name: added.domain_url }));
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
        hint={t('domains.folderHint', { folder: typed === '' ? '…' : typed })}
        value={folder.value}
        onChange={(next) => (folder.value = next)}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
      />
      <Panel icon="info" title={t('domains.dns')}>
        <p class="soft">{t('domains.dnsAbout')}</p>
      </Panel>
    </Dialog>
  );
}
