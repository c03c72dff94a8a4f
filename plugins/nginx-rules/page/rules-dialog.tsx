import { api, changed, CheckedLines, Dialog, t, toast, toUnicode, useCheckedLines } from '../../pages/kit/index.ts';
import type { Rules } from './replies.ts';

interface RulesDialogProps {
  readonly rules: Rules;
  readonly site: Rules['sites'][number];
  readonly onClose: () => void;
}

/** The directives of a site, with what is wrong at which line, beside examples of those that can be used. */
export function RulesDialog({ rules: { forms }, site, onClose }: RulesDialogProps) {
  const { domain_url: domain } = site;
  const { text, isChanged, faults, change, save } = useCheckedLines(site.rules, 'invalid_nginx_rules');
  const submit = async () => {
    const isSaved = await save((rules) => api('PUT /api/nginx-rules/:domain', { params: { domain }, body: { rules } }));
    if (!isSaved) return;
    toast(t('nginx-rules.saved', { name: toUnicode(domain) }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('nginx-rules.edit', { name: toUnicode(domain) })}
      isLarge
      onClose={onClose}
      onSubmit={submit}
      submit={{ text: t('pages.save'), isDisabled: !isChanged }}
    >
      <div class="grid halves">
        <CheckedLines
          label={t('nginx-rules.lines')}
          hint={t('nginx-rules.hint')}
          mostCharacters={8192}
          value={text}
          onChange={change}
          faults={faults}
        />
        <div class="stack tight" role="group" aria-label={t('nginx-rules.forms')}>
          <span>{t('nginx-rules.forms')}</span>
          {forms.map((form) => (
            <code key={form} class="wrap">
              {form}
            </code>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
