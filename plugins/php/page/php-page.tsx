import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Card,
  IconButton,
  mayUse,
  PageHead,
  SitesTable,
  t,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { IniDialog } from './ini-dialog.tsx';
import { InfoDialog } from './info-dialog.tsx';
import { SiteDialog } from './site-dialog.tsx';

export type Php = ReplyOf<'GET /api/php'>;
export type Site = Php['sites'][number];

interface Opened {
  readonly dialog: 'site' | 'ini' | 'info';
  readonly name: string;
}

export default function PhpPage() {
  const opened = useSignal<Opened | undefined>(undefined);
  const php = useQuery('php', (signal) => api('GET /api/php', { signal }));
  const site = php.data?.sites.find(({ domain_url: name }) => name === opened.value?.name);
  const close = () => void (opened.value = undefined);
  return (
    <>
      <PageHead title={t('php.title')} about={t('php.about')} />
      <Card isFlush>
        <Answer of={php} lines={5}>
          {({ sites }) => <SiteTable sites={sites} onOpen={(dialog, name) => void (opened.value = { dialog, name })} />}
        </Answer>
      </Card>
      {php.data !== undefined && site !== undefined && (
        <>
          {opened.value?.dialog === 'site' && <SiteDialog php={php.data} site={site} onClose={close} />}
          {opened.value?.dialog === 'ini' && <IniDialog name={site.domain_url} onClose={close} />}
          {opened.value?.dialog === 'info' && <InfoDialog name={site.domain_url} onClose={close} />}
        </>
      )}
    </>
  );
}

interface SiteTableProps {
  readonly sites: readonly Site[];
  readonly onOpen: (dialog: Opened['dialog'], name: string) => void;
}

function SiteTable({ sites, onOpen }: SiteTableProps) {
  const columns: readonly Column<Site>[] = [
    {
      name: 'version',
      title: t('php.version'),
      by: ({ version }) => version,
      cell: ({ version }) => (version === '' ? <Badge>{t('php.off')}</Badge> : <Badge tone="good">{version}</Badge>),
    },
    {
      name: 'options',
      title: t('php.options'),
      cell: ({ options: { memory_mib: memory, upload_mib: upload, execution_seconds: seconds } }) =>
        t('php.summary', { memory, upload, seconds }),
    },
  ];
  return (
    <SitesTable
      caption={t('php.title')}
      icon="globe"
      sites={sites}
      columns={columns}
      noneAbout={t('php.noneAbout')}
      buttons={({ domain_url: name, version }) => (
        <>
          {version !== '' && (
            <IconButton icon="info" label={t('php.infoOf', { name })} onClick={() => onOpen('info', name)} />
          )}
          {mayUse(['php_ini']) && (
            <IconButton icon="file" label={t('php.iniOf', { name })} onClick={() => onOpen('ini', name)} />
          )}
          {mayUse(['php', 'php_options']) && (
            <IconButton icon="edit" label={t('php.edit', { name })} onClick={() => onOpen('site', name)} />
          )}
        </>
      )}
    />
  );
}
