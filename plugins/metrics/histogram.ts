import type { IntervalHistogram } from 'node:perf_hooks';
import type { MetricFamily } from './exposition.ts';

/** Resolution of the event loop delay, which every measured delay includes. */
export const RESOLUTION_MS = 20;
const RESOLUTION_SECONDS = RESOLUTION_MS / 1000;
const DELAY = 'hostkeep_event_loop_delay_seconds';
/** Upper bounds of the histogram, in seconds. */
const DELAY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** Returns one histogram; `counts` are cumulative, and the last one is that of all values. */
export function histogramSamples(
  name: string,
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
): MetricFamily['samples'] {
  const buckets = counts.map((value, i) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: bounds[i] === undefined ? '+Inf' : String(bounds[i]) },
    value,
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: counts.at(-1) ?? 0 },
  ];
}

/** The delays of the event loop since the plugin started. */
export function delayMetric(delay: IntervalHistogram): MetricFamily {
  const counts: number[] = [];
  for (const bound of DELAY_BUCKETS)
    counts.push(countUpTo(delay, (bound + RESOLUTION_SECONDS) * 1e9, counts.at(-1) ?? 0));
  const { count } = delay;
  const sum = count === 0 ? 0 : Math.max(0, count * (delay.mean / 1e9 - RESOLUTION_SECONDS));
  return {
    name: DELAY,
    help: 'Delay of the event loop, in which no request makes progress',
    type: 'histogram',
    samples: histogramSamples(DELAY, {}, DELAY_BUCKETS, [...counts, count], sum),
  };
}

/**
 * Returns how many values, at least `least`, do not exceed the limit. Halves the range, because the histogram tells
 * percentiles only.
 */
function countUpTo(delay: IntervalHistogram, limitNanoseconds: number, least: number): number {
  const { count } = delay;
  let [low, high] = [least, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (delay.percentile((middle / count) * 100) <= limitNanoseconds) low = middle;
    else high = middle - 1;
  }
  return low;
}
