import { useSignal } from '@preact/signals';
import { api, changed, Dialog, LinesField, linesIn, t, toast, toUnicode } from '../../pages/kit/index.ts';
import type { Site } from './replies.ts';

interface AccessDialogProps {
  readonly site: Site;
  readonly onClose: () => void;
}

/** The blocked addresses of a site, and its error pages. */
export function AccessDialog({ site, onClose }: AccessDialogProps) {
  const domain = site.domain_url;
  const blockedBefore = site.blocked.join('\n');
  const pagesBefore = site.error_pages.map(({ status, path }) => `${status} ${path}`).join('\n');
  const blocked = useSignal(blockedBefore);
  const pages = useSignal(pagesBefore);
  const save = async () => {
    const params = { domain };
    if (blocked.value !== blockedBefore)
      await api('PUT /api/site-access/:domain/blocked', { params, body: { addresses: linesIn(blocked.value) } });
    if (pages.value !== pagesBefore) {
      const error_pages = linesIn(pages.value).map((line) => {
        const [status = '', ...path] = line.split(/\s+/);
        return { status: Number(status) as Site['error_pages'][number]['status'], path: path.join(' ') };
      });
      await api('PUT /api/site-access/:domain/error-pages', { params, body: { error_pages } });
    }
    toast(t('site-access.saved', { name: toUnicode(domain) }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('site-access.edit', { name: toUnicode(domain) })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save') }}
    >
      <LinesField
        label={t('site-access.blocked')}
        hint={t('site-access.blockedHint')}
        value={blocked.value}
        onChange={(value) => (blocked.value = value)}
      />
      <LinesField
        label={t('site-access.pages')}
        hint={t('site-access.pagesHint')}
        value={pages.value}
        onChange={(value) => (pages.value = value)}
      />
    </Dialog>
  );
}
