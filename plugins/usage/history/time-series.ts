import { fail } from '../../../kernel/errors.ts';
import type { MetricName } from '../schema.ts';

const MAX_POINTS = 1440;
/** How far back the data of each resolution reaches; both in seconds. */
const RESOLUTIONS = [
  { step: 1, reach: 600 },
  { step: 60, reach: 86_400 },
  { step: 3600, reach: Infinity },
] as const;

/** A range as clients write it: seconds since 1970 or an ISO date and time. */
export interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
  /** Seconds. */
  readonly step?: number;
}

export interface WeightedValue {
  /** Seconds since 1970. */
  readonly at: number;
  readonly value: number;
  readonly weight: number;
}

/** Returns one value, or none for `null`. */
export function weighted(at: number, value: number | null, weight: number): WeightedValue[] {
  return value === null ? [] : [{ at, value, weight }];
}

/**
 * Returns the mean of each step that has values. The first sample ever taken covers no time, so that it counts only
 * where it is alone.
 */
export function bucketed(values: readonly WeightedValue[], step: number): { time: number; value: number }[] {
  const buckets = new Map<number, { sum: number; weight: number; last: number }>();
  for (const { at, value, weight } of values) {
    const time = Math.floor(at / step) * step;
    const bucket = buckets.get(time) ?? { sum: 0, weight: 0, last: value };
    buckets.set(time, { sum: bucket.sum + value * weight, weight: bucket.weight + weight, last: value });
  }
  return [...buckets].map(([time, { sum, weight, last }]) => ({
    time,
    value: Math.round((weight > 0 ? sum / weight : last) * 100) / 100,
  }));
}

/**
 * Returns the range in seconds since 1970, and its step: the requested one, or the finest that stays within
 * `MAX_POINTS`, but never finer than the data kept for the range. Errors: 400 `invalid_request`.
 */
export function plannedRange(
  metric: MetricName,
  range: RangeQuery,
  now: number,
): { from: number; to: number; step: number } {
  const to = range.to === undefined ? now : seconds('to', range.to);
  const from = range.from === undefined ? to - 3600 : seconds('from', range.from);
  if (from >= to) throw fail.invalid_request('the range is empty: from must be before to');
  const finest =
    RESOLUTIONS.find(({ step, reach }) => from >= now - reach && (step >= 60 || isPercent(metric)))?.step ?? 3600;
  const step = Math.max(finest, range.step ?? Math.ceil((to - from) / MAX_POINTS));
  if (range.step !== undefined && (to - from) / step > MAX_POINTS)
    throw fail.invalid_request(`the range has more than ${MAX_POINTS} steps; use a longer step`);
  const unit = step < 60 ? 1 : step < 3600 ? 60 : 3600;
  return { from, to, step: Math.ceil(step / unit) * unit };
}

/** Whether samples hold the metric; the others are counted once a minute. */
export function isPercent(metric: MetricName): metric is 'cpu' | 'memory' | 'disk' {
  return metric === 'cpu' || metric === 'memory' || metric === 'disk';
}

function seconds(name: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000);
  if (!Number.isFinite(value))
    throw fail.invalid_request(`${name} is not a time: use seconds since 1970, or a form like 2030-01-31T12:00:00Z`);
  return value;
}
