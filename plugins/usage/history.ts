import { HttpError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Counted, Counts } from './counts.ts';
import type { Recent } from './recent.ts';
import type { Sample } from './sample.ts';
import type { Sampler } from './sampler.ts';
import type { History, MetricName } from './schema.ts';
import type { MinuteRow, UsageStore } from './store.ts';

/** Minutes that are written together; what the process loses when it is killed. */
const BATCH = 10;
export const POINTS_AT_MOST = 1440;
/** How far back each resolution reaches, both in seconds. */
const RESOLUTIONS = [
  { step: 1, reach: 600 },
  { step: 60, reach: 86_400 },
  { step: 3600, reach: Infinity },
] as const;

interface Weighted {
  /** Seconds since 1970. */
  readonly at: number;
  readonly value: number;
  readonly weight: number;
}

/** Makes minutes of samples, writes them in batches, and answers from memory and store. */
export class Recorder {
  readonly #parts: {
    readonly sampler: Sampler;
    readonly recent: Recent;
    readonly counts: Counts;
    readonly store: UsageStore;
    readonly log: Log;
  };
  #minute: Sample[] = [];
  #unwritten: MinuteRow[] = [];
  #writtenDay = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: { sampler: Sampler; recent: Recent; counts: Counts; store: UsageStore; log: Log }) {
    this.#parts = parts;
    this.#schedule();
  }

  add(sample: Sample): void {
    this.#minute.push(sample);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** Ends a minute: `at` is its begin in seconds since 1970. */
  async endMinute(at: number): Promise<void> {
    const { sampler, counts } = this.#parts;
    const counted = await Promise.resolve(counts.read()).catch((): undefined => undefined); // left out, as whatever cannot be told
    if (this.#minute.length === 0) await sampler.record();
    const row = minuteRow(at, this.#minute, counted);
    this.#minute = [];
    this.#unwritten.push(row);
    if (this.#unwritten.length >= BATCH || (counted !== undefined && counted.day !== this.#writtenDay))
      await this.#write();
    this.#writtenDay = counted?.day ?? this.#writtenDay;
  }

  /** Errors: 400 for a range that is empty, or that holds too many steps. */
  async query(metric: MetricName, range: { from?: string; to?: string; step?: number }): Promise<History> {
    const now = Math.ceil(Date.now() / 1000);
    const { from, to, step } = planned(metric, range, now);
    const rows = await this.#rows(metric, step, from, to);
    return { metric, unit: isPercent(metric) ? 'percent' : 'count', from, to, step, points: bucketed(rows, step) };
  }

  async #rows(metric: MetricName, step: number, from: number, to: number): Promise<Weighted[]> {
    const { recent, store } = this.#parts;
    if (step < 60 && isPercent(metric)) {
      return recent.samples
        .flatMap((sample) => weighted(sample.at / 1000, sample.percents[metric], sample.spanMs))
        .filter(({ at }) => at >= from && at <= to);
    }
    const kept = await store.values(metric, step < 3600 ? 60 : 3600, from, to);
    const unwritten =
      step < 3600 ? this.#unwritten.filter(({ at }) => at >= from && at <= to && at > (kept.at(-1)?.at ?? 0)) : [];
    return [
      ...kept.map((row) => ({ ...row, weight: 1 })),
      ...unwritten.flatMap((row) => weighted(row.at, row[metric], 1)),
    ];
  }

  async #write(): Promise<void> {
    const rows = this.#unwritten;
    try {
      await this.#parts.store.write(rows);
      this.#unwritten = this.#unwritten.slice(rows.length);
    } catch (error) {
      this.#unwritten = this.#unwritten.slice(-MINUTES_UNWRITTEN);
      this.#parts.log.warn({ err: error }, 'the history could not be written; the next batch tries again');
    }
  }

  #schedule(): void {
    const now = Date.now();
    this.#timer = setTimeout(
      () => {
        this.#schedule();
        void this.endMinute(Math.floor(now / 60_000) * 60);
      },
      60_000 - (now % 60_000) + 20,
    ).unref();
  }
}

/** Minutes that wait in memory while the store cannot be written. */
const MINUTES_UNWRITTEN = 1440;

/** Means over the minute's samples, each for the time that it stands for. */
export function minuteRow(at: number, samples: readonly Sample[], counted: Counted | undefined): MinuteRow {
  const mean = (name: 'cpu' | 'memory' | 'disk') =>
    bucketed(
      samples.flatMap((sample) => weighted(0, sample.percents[name], sample.spanMs)),
      60,
    )[0]?.value ?? null;
  return {
    at,
    cpu: mean('cpu'),
    memory: mean('memory'),
    disk: mean('disk'),
    users: counted?.users ?? null,
    domains: counted?.domains ?? null,
    websites: counted?.websites ?? null,
  };
}

/** The mean of each step that has any rows; the first sample of all stands for no time, and counts only when alone. */
export function bucketed(rows: readonly Weighted[], step: number): { time: number; value: number }[] {
  const buckets = new Map<number, { sum: number; weight: number; last: number }>();
  for (const { at, value, weight } of rows) {
    const time = Math.floor(at / step) * step;
    const bucket = buckets.get(time) ?? { sum: 0, weight: 0, last: value };
    buckets.set(time, { sum: bucket.sum + value * weight, weight: bucket.weight + weight, last: value });
  }
  return [...buckets].map(([time, { sum, weight, last }]) => ({
    time,
    value: Math.round((weight > 0 ? sum / weight : last) * 100) / 100,
  }));
}

/** The range in seconds since 1970, and the step: what was asked for, or the finest, as far as it was kept. */
export function planned(
  metric: MetricName,
  range: { from?: string; to?: string; step?: number },
  now: number,
): { from: number; to: number; step: number } {
  const to = range.to === undefined ? now : seconds('to', range.to);
  const from = range.from === undefined ? to - 3600 : seconds('from', range.from);
  if (from >= to) throw new HttpError('invalid_request', 'the range is empty: from must be before to');
  const reaching =
    RESOLUTIONS.find(({ step, reach }) => from >= now - reach && (step >= 60 || isPercent(metric)))?.step ?? 3600;
  const asked = range.step ?? Math.ceil((to - from) / POINTS_AT_MOST);
  const step = Math.max(reaching, asked);
  if (range.step !== undefined && (to - from) / step > POINTS_AT_MOST)
    throw new HttpError('invalid_request', `the range holds more than ${POINTS_AT_MOST} steps; ask for a longer step`);
  const unit = step < 60 ? 1 : step < 3600 ? 60 : 3600;
  return { from, to, step: Math.ceil(step / unit) * unit };
}

function isPercent(metric: MetricName): metric is 'cpu' | 'memory' | 'disk' {
  return metric === 'cpu' || metric === 'memory' || metric === 'disk';
}

function weighted(at: number, value: number | null, weight: number): Weighted[] {
  return value === null ? [] : [{ at, value, weight }];
}

function seconds(name: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  if (!Number.isFinite(value))
    throw new HttpError('invalid_request', `${name} is not a time: seconds since 1970, or like 2030-01-31T12:00:00Z`);
  return value;
}
