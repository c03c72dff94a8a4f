import type { Log } from '../../../kernel/log.ts';
import type { RecentSamples } from '../sampling/recent-samples.ts';
import type { Sample } from '../sampling/sample.ts';
import type { Sampler } from '../sampling/sampler.ts';
import type { History, MetricName } from '../schema.ts';
import type { Counts, DayCounts } from './counts.ts';
import type { MinuteRow, UsageStore } from './store.ts';
import { bucketed, isPercent, plannedRange, weighted, type RangeQuery, type WeightedValue } from './time-series.ts';

/** Minutes that are written together, and so how many are lost when the process is killed. */
const BATCH_MINUTES = 10;
/** Minutes kept in memory while the store cannot be written. */
const MAX_UNWRITTEN_MINUTES = 1440;

interface RecorderParts {
  readonly sampler: Sampler;
  readonly recent: RecentSamples;
  readonly counts: Counts;
  readonly store: UsageStore;
  readonly log: Log;
  /** Whether other workers answer from the store, so that each minute is written at once. */
  readonly isShared?: boolean;
}

/** Aggregates samples by the minute, writes the minutes in batches, and answers queries from memory and the store. */
export class Recorder {
  readonly #parts: RecorderParts;
  #minute: Sample[] = [];
  #unwritten: MinuteRow[] = [];
  #writtenDay = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Records each minute from now on. */
  start(): void {
    this.#schedule();
  }

  add(sample: Sample): void {
    this.#minute.push(sample);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** Ends the minute that began at `at`, in seconds since 1970. */
  async endMinute(at: number): Promise<void> {
    const { sampler, counts } = this.#parts;
    // Without counts, the minute still has its other figures.
    const counted = await Promise.resolve(counts.read()).catch((): undefined => undefined);
    if (this.#minute.length === 0) await sampler.record();
    const row = minuteRow(at, this.#minute, counted);
    this.#minute = [];
    this.#unwritten.push(row);
    const batch = this.#parts.isShared === true ? 1 : BATCH_MINUTES;
    if (this.#unwritten.length >= batch || (counted !== undefined && counted.day !== this.#writtenDay))
      await this.#write();
    this.#writtenDay = counted?.day ?? this.#writtenDay;
  }

  /** Errors: 400 `invalid_request` for a range that is empty or has too many steps. */
  async query(metric: MetricName, range: RangeQuery): Promise<History> {
    const now = Math.ceil(Date.now() / 1000);
    const { from, to, step } = plannedRange(metric, range, now);
    const values = await this.#values(metric, step, from, to);
    const points = bucketed(values, step).map(({ time, value }) => ({ time, time_at: timeAt(time), value }));
    const unit = isPercent(metric) ? 'percent' : 'count';
    return { metric, unit, from, from_at: timeAt(from), to, to_at: timeAt(to), step, points };
  }

  async #values(metric: MetricName, step: number, from: number, to: number): Promise<WeightedValue[]> {
    const { recent, store } = this.#parts;
    if (step < 60 && isPercent(metric)) {
      return recent.samples
        .flatMap((sample) => weighted(sample.at / 1000, sample.percents[metric], sample.spanMs))
        .filter(({ at }) => at >= from && at <= to);
    }
    const stored = await store.values(metric, step < 3600 ? 60 : 3600, from, to);
    const newest = stored.at(-1)?.at ?? 0;
    const unwritten = step < 3600 ? this.#unwritten.filter(({ at }) => at >= from && at <= to && at > newest) : [];
    return [
      ...stored.map((row) => ({ ...row, weight: 1 })),
      ...unwritten.flatMap((row) => weighted(row.at, row[metric], 1)),
    ];
  }

  async #write(): Promise<void> {
    const rows = this.#unwritten;
    try {
      await this.#parts.store.write(rows);
      this.#unwritten = this.#unwritten.slice(rows.length);
    } catch (error) {
      this.#unwritten = this.#unwritten.slice(-MAX_UNWRITTEN_MINUTES);
      this.#parts.log.warn({ err: error }, 'cannot write the usage history; will retry with the next batch');
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

const timeAt = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Returns the means over a minute's samples, each weighted by the time that it covers. */
export function minuteRow(at: number, samples: readonly Sample[], counted: DayCounts | undefined): MinuteRow {
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
