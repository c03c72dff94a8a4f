import {
  Bar,
  bytes,
  Card,
  Freshness,
  PageHead,
  percent,
  Skeleton,
  Sparkline,
  t,
  Table,
  Together,
  type Column,
} from '../../pages/kit/index.ts';
import { CountsCard } from './counts-card.tsx';
import { CustomersCard } from './customers-card.tsx';
import { HealthStrip } from './health-strip.tsx';
import { HistoryCard } from './history-card.tsx';
import { ProcessesCard } from './processes-card.tsx';
import { samples, useSamples, type Partition, type Sample } from './sample-stream.ts';
import { HardwareCard } from './hardware-card.tsx';

const SHOWN = 120;
/** After this long without a sample, the figures are old. */
const STALE_MS = 5000;

export default function LivePage() {
  const feed = useSamples();
  return (
    <>
      <PageHead title={t('usage.live')} about={t('usage.about')}>
        <Freshness feed={feed} staleMs={STALE_MS} />
      </PageHead>
      <div class="stack">
        <Together class="stack">
          <HealthStrip />
          <LiveTiles />
          <div class="tiles">
            <CountsCard />
          </div>
          <HistoryCard />
          <LiveDisks />
        </Together>
        <CustomersCard />
        <ProcessesCard />
        <HardwareCard />
      </div>
    </>
  );
}

/** Drawn with each sample, apart from the page, whose other parts change seldom. */
function LiveTiles() {
  const last = samples.value.at(-1);
  if (last !== undefined) return <Tiles last={last} />;
  return (
    <Card>
      <Skeleton lines={4} />
    </Card>
  );
}

function LiveDisks() {
  const disk = samples.value.at(-1)?.disk;
  return disk ? <Disks rows={disk} /> : null;
}

/** Returns the mean over all cores. */
function loadOf({ cpu }: Sample): number {
  const cores = Object.values(cpu ?? {});
  return cores.reduce((sum, each) => sum + each, 0) / Math.max(1, cores.length);
}

function Tiles({ last }: { readonly last: Sample }) {
  const cores = Object.entries(last.cpu ?? {});
  const ram = last.memory?.ram_info;
  return (
    <div class="tiles">
      <Card title={t('usage.processor')}>
        <div class="tile">
          <span class="value">{percent(loadOf(last))}</span>
          <Sparkline values={samples.value.map(loadOf)} length={SHOWN} />
          <span class="small soft">{t('usage.cores', { n: cores.length })}</span>
        </div>
      </Card>
      {ram && (
        <Card title={t('usage.memory')}>
          <div class="tile">
            <span class="value">{percent(ram.percent)}</span>
            <Sparkline values={samples.value.map((each) => each.memory?.ram_info.percent ?? 0)} length={SHOWN} />
            <span class="small soft number">
              {t('pages.meter.of', { used: bytes(ram.used), limit: bytes(ram.total) })}
            </span>
          </div>
        </Card>
      )}
      <Card title={t('usage.eachCore')}>
        <ul class="cores">
          {cores.map(([name, load], i) => (
            <li key={name}>
              <span class="small soft number">{t('usage.core', { n: i + 1 })}</span>
              <Bar label={t('usage.core', { n: i + 1 })} part={load} />
              <span class="small number">{percent(load)}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

function Disks({ rows }: { readonly rows: readonly Partition[] }) {
  const columns: readonly Column<Partition>[] = [
    {
      name: 'mount',
      title: t('usage.mount'),
      by: (row) => row.mountpoint,
      cell: (row) => <code class="wrap">{row.mountpoint}</code>,
    },
    {
      name: 'device',
      title: t('usage.device'),
      by: (row) => row.device,
      cell: (row) => <span class="wrap">{row.device}</span>,
    },
    {
      name: 'used',
      title: t('usage.used'),
      by: (row) => row.percent,
      cell: (row) => (
        <div class="meter-line">
          <span class="small soft number">
            {t('pages.meter.of', { used: bytes(row.used), limit: bytes(row.total) })}
          </span>
          <Bar label={row.mountpoint} part={row.percent} />
        </div>
      ),
    },
    { name: 'percent', title: '%', isEnd: true, by: (row) => row.percent, cell: (row) => percent(row.percent) },
  ];
  return (
    <Card title={t('usage.disks')} isFlush>
      <Table
        caption={t('usage.disks')}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.mountpoint}
        sortedBy="percent"
        isDescending
      />
    </Card>
  );
}
