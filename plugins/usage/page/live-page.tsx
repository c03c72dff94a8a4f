import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Badge, Bar, bytes, Card, PageHead, percent, Skeleton, t, Table, type Column } from '../../pages/kit/index.ts';
import { HistoryCard } from './history-card.tsx';
import { heardAt, isLive, samples, useSamples, type Partition, type Sample } from './sample-stream.ts';
import { Sparkline } from './sparkline.tsx';
import { HardwareCard } from './hardware-card.tsx';

const SHOWN = 120;

export default function LivePage() {
  useSamples();
  const last = samples.value.at(-1);
  return (
    <>
      <PageHead title={t('usage.live')} about={t('usage.about')}>
        <Freshness />
      </PageHead>
      <div class="stack">
        {last === undefined ? (
          <Card>
            <Skeleton lines={4} />
          </Card>
        ) : (
          <Tiles last={last} />
        )}
        <HistoryCard />
        {last?.disk && <Disks rows={last.disk} />}
        <HardwareCard />
      </div>
    </>
  );
}

/** Says "live", or how old the figures are. */
function Freshness() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (heardAt.value === 0) return <Badge>{t('usage.connecting')}</Badge>;
  if (isLive(now.value)) return <Badge tone="good">{t('usage.isLive')}</Badge>;
  return <Badge tone="warn">{t('usage.old', { n: Math.round((now.value - heardAt.value) / 1000) })}</Badge>;
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
