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
import { AccessDialog } from './access-dialog.tsx';
import { FolderDialog } from './folder-dialog.tsx';

export type Site = ReplyOf<'GET /api/site-access'>['sites'][number];
type Does = 'protect' | 'edit';

export default function SiteAccessPage() {
  const dialog = useSignal<{ readonly does: Does; readonly name: string } | undefined>(undefined);
  const sites = useQuery('site-access', (signal) => api('GET /api/site-access', { signal }));
  const close = () => void (dialog.value = undefined);
  const shown = dialog.value;
  const site = sites.data?.sites.find(({ domain_url: name }) => name === shown?.name);
  return (
    <>
      <PageHead title={t('site-access.title')} about={t('site-access.about')} />
      <Card isFlush>
        <Answer of={sites} lines={5}>
          {({ sites: all }) => <SiteTable all={all} onOpen={(does, name) => void (dialog.value = { does, name })} />}
        </Answer>
      </Card>
      {site !== undefined && shown?.does === 'protect' && <FolderDialog site={site} onClose={close} />}
      {site !== undefined && shown?.does === 'edit' && <AccessDialog site={site} onClose={close} />}
    </>
  );
}

interface TableProps {
  readonly all: readonly Site[];
  readonly onOpen: (does: Does, name: string) => void;
}

function SiteTable({ all, onOpen }: TableProps) {
  const columns: readonly Column<Site>[] = [
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
  ];
  return (
    <SitesTable
      caption={t('site-access.title')}
      icon="lock"
      sites={all}
      columns={columns}
      buttons={({ domain_url: name }) => (
        <>
          <IconButton
            icon="lock"
            label={t('site-access.protect', { name: toUnicode(name) })}
            onClick={() => onOpen('protect', name)}
          />
          <IconButton
            icon="edit"
            label={t('site-access.edit', { name: toUnicode(name) })}
            onClick={() => onOpen('edit', name)}
          />
        </>
      )}
    />
  );
}
