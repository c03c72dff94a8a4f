import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
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
import { RequestsDialog } from './requests-dialog.tsx';
import { SiteDialog } from './site-dialog.tsx';

export type Site = ReplyOf<'GET /api/site-firewall'>['sites'][number];
type Does = 'edit' | 'requests';

const TONES = { on: 'good', report: 'warn', off: undefined } as const;

export default function WafPage() {
  const dialog = useSignal<{ readonly does: Does; readonly name: string } | undefined>(undefined);
  const waf = useQuery('waf', (signal) => api('GET /api/site-firewall', { signal }));
  const close = () => void (dialog.value = undefined);
  const opened = dialog.value;
  const site = waf.data?.sites.find(({ domain_url: name }) => name === opened?.name);
  return (
    <>
      <PageHead title={t('waf.title')} about={t('waf.about')} />
      {waf.data?.offered === false && <p class="notice-bar small">{t('waf.notOffered')}</p>}
      <Card isFlush>
        <Answer of={waf} lines={5}>
          {({ sites }) => <SiteTable sites={sites} onOpen={(does, name) => void (dialog.value = { does, name })} />}
        </Answer>
      </Card>
      {site !== undefined && opened?.does === 'edit' && (
        <SiteDialog site={site} isOffered={waf.data?.offered === true} onClose={close} />
      )}
      {site !== undefined && opened?.does === 'requests' && <RequestsDialog site={site} onClose={close} />}
    </>
  );
}

interface TableProps {
  readonly sites: readonly Site[];
  readonly onOpen: (does: Does, name: string) => void;
}

function SiteTable({ sites, onOpen }: TableProps) {
  const columns: readonly Column<Site>[] = [
    {
      name: 'mode',
      title: t('waf.mode'),
      by: ({ mode }) => mode,
      cell: ({ mode }) => <Badge tone={TONES[mode]}>{t(`waf.mode.${mode}`)}</Badge>,
    },
    {
      name: 'excluded',
      title: t('waf.excluded'),
      cell: ({ excluded_ids: ids, excluded_tags: tags }) => (
        <span class="wrap">{[...ids, ...tags].join(', ') || '–'}</span>
      ),
    },
  ];
  return (
    <SitesTable
      caption={t('waf.title')}
      icon="shield"
      sites={sites}
      columns={columns}
      buttons={({ domain_url: name }) => (
        <>
          <IconButton
            icon="search"
            label={t('waf.show', { name: toUnicode(name) })}
            onClick={() => onOpen('requests', name)}
          />
          <IconButton
            icon="edit"
            label={t('waf.edit', { name: toUnicode(name) })}
            onClick={() => onOpen('edit', name)}
          />
        </>
      )}
    />
  );
}
