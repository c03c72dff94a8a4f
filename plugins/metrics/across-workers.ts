import { gauge } from '../../kernel/contract/points/metric.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { MetricFamily } from './exposition.ts';

type Sample = MetricFamily['samples'][number];
type Combine = (a: number, b: number) => number;

const COMBINE: Readonly<Record<'sum' | 'max' | 'min' | 'same', Combine>> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
  same: (a) => a,
};
const TOPIC = 'metrics';

/**
 * Returns what resolves with the figures of all workers, as one. A worker that does not answer is said and left out, which makes
 * sums smaller for that scrape.
 */
export function acrossWorkers({ workers, log, onClose }: Host, own: () => Promise<MetricFamily[]>) {
  onClose(workers.answer(TOPIC, own));
  return async (): Promise<readonly MetricFamily[]> => {
    const [mine, answers] = await Promise.all([own(), workers.ask(TOPIC)]);
    const up = [{ labels: { worker: String(workers.number) }, value: 1 }];
    const others: (readonly MetricFamily[])[] = [];
    for (const answer of answers) {
      const isUp = 'value' in answer;
      up.push({ labels: { worker: String(answer.worker) }, value: Number(isUp) });
      if (isUp) others.push(answer.value as MetricFamily[]);
      else log.warn({ worker: answer.worker, problem: answer.problem }, 'a worker did not supply its metrics');
    }
    up.sort((a, b) => (a.labels.worker < b.labels.worker ? -1 : 1));
    const said = gauge('hostkeep_worker_up', 'Whether the figures of a worker are in this page', up);
    return [said, ...merged([mine, ...others])];
  };
}

/** Merges the families of several workers. Those of the first go first, and what a gauge says of the node is taken from it. */
export function merged(pages: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const byName = new Map<string, MetricFamily & { readonly samples: Sample[] }>();
  for (const family of pages.flat()) {
    const known = byName.get(family.name);
    if (known === undefined) byName.set(family.name, { ...family, samples: [...family.samples] });
    else add(known.samples, family.samples, COMBINE[family.type === 'gauge' ? (family.across ?? 'same') : 'sum']);
  }
  return [...byName.values()];
}

function add(to: Sample[], more: readonly Sample[], combine: Combine): void {
  const places = new Map(to.map((sample, i) => [keyOf(sample), i]));
  for (const sample of more) {
    const place = places.get(keyOf(sample));
    const known = place === undefined ? undefined : to[place];
    if (place === undefined || known === undefined) to.push(sample);
    else to[place] = { ...known, value: combine(known.value, sample.value) };
  }
}

const keyOf = ({ metricName = '', labels = {} }: Sample): string =>
  JSON.stringify([metricName, ...Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
