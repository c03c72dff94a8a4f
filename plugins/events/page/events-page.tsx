import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  Answer,
  api,
  Button,
  Card,
  Empty,
  FilterInput,
  NodeFilter,
  Freshness,
  PageHead,
  fillPath,
  Select,
  t,
  toastError,
  useAddressState,
  useQuery,
  useStream,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { EventDialog } from './event-dialog.tsx';
import { EventLine, type LoggedEvent } from './event-line.tsx';

type Page = ReplyOf<'GET /api/events'>;
interface Filter {
  readonly type?: string;
  readonly account?: string;
  readonly ip?: string;
  readonly node?: string;
}
const PAGE_EVENTS = 50;
/** Live events that a page keeps: enough to read, and no more than a browser draws quickly. */
const KEPT = 500;
/** Requests that a search for older events makes before it asks whether to go on. */
const TRIES = 20;
/** The server sends something every 15 seconds. */
const STALE_MS = 35_000;
/** Seconds by name. */
const SINCE: Readonly<Record<string, number>> = { hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 };

export default function EventsPage() {
  const [{ type, account, ip, node, since }, set] = useAddressState('type', 'account', 'ip', 'node', 'since');
  const filter = { ...(type && { type }), ...(account && { account }), ...(ip && { ip }), ...(node && { node }) };
  const key = JSON.stringify([filter, since]);
  const live = useSignal<{ readonly key: string; readonly events: readonly LoggedEvent[] }>({ key, events: [] });
  const feed = useStream(fillPath('/api/events/stream', {}, filter), ({ data }) => {
    const before = live.value.key === key ? live.value.events : [];
    live.value = { key, events: [JSON.parse(data) as LoggedEvent, ...before].slice(0, KEPT) };
  });
  return (
    <>
      <PageHead title={t('events.title')} about={t('events.about')}>
        <Freshness feed={feed} staleMs={STALE_MS} />
      </PageHead>
      <Card isFlush>
        <div class="card-head filters">
          <FilterInput
            label={t('events.typeFilter')}
            value={type}
            onChange={(text) => set({ type: text.toLowerCase() })}
          />
          <FilterInput label={t('events.account')} value={account} onChange={(text) => set({ account: text })} />
          <FilterInput label={t('events.address')} value={ip} onChange={(text) => set({ ip: text })} />
          <NodeFilter value={node} onChange={(next) => set({ node: next })} />
          <Select
            label={t('events.since')}
            isLabelHidden
            value={since}
            of={(['', 'hour', 'day', 'week', 'month'] as const).map(
              (each) => [each, t(`events.since.${each || 'ever'}`)] as const,
            )}
            onChange={(next) => set({ since: next })}
          />
        </div>
        <Log
          key={key}
          filter={filter}
          since={since}
          live={live.value.key === key ? live.value.events : []}
          isLive={feed.value.isConnected}
        />
      </Card>
    </>
  );
}

interface LogProps {
  readonly filter: Filter;
  readonly since: string;
  readonly live: readonly LoggedEvent[];
  /** Whether what happens from now on will be in `live`. */
  readonly isLive: boolean;
}

/** The events of a filter: what happens now above what was, of which more is asked for. */
function Log(props: LogProps) {
  const seconds = SINCE[props.since];
  const older = useSignal<Page | undefined>(undefined);
  const isSearching = useSignal(false);
  const shown = useSignal<LoggedEvent | undefined>(undefined);
  const ask = (cursor: string, signal?: AbortSignal) => {
    const since = seconds === undefined ? {} : { since: new Date(Date.now() - seconds * 1000).toISOString() };
    const query = { ...props.filter, ...since, limit: PAGE_EVENTS, ...(cursor !== '' && { cursor }) };
    return api('GET /api/events', { query, ...(signal && { signal }) });
  };
  const first = useQuery('events', (signal) => ask('', signal));
  // What happened after the last answer and before the stream began is in neither.
  useEffect(() => {
    if (props.isLive) first.reload();
  }, [props.isLive]);
  const searchOn = async (from: string) => {
    isSearching.value = true;
    try {
      let page = await ask(from);
      for (let i = 1; i < TRIES && page.events.length === 0 && page.next_cursor !== null; i++)
        page = await ask(page.next_cursor);
      older.value = { ...page, events: [...(older.value?.events ?? []), ...page.events] };
    } catch (error) {
      toastError(error);
    }
    isSearching.value = false;
  };
  return (
    <Answer of={first} lines={10}>
      {({ events, next_cursor: cursor }) => {
        const next = older.value === undefined ? cursor : older.value.next_cursor;
        const all = [...props.live, ...events, ...(older.value?.events ?? [])];
        const rows = [...new Map(all.map((event) => [event.id, event])).values()];
        return (
          <>
            {rows.length === 0 && next === null && (
              <Empty icon="clock" title={t('pages.nothingFound')}>
                {t('events.noneAbout')}
              </Empty>
            )}
            <ul class="log events">
              {rows.map((event) => (
                <EventLine key={event.id} event={event} onOpen={() => void (shown.value = event)} />
              ))}
            </ul>
            {next !== null && (
              <div class="table-foot">
                <Button isSmall isBusy={isSearching.value} onClick={() => searchOn(next)}>
                  {t('events.older')}
                </Button>
              </div>
            )}
            {shown.value && <EventDialog event={shown.value} onClose={() => void (shown.value = undefined)} />}
          </>
        );
      }}
    </Answer>
  );
}
