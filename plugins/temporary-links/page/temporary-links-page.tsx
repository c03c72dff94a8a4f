import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Card,
  changed,
  CopyButton,
  DomainName,
  Empty,
  IconButton,
  PageHead,
  Panel,
  sendRemoval,
  t,
  Table,
  Time,
  toast,
  toUnicode,
  useDomainNames,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Links = ReplyOf<'GET /api/temporary-links'>;
type Link = Links['links'][number];
interface Row {
  readonly name: string;
  readonly link: Link | undefined;
}

export default function TemporaryLinksPage() {
  const links = useQuery('temporary-links', (signal) => api('GET /api/temporary-links', { signal }));
  const domains = useDomainNames();
  return (
    <>
      <PageHead title={t('temporary-links.title')} about={t('temporary-links.about')} />
      {links.data?.is_offered === false && (
        <Panel kind="warn" icon="info" title={t('temporary-links.notOffered')}>
          <p>{t('temporary-links.notOfferedAbout')}</p>
        </Panel>
      )}
      <Card isFlush>
        <Answer of={domains} lines={5}>
          {(names) => (
            <Answer of={links} lines={5}>
              {(found) => <LinkTable names={names} found={found} />}
            </Answer>
          )}
        </Answer>
      </Card>
    </>
  );
}

function LinkTable({ names, found }: { readonly names: readonly string[]; readonly found: Links }) {
  if (names.length === 0)
    return (
      <Empty icon="link" title={t('temporary-links.none')}>
        {t('temporary-links.noneAbout')}
      </Empty>
    );
  const rows = names.map((name): Row => ({ name, link: found.links.find(({ domain_url: each }) => each === name) }));
  const columns: readonly Column<Row>[] = [
    {
      name: 'domain',
      title: t('temporary-links.domain'),
      by: ({ name }) => name,
      cell: ({ name }) => <DomainName name={name} />,
    },
    {
      name: 'link',
      title: t('temporary-links.link'),
      cell: ({ link }) =>
        link === undefined ? (
          '–'
        ) : (
          <span class="row">
            <a class="wrap" href={link.url} target="_blank" rel="noopener noreferrer">
              {link.url}
            </a>
            <CopyButton text={link.url} what={t('temporary-links.link')} />
          </span>
        ),
    },
    {
      name: 'expires',
      title: t('temporary-links.expires'),
      by: ({ link }) => link?.expires_at ?? '',
      cell: ({ link }) => (link === undefined ? '–' : <Time at={link.expires_at} />),
    },
    actionsColumn((row) => <Actions {...row} isOffered={found.is_offered} />),
  ];
  return (
    <Table
      caption={t('temporary-links.title')}
      columns={columns}
      rows={rows}
      keyOf={({ name }) => name}
      sortedBy="domain"
    />
  );
}

function Actions({ name, link, isOffered }: Row & { readonly isOffered: boolean }) {
  const shown = toUnicode(name);
  const make = () =>
    attempt(async () => {
      await api('POST /api/temporary-links', { body: { domain_url: name } });
      toast(t('temporary-links.wasMade', { name: shown }));
      changed();
    });
  const remove = () =>
    attempt(async () => {
      await sendRemoval('DELETE /api/temporary-links/:domain', { params: { domain: name } });
      toast(t('temporary-links.wasRemoved', { name: shown }));
      changed();
    });
  return (
    <span class="row">
      <IconButton
        isDisabled={!isOffered}
        icon={link === undefined ? 'plus' : 'refresh'}
        label={t(link === undefined ? 'temporary-links.make' : 'temporary-links.renew', { name: shown })}
        onClick={() => void make()}
      />
      {link !== undefined && (
        <IconButton
          isBad
          icon="trash"
          label={t('temporary-links.remove', { name: shown })}
          onClick={() => void remove()}
        />
      )}
    </span>
  );
}
