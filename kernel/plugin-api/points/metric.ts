/** One figure for the metrics page, by the Prometheus conventions. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}
