/** A metric, named by the Prometheus conventions. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** How the values of several workers become one; a gauge without it says the same in all. Counters are summed. */
  readonly across?: 'sum' | 'max' | 'min';
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

type Samples = number | Metric['samples'];

/** Returns a metric that goes up and down; a number stands for one sample without labels. */
export const gauge = (name: string, help: string, samples: Samples, across?: Metric['across']): Metric => ({
  ...metric('gauge', name, help, samples),
  ...(across !== undefined && { across }),
});

/** Returns a metric that only grows; its name ends in `_total`. */
export const counter = (name: string, help: string, samples: Samples): Metric => metric('counter', name, help, samples);

function metric(type: Metric['type'], name: string, help: string, samples: Samples): Metric {
  return { name, help, type, samples: typeof samples === 'number' ? [{ value: samples }] : samples };
}
