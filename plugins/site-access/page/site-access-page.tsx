import { api, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { AccessDialog } from './access-dialog.tsx';
import { FolderDialog } from './folder-dialog.tsx';

export default function SiteAccessPage() {
  return (
    <SitesPage
      title={t('site-access.title')}
      about={t('site-access.about')}
      icon="lock"
      of={useQuery('site-access', (signal) => api('GET /api/site-access', { signal }))}
      columns={[
        {
          name: 'folders',
          title: t('site-access.folders'),
          cell: ({ folders }) => <span class="wrap">{folders.map(({ path }) => path).join(', ') || '–'}</span>,
        },
        {
          name: 'blocked',
          title: t('site-access.blocked'),
          by: ({ blocked }) => blocked.length,
          cell: ({ blocked }) => blocked.length,
        },
        {
          name: 'pages',
          title: t('site-access.pages'),
          cell: ({ error_pages: pages }) => pages.map(({ status }) => status).join(', ') || '–',
        },
      ]}
      buttons={[
        {
          icon: 'lock',
          label: (name) => t('site-access.protect', { name }),
          opens: (site, onClose) => <FolderDialog site={site} onClose={onClose} />,
        },
        {
          icon: 'edit',
          label: (name) => t('site-access.edit', { name }),
          opens: (site, onClose) => <AccessDialog site={site} onClose={onClose} />,
        },
      ]}
    />
  );
}
