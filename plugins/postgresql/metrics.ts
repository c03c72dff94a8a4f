import type { Finding } from '../../kernel/contract/points/finding.ts';
import { gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { AccountServers } from './server/account-servers.ts';
import { health } from './doctor.ts';
import type { Items } from './items/items.ts';

/** Keeps what the latest check of the servers has found, so that a scrape asks none of them. */
export class ServerStates {
  readonly #servers: AccountServers;
  #up: ReadonlyMap<string, boolean> = new Map();

  constructor(servers: AccountServers) {
    this.#servers = servers;
  }

  async check(): Promise<Finding[]> {
    const findings = await health(this.#servers);
    this.#up = new Map(this.#servers.names.map((name, i) => [name, findings[i]?.ok === true]));
    return findings;
  }

  async metrics(items: Items): Promise<Metric[]> {
    return [
      gauge(
        'hostkeep_postgresql_server_up',
        'Whether the server of PostgreSQL answered when it was checked last',
        [...this.#up].map(([server, isUp]) => ({ labels: { server }, value: Number(isUp) })),
        'min',
      ),
      gauge(
        'hostkeep_postgresql_items',
        'Databases and users of PostgreSQL of all accounts',
        (await items.counts()).map(({ kind, n }) => ({ labels: { kind }, value: n })),
      ),
    ];
  }
}
