interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
/** Samples by the name of their metric, in the order of the text. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** Reads the text format of Prometheus, as far as our server writes it. */
export function readMetrics(text: string): Samples {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', each = '']) => [key, each]);
    const sample = { labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
    const known = samples.get(name);
    if (known === undefined) samples.set(name, [sample]);
    else known.push(sample);
  }
  return samples;
}
