import { api, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { SiteDialog } from './site-dialog.tsx';

const textOfList = (items: readonly string[]) => <span class="wrap">{items.join(', ') || '–'}</span>;

export default function SiteSettingsPage() {
  return (
    <SitesPage
      title={t('webserver-conf.title')}
      about={t('webserver-conf.about')}
      icon="servers"
      of={useQuery('webserver-conf', (signal) => api('GET /api/site-settings', { signal }))}
      columns={[
        {
          name: 'index',
          title: t('webserver-conf.index'),
          cell: ({ index_files: index }) => textOfList(index),
        },
        {
          name: 'caching',
          title: t('webserver-conf.caching'),
          cell: ({ caching }) => textOfList(caching.map(({ kind }) => t(`webserver-conf.kind.${kind}`))),
        },
        {
          name: 'headers',
          title: t('webserver-conf.headers'),
          cell: ({ headers }) => textOfList(headers.map(({ name }) => name)),
        },
      ]}
      buttons={[
        {
          icon: 'edit',
          label: (name) => t('webserver-conf.edit', { name }),
          opens: (site, onClose, settings) => <SiteDialog settings={settings} site={site} onClose={onClose} />,
        },
      ]}
    />
  );
}
