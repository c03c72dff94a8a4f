import type { Log } from '../../kernel/log.ts';
import type { Metric } from '../../kernel/contract/points/metric.ts';
import { lazyPackage } from '../../kernel/kit/programs/lazy-package.ts';

/** Loaded by the first scrape, to keep startup and idle memory small. */
const client = lazyPackage<typeof import('prom-client')>('prom-client', import.meta.url);

/** A metric with all its samples, as in the text format; the samples of a histogram have names of their own. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** See `Metric`. */
  readonly across?: Metric['across'];
  readonly samples: readonly {
    readonly metricName?: string;
    readonly labels?: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** A metric with more samples has an unbounded label; the rest is cut off. */
const MAX_SAMPLES = 5000;

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Renders the metrics of all workers as one page in the Prometheus text format. prom-client adds them up, writes and escapes:
 * the values are counted where they arise, by code that knows no metrics.
 */
export function exposition(workers: readonly (readonly MetricFamily[])[], log: Log): Promise<string> {
  return client()
    .AggregatorRegistry.aggregate(workers.map((families) => named(families, log).map(written)))
    .metrics();
}

/**
 * Leaves out metrics whose name is invalid or already taken. In OpenMetrics a counter is named without its ending `_total`,
 * which no other metric may have, and that name must be free too.
 */
function named(families: readonly MetricFamily[], log: Log): MetricFamily[] {
  const taken = new Set<string>();
  return families.filter(({ name, type, samples }) => {
    const labels = samples.flatMap((sample) => Object.keys(sample.labels ?? {}));
    const family = name.replace(/_total$/, '');
    const isMisnamed = (type === 'counter') === (family === name);
    const isFit = !taken.has(family) && !isMisnamed && [name, ...labels].every((each) => NAME.test(each));
    if (isFit) taken.add(family);
    else log.warn({ metric: name }, 'a metric was left out: a name is invalid or already taken');
    return isFit;
  });
}

/** Returns a metric as prom-client's registries do, with the way in which the values of several workers become one. */
function written({ name, help, type, across, samples }: MetricFamily): object {
  const values = samples.slice(0, MAX_SAMPLES).map((sample) => ({ labels: {}, ...sample }));
  return { name, help, type, values, aggregator: type === 'gauge' ? (across ?? 'first') : 'sum' };
}
