import { Client } from 'pg';
import { freePort } from './port.ts';
import { Postgres, schemaAt } from './postgres.ts';
import { until } from './until.ts';

/** A primary, and a standby without whose word it commits nothing. */
export class PostgresPair {
  primary: Postgres;
  standby: Postgres;
  readonly #settings: readonly string[];
  /** The port of the primary, and that of the standby; they change places. */
  #ports: readonly [number, number];

  private constructor(primary: Postgres, standby: Postgres, settings: readonly string[], ports: [number, number]) {
    this.primary = primary;
    this.standby = standby;
    this.#settings = settings;
    this.#ports = ports;
  }

  /** `given` are settings of both servers. */
  static async start(given: readonly string[]): Promise<PostgresPair> {
    const settings = ['dynamic_shared_memory_type=mmap', ...given]; // in the folder, which is removed
    const ports: [number, number] = [await freePort(), await freePort()];
    const primary = Postgres.start(settings, ports[0]);
    const pair = new PostgresPair(primary, primary.startStandby(settings, ports[1]), settings, ports);
    await pair.#wait();
    return pair;
  }

  /** The URL of a schema of its own, with the host that is the standby at the moment first. */
  urlOf(name: string): string {
    return schemaAt(this.primary.url, name).replace(/@.*&port=\d+&/, `@${this.hosts}/postgres?`);
  }

  get hosts(): string {
    return `${this.standby.host},${this.primary.host}`;
  }

  /** Runs a statement on a server, and resolves with its rows. */
  async ask<T extends object>(server: Postgres, statement: string): Promise<T[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<T>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Promotes the standby, which then waits for no other server; resolves with the former primary. */
  async promote(): Promise<Postgres> {
    const former = this.primary;
    await this.standby.promote();
    this.primary = this.standby;
    return former;
  }

  /** Gives a promoted server a standby in place of the former primary, which has ended. */
  async replace(former: Postgres): Promise<void> {
    former.removeFiles();
    const [gone, now] = this.#ports;
    this.standby = this.primary.startStandby(this.#settings, gone);
    this.#ports = [now, gone];
    await this.#wait();
  }

  remove(): void {
    for (const server of new Set([this.primary, this.standby])) server.remove();
  }

  /** Makes the primary wait for its standby from now on, which must not be copied to the standby: it has none yet. */
  async #wait(): Promise<void> {
    await this.ask(this.primary, "alter system set synchronous_standby_names = '*'");
    await this.ask(this.primary, 'select pg_reload_conf()');
    await until('the standby is synchronous', async () => {
      const states = await this.ask(this.primary, "select 1 from pg_stat_replication where sync_state = 'sync'");
      return states.length === 1;
    });
    await this.ask(this.primary, 'checkpoint'); // by the process that tells the others of the setting
  }
}
