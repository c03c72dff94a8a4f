import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  changed,
  Dialog,
  DomainName,
  Field,
  IconButton,
  sendRemoval,
  t,
  toast,
  toUnicode,
} from '../../pages/kit/index.ts';
import type { Domains } from './room.ts';

interface AliasesDialogProps {
  readonly domain: Domains['domains'][number];
  readonly onClose: () => void;
}

/** The further names of a domain's site. */
export function AliasesDialog({ domain, onClose }: AliasesDialogProps) {
  const { domain_url: name } = domain;
  const aliases = useSignal<readonly string[]>(domain.aliases);
  const typed = useSignal('');
  const show = (after: { readonly aliases: readonly string[] }) => {
    aliases.value = after.aliases;
    changed();
  };
  const add = async () => {
    const alias = typed.value.trim();
    show(await api('POST /api/aliases', { body: { domain_url: name, alias } }));
    toast(t('domains.wasAdded', { name: alias }));
    typed.value = '';
  };
  const remove = (alias: string) =>
    attempt(async () => {
      await sendRemoval('DELETE /api/aliases/:alias', { params: { alias } });
      show({ aliases: aliases.value.filter((each) => each !== alias) });
      toast(t('domains.wasRemoved', { name: toUnicode(alias) }));
    });
  return (
    <Dialog
      title={t('domains.aliasesOf', { name: toUnicode(name) })}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('domains.addAlias'), isDisabled: typed.value.trim() === '' }}
    >
      <p class="soft">{t('domains.aliasesAbout')}</p>
      {aliases.value.length === 0 && <p>{t('domains.noAliases')}</p>}
      {aliases.value.map((alias) => (
        <p key={alias} class="row">
          <DomainName name={alias} />
          <IconButton
            isBad
            icon="trash"
            label={t('domains.removeOne', { name: toUnicode(alias) })}
            onClick={() => void remove(alias)}
          />
        </p>
      ))}
      <Field
        label={t('domains.alias')}
        hint={t('domains.aliasHint')}
        value={typed.value}
        onChange={(value) => (typed.value = value)}
        inputMode="url"
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
      />
    </Dialog>
  );
}
