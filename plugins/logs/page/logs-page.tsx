import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  bytes,
  Button,
  Card,
  Choices,
  CursorPaging,
  Empty,
  fillPath,
  FilterInput,
  Freshness,
  PageHead,
  saveAs,
  Select,
  t,
  toUnicode,
  transfer,
  useAddressState,
  useQuery,
  useStream,
} from '../../pages/kit/index.ts';
import { LineList, type LogLine } from './line-list.tsx';

interface Chosen {
  readonly domain: string;
  readonly kind: 'access' | 'error';
  readonly text: string;
  readonly status: string;
}

/** Live lines that a page keeps: enough to read, and no more than a browser draws quickly. */
const KEPT = 500;
const PAGE_LINES = 100;
/** The server sends something every 15 seconds. */
const STALE_MS = 35_000;
const STATUSES = ['', '2xx', '3xx', '4xx', '5xx'] as const;

export default function LogsPage() {
  const logs = useQuery('logs', (signal) => api('GET /api/logs', { signal }));
  return (
    <>
      <PageHead title={t('logs.title')} about={t('logs.about')} />
      <Card isFlush>
        <Answer of={logs} lines={5}>
          {({ written, logs: all }) =>
            !written || all.length === 0 ? (
              <Empty icon="file" title={t(written ? 'logs.noDomains' : 'logs.unwritten')}>
                {t(written ? 'logs.noDomainsAbout' : 'logs.unwrittenAbout')}
              </Empty>
            ) : (
              <Viewer logs={all} />
            )
          }
        </Answer>
      </Card>
    </>
  );
}

interface SiteLog {
  readonly domain_url: string;
  readonly access_bytes: number;
  readonly error_bytes: number;
}

function Viewer({ logs }: { readonly logs: readonly SiteLog[] }) {
  const [given, set] = useAddressState('domain', 'kind', 'text', 'status');
  const isLive = useSignal(false);
  const shown = logs.find(({ domain_url: name }) => name === given.domain) ?? logs[0];
  const kind = given.kind === 'error' ? 'error' : 'access';
  const chosen: Chosen = {
    domain: shown?.domain_url ?? '',
    kind,
    text: given.text,
    status: kind === 'access' ? (STATUSES.find((each) => each === given.status) ?? '') : '',
  };
  const key = JSON.stringify(chosen);
  const size = (kind === 'access' ? shown?.access_bytes : shown?.error_bytes) ?? 0;
  const save = async () => {
    const path = fillPath('/api/logs/download', {}, { domain_url: chosen.domain, kind });
    saveAs(`${chosen.domain}-${kind}.log`, await transfer(path, { method: 'GET' }));
  };
  return (
    <>
      <div class="card-head filters">
        <Select
          label={t('logs.domain')}
          isLabelHidden
          value={chosen.domain}
          of={logs.map(({ domain_url: name }) => [name, toUnicode(name)] as const)}
          onChange={(domain) => set({ domain })}
        />
        <Choices
          label={t('logs.kind')}
          value={kind}
          of={[
            ['access', t('logs.requests')],
            ['error', t('logs.errors')],
          ]}
          onChange={(next) => set({ kind: next })}
        />
        <FilterInput label={t('logs.text')} value={chosen.text} onChange={(text) => set({ text })} />
        {kind === 'access' && (
          <Select
            label={t('logs.status')}
            isLabelHidden
            value={chosen.status}
            of={STATUSES.map((each) => [each, each === '' ? t('logs.anyStatus') : each] as const)}
            onChange={(status) => set({ status })}
          />
        )}
        <Button isPressed={isLive.value} isSmall icon="clock" onClick={() => void (isLive.value = !isLive.value)}>
          {t('logs.live')}
        </Button>
        <Button isSmall kind="plain" icon="download" isDisabled={size === 0} onClick={save}>
          {t('logs.download', { size: bytes(size) })}
        </Button>
      </div>
      {isLive.value ? <Live key={key} chosen={chosen} /> : <Past key={key} chosen={chosen} />}
    </>
  );
}

const queryOf = ({ domain, kind, text, status }: Chosen) => ({ domain_url: domain, kind, text, status });

function Past({ chosen }: { readonly chosen: Chosen }) {
  const cursors = useSignal<readonly string[]>(['']);
  const cursor = cursors.value.at(-1) ?? '';
  const page = useQuery(`logs.lines ${JSON.stringify(chosen)} ${cursor}`, (signal) =>
    api('GET /api/logs/lines', { query: { ...queryOf(chosen), limit: PAGE_LINES, cursor }, signal }),
  );
  return (
    <Answer of={page} lines={8}>
      {({ lines, next_cursor: next }) => (
        <>
          {lines.length === 0 ? (
            <Empty icon="file" title={t(next === null ? 'logs.none' : 'logs.noneYet')}>
              {t(next === null ? 'logs.noneAbout' : 'logs.noneYetAbout')}
            </Empty>
          ) : (
            <LineList lines={lines} />
          )}
          <CursorPaging cursors={cursors} next={next} />
        </>
      )}
    </Answer>
  );
}

/** The lines from now on, the newest first. */
function Live({ chosen }: { readonly chosen: Chosen }) {
  const lines = useSignal<readonly LogLine[]>([]);
  const feed = useStream(fillPath('/api/logs/stream', {}, queryOf(chosen)), ({ data }) => {
    const { lines: more } = JSON.parse(data) as { readonly lines: readonly LogLine[] };
    lines.value = [...more.toReversed(), ...lines.value].slice(0, KEPT);
  });
  return (
    <>
      <div class="card-head">
        <Freshness feed={feed} staleMs={STALE_MS} />
      </div>
      {lines.value.length === 0 ? (
        <Empty icon="clock" title={t('logs.waiting')}>
          {t('logs.waitingAbout')}
        </Empty>
      ) : (
        <LineList lines={lines.value} />
      )}
    </>
  );
}
