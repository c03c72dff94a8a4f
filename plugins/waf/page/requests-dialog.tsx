import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  CursorPaging,
  Dialog,
  Empty,
  FilterInput,
  Select,
  t,
  Table,
  Time,
  toUnicode,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import type { Site } from './replies.ts';

type Found = ReplyOf<'GET /api/site-firewall/:domain/requests'>['requests'][number];
type Action = '' | 'blocked' | 'reported';

interface RequestsDialogProps {
  readonly site: Site;
  readonly onClose: () => void;
}

/** Requests to a site in which rules found something. */
export function RequestsDialog({ site, onClose }: RequestsDialogProps) {
  const { domain_url: domain } = site;
  const filter = useSignal<{ readonly text: string; readonly action: Action }>({ text: '', action: '' });
  const cursors = useSignal<readonly string[]>(['']);
  const { text, action } = filter.value;
  const cursor = cursors.value.at(-1) ?? '';
  const set = (change: Partial<typeof filter.value>) => {
    filter.value = { ...filter.value, ...change };
    cursors.value = [''];
  };
  const found = useQuery(`waf ${domain} ${text} ${action} ${cursor}`, (signal) =>
    api('GET /api/site-firewall/:domain/requests', { params: { domain }, query: { text, action, cursor }, signal }),
  );
  return (
    <Dialog title={t('waf.show', { name: toUnicode(domain) })} onClose={onClose} isLarge>
      <div class="row">
        <FilterInput label={t('waf.search')} value={text} onChange={(value) => set({ text: value })} />
        <Select
          isLabelHidden
          label={t('waf.action')}
          value={action}
          of={(['', 'blocked', 'reported'] as const).map((each) => [each, t(`waf.action.${each || 'any'}`)])}
          onChange={(value) => set({ action: value as Action })}
        />
      </div>
      <Answer of={found} lines={5}>
        {({ requests, next_cursor: next }) => (
          <>
            <Requests of={requests} />
            <CursorPaging cursors={cursors} next={next} />
          </>
        )}
      </Answer>
    </Dialog>
  );
}

function Requests({ of: requests }: { readonly of: readonly Found[] }) {
  if (requests.length === 0)
    return (
      <Empty icon="shield" title={t('waf.noRequests')}>
        {t('waf.noRequestsAbout')}
      </Empty>
    );
  const columns: readonly Column<Found>[] = [
    {
      name: 'request',
      title: t('waf.request'),
      cell: ({ method, uri, rules }) => (
        <span class="stack tight">
          <code class="wrap">{`${method} ${uri}`}</code>
          <span class="small soft wrap">{rules.map(({ id, message }) => `${id} ${message}`).join('; ')}</span>
        </span>
      ),
    },
    {
      name: 'visitor',
      title: t('waf.visitor'),
      cell: ({ at, ip }) => (
        <span class="stack tight">
          <Time at={at} />
          <span class="small soft wrap">{ip}</span>
        </span>
      ),
    },
    {
      name: 'action',
      title: t('waf.action'),
      cell: ({ blocked }) => (
        <Badge tone={blocked ? 'bad' : undefined}>{t(`waf.action.${blocked ? 'blocked' : 'reported'}`)}</Badge>
      ),
    },
  ];
  return (
    <Table caption={t('waf.requests')} columns={columns} rows={requests} keyOf={({ at, uri }) => `${at} ${uri}`} />
  );
}
