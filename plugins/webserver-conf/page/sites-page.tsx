import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Card,
  IconButton,
  PageHead,
  SitesTable,
  t,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { SiteDialog } from './site-dialog.tsx';

export type Settings = ReplyOf<'GET /api/site-settings'>;
export type Site = Settings['sites'][number];

export default function SitesPage() {
  const opened = useSignal<string | undefined>(undefined);
  const settings = useQuery('webserver-conf', (signal) => api('GET /api/site-settings', { signal }));
  const site = settings.data?.sites.find(({ domain_url: name }) => name === opened.value);
  return (
    <>
      <PageHead title={t('webserver-conf.title')} about={t('webserver-conf.about')} />
      <Card isFlush>
        <Answer of={settings} lines={5}>
          {({ sites }) => <SiteTable sites={sites} onOpen={(name) => (opened.value = name)} />}
        </Answer>
      </Card>
      {settings.data !== undefined && site !== undefined && (
        <SiteDialog settings={settings.data} site={site} onClose={() => (opened.value = undefined)} />
      )}
    </>
  );
}

interface TableProps {
  readonly sites: readonly Site[];
  readonly onOpen: (name: string) => void;
}

const textOfList = (items: readonly string[]) => <span class="wrap">{items.join(', ') || '–'}</span>;

function SiteTable({ sites, onOpen }: TableProps) {
  const columns: readonly Column<Site>[] = [
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
  ];
  return (
    <SitesTable
      caption={t('webserver-conf.title')}
      icon="servers"
      sites={sites}
      columns={columns}
      buttons={({ domain_url: name }) => (
        <IconButton
          icon="edit"
          label={t('webserver-conf.edit', { name: toUnicode(name) })}
          onClick={() => onOpen(name)}
        />
      )}
    />
  );
}
