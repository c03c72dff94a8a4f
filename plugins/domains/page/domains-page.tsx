import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import {
  Answer,
  api,
  Button,
  Card,
  changed,
  Empty,
  PageHead,
  SearchInput,
  t,
  Table,
  Time,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { AddDomain } from './add-domain.tsx';
import { RemoveDomain } from './remove-domain.tsx';

type Domain = ReplyOf<'GET /api/domains'>['domains'][number];

export default function DomainsPage() {
  const { query } = useLocation();
  const search = useSignal(query['search'] ?? '');
  const dialog = useSignal<'add' | Domain | undefined>(undefined);
  const domains = useQuery('domains', (signal) => api('GET /api/domains', { signal }));
  const close = () => void (dialog.value = undefined);
  const shown = dialog.value;
  return (
    <>
      <PageHead title={t('domains.title')} about={t('domains.about')}>
        <Button kind="primary" icon="plus" onClick={() => void (dialog.value = 'add')}>
          {t('domains.add')}
        </Button>
      </PageHead>
      <Card isFlush>
        <div class="card-head">
          <SearchInput label={t('domains.search')} value={search.value} onChange={(text) => (search.value = text)} />
          {domains.data && <span class="small soft">{t('domains.count', { n: domains.data.total })}</span>}
        </div>
        <Answer of={domains} lines={5}>
          {({ domains: all }) => (
            <Domains
              all={all}
              search={search.value.trim().toLowerCase()}
              onAdd={() => void (dialog.value = 'add')}
              onRemove={(domain) => void (dialog.value = domain)}
            />
          )}
        </Answer>
      </Card>
      {shown === 'add' && <AddDomain known={domains.data?.domains ?? []} onClose={close} onAdded={changed} />}
      {typeof shown === 'object' && (
        <RemoveDomain domain={shown} all={domains.data?.domains ?? []} onClose={close} onRemoved={changed} />
      )}
    </>
  );
}

interface DomainsProps {
  readonly all: readonly Domain[];
  readonly search: string;
  readonly onAdd: () => void;
  readonly onRemove: (domain: Domain) => void;
}

function Domains({ all, search, onAdd, onRemove }: DomainsProps) {
  if (all.length === 0)
    return (
      <Empty
        icon="globe"
        title={t('domains.none')}
        action={
          <Button kind="primary" icon="plus" onClick={onAdd}>
            {t('domains.add')}
          </Button>
        }
      >
        {t('domains.noneAbout')}
      </Empty>
    );
  const found = all.filter(({ domain_url: name, docroot }) => `${name} ${docroot}`.toLowerCase().includes(search));
  if (found.length === 0)
    return (
      <Empty icon="search" title={t('pages.nothingFound')}>
        {t('domains.noneFound')}
      </Empty>
    );
  const columns: readonly Column<Domain>[] = [
    {
      name: 'name',
      title: t('domains.domain'),
      by: ({ domain_url: name }) => name,
      cell: ({ domain_url: name }) => (
        <a class="wrap" href={`http://${name}/`} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      ),
    },
    {
      name: 'folder',
      title: t('domains.folder'),
      by: ({ docroot }) => docroot,
      cell: ({ docroot }) => <code class="wrap">{docroot}</code>,
    },
    {
      name: 'added',
      title: t('domains.added'),
      by: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => <Time at={at} />,
    },
    {
      name: 'actions',
      title: '',
      isEnd: true,
      cell: (domain) => (
        <Button
          kind="plain"
          isSmall
          isBad
          icon="trash"
          label={t('domains.removeOne', { name: domain.domain_url })}
          onClick={() => onRemove(domain)}
        />
      ),
    },
  ];
  return (
    <Table
      caption={t('domains.title')}
      columns={columns}
      rows={found}
      keyOf={({ domain_id: id }) => id}
      sortedBy="name"
    />
  );
}
