import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import {
  actionsColumn,
  Answer,
  api,
  Badge,
  Button,
  Card,
  changed,
  Empty,
  IconButton,
  PageHead,
  Panel,
  Parts,
  SearchInput,
  t,
  Table,
  timeColumn,
  toUnicode,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import { AddDomain } from './add-domain.tsx';
import { AliasesDialog } from './aliases-dialog.tsx';
import { ChangeDomain, shownName } from './change-domain.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { hasRoomBelowOnly, isFull, roomText, type Domains } from './room.ts';

type Domain = Domains['domains'][number];
type Does = 'change' | 'aliases' | 'remove';

export default function DomainsPage() {
  const { query } = useLocation();
  const search = useSignal(query['search'] ?? '');
  const dialog = useSignal<'add' | { readonly does: Does; readonly domain: Domain } | undefined>(undefined);
  const domains = useQuery('domains', (signal) => api('GET /api/domains', { signal }));
  const close = () => void (dialog.value = undefined);
  const shown = dialog.value;
  return (
    <>
      <PageHead title={t('domains.title')} about={t('domains.about')}>
        <Button
          kind="primary"
          icon="plus"
          isDisabled={domains.data === undefined || isFull(domains.data)}
          onClick={() => void (dialog.value = 'add')}
        >
          {t('domains.add')}
        </Button>
      </PageHead>
      <div class="stack">
        {domains.data && <LimitNotice domains={domains.data} />}
        <Card isFlush>
          <div class="card-head">
            <SearchInput label={t('domains.search')} value={search.value} onChange={(text) => (search.value = text)} />
            {domains.data && <span class="small soft">{roomText(domains.data)}</span>}
          </div>
          <Answer of={domains} lines={5}>
            {({ domains: all }) => (
              <DomainTable
                all={all}
                search={search.value.trim().toLowerCase()}
                onAdd={() => void (dialog.value = 'add')}
                onOpen={(does, domain) => void (dialog.value = { does, domain })}
              />
            )}
          </Answer>
        </Card>
        <Parts of="/domains" />
      </div>
      {shown === 'add' && domains.data && <AddDomain domains={domains.data} onClose={close} onAdded={changed} />}
      {typeof shown === 'object' && shown.does === 'change' && <ChangeDomain domain={shown.domain} onClose={close} />}
      {typeof shown === 'object' && shown.does === 'aliases' && <AliasesDialog domain={shown.domain} onClose={close} />}
      {typeof shown === 'object' && shown.does === 'remove' && (
        <RemoveDomain domain={shown.domain} all={domains.data?.domains ?? []} onClose={close} onRemoved={changed} />
      )}
    </>
  );
}

/** Says what the limits of the plan leave, before one of them is hit. */
function LimitNotice({ domains }: { readonly domains: Domains }) {
  const { domains_limit: limit, names_limit: namesLimit } = domains;
  if (isFull(domains))
    return (
      <Panel kind="warn" icon="info" title={t('domains.full', { n: namesLimit })}>
        <p>{t('domains.fullAbout')}</p>
      </Panel>
    );
  if (!hasRoomBelowOnly(domains)) return null;
  return (
    <Panel kind="accent" icon="info" title={t('domains.limit', { n: limit })}>
      <p>{t('domains.limitAbout')}</p>
    </Panel>
  );
}

interface DomainTableProps {
  readonly all: readonly Domain[];
  readonly search: string;
  readonly onAdd: () => void;
  readonly onOpen: (does: Does, domain: Domain) => void;
}

function DomainTable({ all, search, onAdd, onOpen }: DomainTableProps) {
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
  const found = all.filter(({ domain_url: name, docroot }) =>
    `${name} ${toUnicode(name)} ${docroot}`.toLowerCase().includes(search),
  );
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
      by: ({ domain_url: name }) => toUnicode(name),
      cell: (domain) => {
        const name = domain.domain_url;
        return (
          <span class="stack tight">
            <span class="row">
              <a href={`http://${name}/`} target="_blank" rel="noopener noreferrer">
                <span class="wrap" title={toUnicode(name) === name ? undefined : name}>
                  {shownName(domain)}
                </span>
              </a>
              {domain.suspended && <Badge tone="warn">{t('domains.suspended')}</Badge>}
              {domain.suspended_by_operator && <Badge tone="bad">{t('domains.held')}</Badge>}
            </span>
            {toUnicode(name) !== name && <code class="small soft wrap">{name}</code>}
            {domain.aliases.length > 0 && (
              <span class="small soft wrap">{domain.aliases.map((each) => toUnicode(each)).join(', ')}</span>
            )}
          </span>
        );
      },
    },
    {
      name: 'folder',
      title: t('domains.folder'),
      by: ({ docroot }) => docroot,
      cell: ({ docroot }) => <code class="wrap">{docroot}</code>,
    },
    timeColumn('added', t('domains.added'), ({ created_at: at }) => at),
    actionsColumn((domain) => (
      <span class="row">
        <IconButton
          icon="edit"
          label={t('domains.changeOne', { name: shownName(domain) })}
          onClick={() => onOpen('change', domain)}
        />
        <IconButton
          icon="link"
          label={t('domains.aliasesOf', { name: shownName(domain) })}
          onClick={() => onOpen('aliases', domain)}
        />
        <IconButton
          isBad
          icon="trash"
          label={t('domains.removeOne', { name: toUnicode(domain.domain_url) })}
          onClick={() => onOpen('remove', domain)}
        />
      </span>
    )),
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
