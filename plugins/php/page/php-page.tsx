import { api, Badge, mayUse, SitesPage, t, useQuery } from '../../pages/kit/index.ts';
import { IniDialog } from './ini-dialog.tsx';
import { InfoDialog } from './info-dialog.tsx';
import { SiteDialog } from './site-dialog.tsx';

export default function PhpPage() {
  return (
    <SitesPage
      title={t('php.title')}
      about={t('php.about')}
      icon="globe"
      noneAbout={t('php.noneAbout')}
      of={useQuery('php', (signal) => api('GET /api/php', { signal }))}
      columns={[
        {
          name: 'version',
          title: t('php.version'),
          by: ({ version }) => version,
          cell: ({ version }) =>
            version === '' ? <Badge>{t('php.off')}</Badge> : <Badge tone="good">{version}</Badge>,
        },
        {
          name: 'options',
          title: t('php.options'),
          cell: ({ options: { memory_mib: memory, upload_mib: upload, execution_seconds: seconds } }) =>
            t('php.summary', { memory, upload, seconds }),
        },
      ]}
      buttons={[
        {
          icon: 'info',
          label: (name) => t('php.infoOf', { name }),
          isFor: ({ version }) => version !== '',
          opens: ({ domain_url: name }, onClose) => <InfoDialog name={name} onClose={onClose} />,
        },
        {
          icon: 'file',
          label: (name) => t('php.iniOf', { name }),
          isFor: () => mayUse(['php_ini']),
          opens: ({ domain_url: name }, onClose) => <IniDialog name={name} onClose={onClose} />,
        },
        {
          icon: 'edit',
          label: (name) => t('php.edit', { name }),
          isFor: () => mayUse(['php', 'php_options']),
          opens: (site, onClose, php) => <SiteDialog php={php} site={site} onClose={onClose} />,
        },
      ]}
    />
  );
}
