import { counter, type Metric } from '../../kernel/contract/points/metric.ts';

const MAX_TYPES = 200;

/** Counts the events of accounts since startup, by type: logins, refusals, added domains and others of plugins. */
export class EventCounter {
  readonly #counts = new Map<string, number>();

  count(type: string): void {
    const label = this.#counts.has(type) || this.#counts.size < MAX_TYPES ? type : 'other';
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
  }

  metric(): Metric {
    const samples = [...this.#counts].map(([type, value]) => ({ labels: { type }, value }));
    return counter('hostkeep_events_total', 'Events of accounts since the start, by type', samples);
  }
}
