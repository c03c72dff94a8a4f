import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  changed,
  Dialog,
  Select,
  SitesTable,
  t,
  toast,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Site = ReplyOf<'GET /api/main-addresses'>['sites'][number];

/** To which of its names each site leads its visitors. */
export function MainAddresses() {
  const chosen = useSignal<Site | undefined>(undefined);
  const addresses = useQuery('main-addresses', (signal) => api('GET /api/main-addresses', { signal }));
  const columns: readonly Column<Site>[] = [
    {
      name: 'addresses',
      title: t('redirects.addresses'),
      cell: ({ addresses: all }) => <span class="wrap">{all.map(toUnicode).join(', ')}</span>,
    },
    {
      name: 'main',
      title: t('redirects.mainAddress'),
      by: ({ main_address: main }) => main ?? '',
      cell: ({ main_address: main }) => (main === null ? t('redirects.each') : toUnicode(main)),
    },
  ];
  return (
    <>
      <Card title={t('redirects.main')} isFlush>
        <Answer of={addresses} lines={3}>
          {({ sites }) => (
            <SitesTable
              caption={t('redirects.main')}
              icon="globe"
              sites={sites}
              columns={columns}
              buttons={(site) => (
                <Button
                  isSmall
                  label={t('redirects.chooseOne', { name: toUnicode(site.domain_url) })}
                  onClick={() => void (chosen.value = site)}
                >
                  {t('redirects.choose')}
                </Button>
              )}
            />
          )}
        </Answer>
        <p class="table-foot small soft">{t('redirects.mainAbout')}</p>
      </Card>
      {chosen.value !== undefined && (
        <ChooseAddress site={chosen.value} onClose={() => void (chosen.value = undefined)} />
      )}
    </>
  );
}

function ChooseAddress({ site, onClose }: { readonly site: Site; readonly onClose: () => void }) {
  const { domain_url: domain, addresses, main_address: main } = site;
  const wanted = useSignal(main ?? '');
  const name = toUnicode(domain);
  const save = async () => {
    const to = wanted.value === '' ? null : wanted.value;
    await api('PUT /api/main-addresses/:domain', { params: { domain }, body: { main_address: to } });
    toast(to === null ? t('redirects.wasFreed', { name }) : t('redirects.wasChosen', { name, to: toUnicode(to) }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('redirects.chooseOne', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('redirects.save') }}
    >
      <Select
        label={t('redirects.mainAddress')}
        value={wanted.value}
        of={[['', t('redirects.each')], ...addresses.map((each) => [each, toUnicode(each)] as const)]}
        onChange={(value) => void (wanted.value = value)}
      />
    </Dialog>
  );
}
