import { useEffect } from 'preact/hooks';
import {
  Answer,
  api,
  Badge,
  Bar,
  bytes,
  Card,
  Empty,
  number,
  PageHead,
  Parts,
  percent,
  t,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Usage = ReplyOf<'GET /api/container/df'>['data'][number];
type Container = Usage['Containers'][number];
type Stats = ReplyOf<'GET /api/docker_stats'>['container_stats']['stats'];

const POLLED_MS = 5000;

export default function ContainersPage() {
  const stats = useQuery('stats', (signal) => api('GET /api/docker_stats', { signal }));
  const usage = useQuery('df', (signal) => api('GET /api/container/df', { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && stats.reload(), POLLED_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <PageHead title={t('containers.title')} about={t('containers.about')} />
      <div class="stack">
        <Answer of={stats}>{({ container_stats: { stats: totals } }) => <Totals stats={totals} />}</Answer>
        <Parts of="/containers" />
        {(stats.error === undefined || usage.data !== undefined) && (
          <Card title={t('containers.list')} isFlush>
            <Answer of={usage} lines={4}>
              {({ data: [all] }) => <Containers rows={all?.Containers ?? []} />}
            </Answer>
          </Card>
        )}
        {usage.data && <Disk usage={usage.data.data[0]} />}
      </div>
    </>
  );
}

/** Reads the number at the beginning of a text such as `1.87 %`. */
function leading(text: string): number {
  return Number.parseFloat(text) || 0;
}

/** Writes the sizes in a text, such as `1.98MB / 652KiB`, as they are written everywhere on the pages. */
function sizes(text: string): string {
  return text.replaceAll(/(\d[\d.]*)([kKMGTPEZY]?)(i?)B/g, (_, size: string, prefix: string, binary: string) =>
    bytes(Number(size) * (binary === '' ? 1000 : 1024) ** ' KMGTPEZY'.indexOf(prefix.toUpperCase())),
  );
}

function Totals({ stats }: { readonly stats: Stats }) {
  const memory = leading(stats.MemPerc);
  const processor = leading(stats.CPUPerc);
  return (
    <div class="tiles">
      <Card>
        <div class="tile">
          <span class="soft">{t('containers.running')}</span>
          <span class="value">{number(Number(stats.Container))}</span>
          <span class="small soft">{t('containers.processes', { n: stats.PIDs })}</span>
        </div>
      </Card>
      <Card>
        <div class="tile">
          <span class="soft">{t('containers.processor')}</span>
          <span class="value">{percent(processor)}</span>
          <span class="small soft">{t('containers.ofOne')}</span>
        </div>
      </Card>
      <Card>
        <div class="tile">
          <span class="soft">{t('containers.memory')}</span>
          <span class="value">{percent(memory)}</span>
          <Bar label={t('containers.memory')} part={memory} />
          <span class="small soft number">{sizes(stats.MemUsage)}</span>
        </div>
      </Card>
      <Card>
        <div class="tile">
          <span class="soft">{t('containers.network')}</span>
          <span class="number">{sizes(stats.NetIO)}</span>
          <span class="soft">{t('containers.blocks')}</span>
          <span class="number">{sizes(stats.BlockIO)}</span>
        </div>
      </Card>
    </div>
  );
}

function Containers({ rows }: { readonly rows: readonly Container[] }) {
  if (rows.length === 0)
    return (
      <Empty icon="box" title={t('containers.none')}>
        {t('containers.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Container>[] = [
    {
      name: 'name',
      title: t('containers.name'),
      by: (row) => row.Names,
      cell: (row) => <strong class="wrap">{row.Names}</strong>,
    },
    {
      name: 'image',
      title: t('containers.image'),
      by: (row) => row.Image,
      cell: (row) => <code class="wrap">{row.Image}</code>,
    },
    {
      name: 'state',
      title: t('containers.state'),
      by: (row) => row.State,
      cell: (row) => <Badge tone={row.State === 'running' ? 'good' : 'warn'}>{row.Status}</Badge>,
    },
    {
      name: 'ports',
      title: t('containers.ports'),
      cell: (row) => <span class="wrap">{row.Ports === '' ? '–' : row.Ports}</span>,
    },
    { name: 'size', title: t('containers.size'), isEnd: true, cell: (row) => sizes(row.Size) },
  ];
  return <Table caption={t('containers.list')} columns={columns} rows={rows} keyOf={(row) => row.ID} sortedBy="name" />;
}

function Disk({ usage }: { readonly usage: Usage | undefined }) {
  const rows = [
    ...(usage?.Images ?? []).map((row) => ({
      kind: t('containers.kind.image'),
      name: `${row.Repository}:${row.Tag}`,
      size: sizes(row.Size),
      uses: row.Containers,
    })),
    ...(usage?.Volumes ?? []).map((row) => ({
      kind: t('containers.kind.volume'),
      name: row.Name,
      size: sizes(row.Size),
      uses: row.Links,
    })),
  ];
  if (rows.length === 0) return null;
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      name: 'name',
      title: t('containers.name'),
      by: (row) => row.name,
      cell: (row) => <span class="wrap">{row.name}</span>,
    },
    { name: 'kind', title: t('containers.kind'), by: (row) => row.kind, cell: (row) => row.kind },
    { name: 'uses', title: t('containers.uses'), isEnd: true, by: (row) => Number(row.uses), cell: (row) => row.uses },
    { name: 'size', title: t('containers.size'), isEnd: true, cell: (row) => row.size },
  ];
  return (
    <Card title={t('containers.disk')} isFlush>
      <Table
        caption={t('containers.disk')}
        columns={columns}
        rows={rows}
        keyOf={(row) => `${row.kind} ${row.name}`}
        sortedBy="kind"
      />
    </Card>
  );
}
