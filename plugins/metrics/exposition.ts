import type { Metric as ClientMetric } from 'prom-client';
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
 * Renders metrics in the Prometheus text format, and leaves out those whose name is invalid or already taken. In OpenMetrics
 * a counter is named without its ending `_total`, which no other metric may have, and that name must be free too.
 * prom-client only writes and escapes: the values are counted where they arise, by code that knows no metrics.
 */
export async function exposition(families: readonly MetricFamily[], log: Log): Promise<string> {
  const registry = new (client().Registry)();
  const taken = new Set<string>();
  for (const { name, help, type, samples } of families) {
    const labels = samples.flatMap((sample) => Object.keys(sample.labels ?? {}));
    const family = name.replace(/_total$/, '');
    const isMisnamed = (type === 'counter') === (family === name);
    if (taken.has(family) || isMisnamed || ![name, ...labels].every((each) => NAME.test(each))) {
      log.warn({ metric: name }, 'a metric was left out: a name is invalid or already taken');
      continue;
    }
    taken.add(family);
    const values = samples.slice(0, MAX_SAMPLES);
    const written = { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) };
    registry.registerMetric(written as unknown as ClientMetric);
  }
  return registry.metrics();
}
