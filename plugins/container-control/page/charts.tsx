import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  api,
  bytes,
  number,
  percent,
  Sparkline,
  t,
  useQuery,
  useRefresh,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Sample = ReplyOf<'GET /api/docker-containers/:id/figures'>['samples'][number];

const POLLED_MS = 2000;
const SHOWN = 60;
/** Two processes of the service may answer in turn, with samples of about the same moments. */
const APART_MS = 1000;
/** The part of a chart that the largest value takes. */
const HIGHEST = 90;

/** Shows what a container takes now, and took in the last two minutes. */
export function Charts({ id }: { readonly id: string }) {
  const figures = useQuery(`figures ${id}`, (signal) =>
    api('GET /api/docker-containers/:id/figures', { params: { id }, signal }),
  );
  useRefresh(figures, POLLED_MS);
  const samples = useSignal<readonly Sample[]>([]);
  useEffect(() => {
    const later = (figures.data?.samples ?? []).filter(
      ({ at }) => Date.parse(at) >= Date.parse(samples.value.at(-1)?.at ?? '1970-01-01') + APART_MS,
    );
    samples.value = [...samples.value, ...later].slice(-SHOWN);
  }, [figures.data]);
  const last = samples.value.at(-1);
  if (last === undefined) return null;
  const rate = (value: number | null) =>
    value === null ? '–' : t('container-control.perSecond', { size: bytes(value) });
  return (
    <div class="tiles">
      <Chart
        title={t('container-control.processor')}
        text={percent(last.cpu_percent)}
        values={samples.value.map((each) => each.cpu_percent)}
      />
      <Chart
        title={t('container-control.usedMemory')}
        text={`${bytes(last.memory_bytes)} / ${bytes(last.memory_limit_bytes)}`}
        values={samples.value.map((each) => each.memory_bytes)}
        top={last.memory_limit_bytes}
      />
      <Chart
        title={t('container-control.network')}
        text={`${rate(last.received_per_second)} / ${rate(last.sent_per_second)}`}
        values={samples.value.map((each) => (each.received_per_second ?? 0) + (each.sent_per_second ?? 0))}
      />
      <Chart
        title={t('container-control.disks')}
        text={`${rate(last.read_per_second)} / ${rate(last.written_per_second)}`}
        values={samples.value.map((each) => (each.read_per_second ?? 0) + (each.written_per_second ?? 0))}
      />
      <Chart
        title={t('container-control.tasks')}
        text={number(last.tasks)}
        values={samples.value.map((each) => each.tasks)}
      />
    </div>
  );
}

interface ChartProps {
  readonly title: string;
  readonly text: string;
  readonly values: readonly number[];
  /** The most that can be; the largest value unless given. */
  readonly top?: number;
}

function Chart({ title, text, values, top = Math.max(1, ...values) }: ChartProps) {
  return (
    <div class="tile">
      <span class="soft">{title}</span>
      <span class="number">{text}</span>
      <Sparkline values={values.map((value) => (value / top) * HIGHEST)} length={SHOWN} />
    </div>
  );
}
