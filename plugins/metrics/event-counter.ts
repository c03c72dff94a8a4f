import type { MetricFamily } from './exposition.ts';

const TYPES_AT_MOST = 200;

/** What happened to accounts since the start, by type: logins, refusals, added domains, and whatever plugins record. */
export class EventCounter {
  readonly #counts = new Map<string, number>();

  count(type: string): void {
    const known = this.#counts.has(type) || this.#counts.size < TYPES_AT_MOST ? type : 'other';
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + 1);
  }

  figure(): MetricFamily {
    return {
      name: 'hostkeep_events_total',
      help: 'What happened to accounts, by type',
      type: 'counter',
      samples: [...this.#counts].map(([type, value]) => ({ labels: { type }, value })),
    };
  }
}
