import { useSignal } from '@preact/signals';
import { api, changed, Dialog, LinesField, linesIn, Select, t, toast, toUnicode } from '../../pages/kit/index.ts';
import type { Site } from './replies.ts';

interface SiteDialogProps {
  readonly site: Site;
  readonly isOffered: boolean;
  readonly onClose: () => void;
}

const MODES = ['off', 'report', 'on'] as const;
const isRule = (line: string) => /^\d+$/.test(line);

/** How requests to a site are checked. */
export function SiteDialog({ site, isOffered, onClose }: SiteDialogProps) {
  const { domain_url: domain } = site;
  const mode = useSignal<Site['mode']>(site.mode);
  const excluded = useSignal([...site.excluded_ids, ...site.excluded_tags].join('\n'));
  const save = async () => {
    const lines = linesIn(excluded.value);
    await api('PUT /api/site-firewall/:domain', {
      params: { domain },
      body: {
        mode: mode.value,
        excluded_ids: lines.filter(isRule).map(Number),
        excluded_tags: lines.filter((line) => !isRule(line)),
      },
    });
    toast(t('waf.saved', { name: toUnicode(domain) }));
    changed();
    onClose();
  };
  const modes = MODES.filter((each) => isOffered || each === 'off' || each === site.mode);
  return (
    <Dialog
      title={t('waf.edit', { name: toUnicode(domain) })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save') }}
    >
      <Select
        label={t('waf.mode')}
        value={mode.value}
        of={modes.map((each) => [each, t(`waf.about.${each}`)])}
        onChange={(value) => (mode.value = value as Site['mode'])}
      />
      <LinesField
        isMono
        label={t('waf.excluded')}
        hint={t('waf.excludedHint')}
        value={excluded.value}
        onChange={(value) => (excluded.value = value)}
      />
    </Dialog>
  );
}
