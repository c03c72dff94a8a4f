import { api, Badge, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { RequestsDialog } from './requests-dialog.tsx';
import { SiteDialog } from './site-dialog.tsx';

const TONES = { on: 'good', report: 'warn', off: undefined } as const;

export default function WafPage() {
  const waf = useQuery('waf', (signal) => api('GET /api/site-firewall', { signal }));
  return (
    <SitesPage
      title={t('waf.title')}
      about={t('waf.about')}
      icon="shield"
      of={waf}
      columns={[
        {
          name: 'mode',
          title: t('waf.mode'),
          by: ({ mode }) => mode,
          cell: ({ mode }) => <Badge tone={TONES[mode]}>{t(`waf.mode.${mode}`)}</Badge>,
        },
        {
          name: 'excluded',
          title: t('waf.excluded'),
          cell: ({ excluded_ids: ids, excluded_tags: tags }) => (
            <span class="wrap">{[...ids, ...tags].join(', ') || '–'}</span>
          ),
        },
      ]}
      buttons={[
        {
          icon: 'search',
          label: (name) => t('waf.show', { name }),
          opens: (site, onClose) => <RequestsDialog site={site} onClose={onClose} />,
        },
        {
          icon: 'edit',
          label: (name) => t('waf.edit', { name }),
          opens: (site, onClose, { offered }) => <SiteDialog site={site} isOffered={offered} onClose={onClose} />,
        },
      ]}
    >
      {waf.data?.offered === false && <p class="notice-bar small">{t('waf.notOffered')}</p>}
    </SitesPage>
  );
}
