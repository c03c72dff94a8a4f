import type { Metric as ClientMetric } from 'prom-client';
import type { Log } from '../../kernel/log.ts';

/** A figure with all its samples, as the text format has it; a histogram's samples have names of their own. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly {
    readonly metricName?: string;
    readonly labels?: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
/** A figure of a plugin with more samples than this has a label without bounds, and is cut. */
const SAMPLES_AT_MOST = 5000;

export const PAGE_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The page in the Prometheus text format. prom-client writes and escapes it; its own counters are not used, because
 * what is shown is counted where it happens, without knowing of any metrics. A figure whose name was taken, or is none, is left out.
 */
export async function page(figures: readonly MetricFamily[], log: Log): Promise<string> {
  const { Registry } = await import('prom-client'); // loaded where somebody scrapes, because start-up and memory are counted
  const registry = new Registry();
  for (const { name, help, type, samples } of figures) {
    const labels = samples.flatMap((sample) => Object.keys(sample.labels ?? {}));
    if (
      !NAME.test(name) ||
      !labels.every((label) => NAME.test(label)) ||
      registry.getSingleMetric(name) !== undefined
    ) {
      log.warn({ metric: name }, 'a figure has no usable name, or one that was taken, and is left out');
      continue;
    }
    const values = samples.slice(0, SAMPLES_AT_MOST);
    const written = { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) };
    registry.registerMetric(written as unknown as ClientMetric);
  }
  return registry.metrics();
}
