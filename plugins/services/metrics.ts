import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';

/** How many of a service there are, as the keeper has last seen them. */
interface Counts {
  on: number;
  running: number;
  failing: number;
  /** Since this process started. */
  restarts: number;
}

/** Counts the services of this node's accounts, by their names. */
export class ServiceCounts {
  readonly #counts: ReadonlyMap<string, Counts>;
  #latest: Metric[] = [];

  constructor(services: Iterable<string>) {
    this.#counts = new Map([...services].map((name) => [name, { on: 0, running: 0, failing: 0, restarts: 0 }]));
  }

  /** Begins to count anew what is counted in each run. */
  begin(): void {
    for (const counts of this.#counts.values()) Object.assign(counts, { on: 0, running: 0, failing: 0 });
  }

  add(service: string, what: keyof Counts): void {
    const counts = this.#counts.get(service);
    if (counts !== undefined) counts[what] += 1;
  }

  /** Has `metrics` say what was counted since `begin`. */
  end(): void {
    const samples = (what: keyof Counts) =>
      [...this.#counts].map(([service, counts]) => ({ labels: { service }, value: counts[what] }));
    this.#latest = [
      gauge('hostkeep_services_on', 'Services that accounts have switched on at this node', samples('on'), 'sum'),
      gauge('hostkeep_services_running', 'Services that run', samples('running'), 'sum'),
      gauge('hostkeep_services_failing', 'Services that did not start at the last attempt', samples('failing'), 'sum'),
      counter('hostkeep_services_restarts_total', 'Starts of services that were on and had ended', samples('restarts')),
    ];
  }

  /** Returns nothing in processes that keep no services. */
  metrics(): readonly Metric[] {
    return this.#latest;
  }
}
