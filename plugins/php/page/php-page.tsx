import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  DomainName,
  Empty,
  PageHead,
  t,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { SiteDialog } from './site-dialog.tsx';

export type Php = ReplyOf<'GET /api/php'>;
export type Site = Php['sites'][number];

export default function PhpPage() {
  const edited = useSignal<string | undefined>(undefined);
  const php = useQuery('php', (signal) => api('GET /api/php', { signal }));
  const site = php.data?.sites.find(({ domain_url: name }) => name === edited.value);
  return (
    <>
      <PageHead title={t('php.title')} about={t('php.about')} />
      <Card isFlush>
        <Answer of={php} lines={5}>
          {({ sites }) => <SiteTable sites={sites} onEdit={(name) => void (edited.value = name)} />}
        </Answer>
      </Card>
      {php.data !== undefined && site !== undefined && (
        <SiteDialog php={php.data} site={site} onClose={() => void (edited.value = undefined)} />
      )}
    </>
  );
}

interface SiteTableProps {
  readonly sites: readonly Site[];
  readonly onEdit: (name: string) => void;
}

function SiteTable({ sites, onEdit }: SiteTableProps) {
  if (sites.length === 0)
    return (
      <Empty icon="globe" title={t('php.none')}>
        {t('php.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Site>[] = [
    {
      name: 'domain',
      title: t('php.domain'),
      by: ({ domain_url: name }) => name,
      cell: ({ domain_url: name }) => <DomainName name={name} />,
    },
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
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: ({ domain_url: name }) => (
        <Button kind="plain" isSmall icon="edit" label={t('php.edit', { name })} onClick={() => onEdit(name)} />
      ),
    },
  ];
  return (
    <Table
      caption={t('php.title')}
      columns={columns}
      rows={sites}
      keyOf={({ domain_url: name }) => name}
      sortedBy="domain"
    />
  );
}
