import {
  Answer,
  api,
  attempt,
  Badge,
  Button,
  Card,
  changed,
  linkTo,
  PageHead,
  SitesTable,
  t,
  toast,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Sites = ReplyOf<'GET /api/site-cache'>;
type Site = Sites['sites'][number];

export default function VarnishPage() {
  const varnish = useQuery('varnish', (signal) => api('GET /api/site-cache', { signal }));
  const { offered = true, is_on: isOn = true } = varnish.data ?? {};
  return (
    <>
      <PageHead title={t('varnish.title')} about={t('varnish.about')} />
      <div class="stack">
        {!offered && <p class="notice-bar small">{t('varnish.notOffered')}</p>}
        {offered && !isOn && (
          <p class="notice-bar small">
            {t('varnish.off')} <a href={linkTo('/services')}>{t('varnish.services')}</a>
          </p>
        )}
        <Card isFlush>
          <Answer of={varnish} lines={5}>
            {(all) => <SiteTable of={all} />}
          </Answer>
        </Card>
      </div>
    </>
  );
}

function SiteTable({ of: { sites, is_on: isOn, offered: isOffered } }: { readonly of: Sites }) {
  const columns: readonly Column<Site>[] = [
    {
      name: 'state',
      title: t('varnish.state'),
      by: ({ cached }) => (cached ? 1 : 0),
      cell: ({ cached }) => <State isCached={cached} isOn={isOn} />,
    },
  ];
  return (
    <SitesTable
      caption={t('varnish.title')}
      icon="gauge"
      sites={sites}
      columns={columns}
      buttons={(site) => <Change site={site} isOffered={isOffered} />}
    />
  );
}

function State({ isCached, isOn }: { readonly isCached: boolean; readonly isOn: boolean }) {
  if (!isCached) return <Badge>{t('varnish.state.direct')}</Badge>;
  return isOn ? (
    <Badge tone="good">{t('varnish.state.cached')}</Badge>
  ) : (
    <Badge tone="warn">{t('varnish.state.waiting')}</Badge>
  );
}

interface ChangeProps {
  readonly site: Site;
  readonly isOffered: boolean;
}

function Change({ site: { domain_url: domain, cached }, isOffered }: ChangeProps) {
  const name = toUnicode(domain);
  const change = () =>
    attempt(async () => {
      await api('PUT /api/site-cache/:domain', { params: { domain }, body: { cached: !cached } });
      toast(t(cached ? 'varnish.done.direct' : 'varnish.done.cached', { name }));
      changed();
    });
  return (
    <Button
      isSmall
      isDisabled={!isOffered && !cached}
      label={t(cached ? 'varnish.label.direct' : 'varnish.label.cached', { name })}
      onClick={change}
    >
      {t(cached ? 'varnish.direct' : 'varnish.cached')}
    </Button>
  );
}
