import { Socket } from 'node:net';
import { Client, DatabaseError, types as parsers, type ClientConfig, type CustomTypesConfig } from 'pg';
import { errorMessage } from '../../kernel/errors.ts';
import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';

/** How long a connection may take to open, and a server to say whether it accepts writes. */
export const CONNECT_MS = 2000;
/** How much longer than by the server's clock a statement may take by ours, in case the server is out of reach. */
const UNREACHED_MS = 2000;
/** Of errors that say that there was no answer in time, by the driver, by its pool and by `withDeadline`. */
const LATE = /timeout|no answer within/;
/** How long a transaction whose node has fallen silent holds up those of others. */
const SILENT_TRANSACTION_MS = 3000;
/** Fails where the user may not call these, or where the database is none of PostgreSQL's own. */
const HISTORY = `select (select cast(system_identifier as text) from pg_control_system()) as cluster,
  cast(cast('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as bit(32)) as bigint) as timeline`;

/** Types of PostgreSQL: numbers as numbers, and conditions as 1 and 0, as SQLite has them. */
const { BOOL, INT8, NUMERIC } = parsers.builtins;
const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') => {
    if (oid === INT8 || oid === NUMERIC) return Number;
    if (oid === BOOL) return (value: string) => (value === 't' ? 1 : 0);
    return parsers.getTypeParser(oid, format);
  }) as typeof parsers.getTypeParser,
};

/** Where a server stands among those that were promoted. */
export interface ServerHistory {
  readonly cluster: string;
  readonly timeline: number;
}
const NO_HISTORY: ServerHistory = { cluster: '', timeline: 0 };

/** The servers of one database, of which one accepts writes: which of them that is, as far as connections have found out. */
export class Servers {
  readonly #addresses: readonly string[];
  /** The server in use: the first, until it does not answer or refuses writes. */
  #current = 0;
  readonly #clients = new Set<ServerClient>();
  /** The newest timeline that was seen, by cluster: each promotion begins another one. */
  readonly #timelines = new Map<string, number>();
  /** Since when the server in use has answered no connection in time, by the monotonic clock; `undefined` if it answers. */
  #lateSince: number | undefined;
  /** How long a statement may take, by the server's clock. */
  readonly statementMs: number;

  constructor(addresses: readonly string[], statementMs: number) {
    this.#addresses = addresses;
    this.statementMs = statementMs;
  }

  get count(): number {
    return this.#addresses.length;
  }

  get current(): number {
    return this.#current;
  }

  /** The address of the server in use. */
  get address(): string {
    return this.#addresses[this.#current] ?? '';
  }

  joined(client: ServerClient): void {
    this.#clients.add(client);
    client.once('end', () => this.#clients.delete(client));
  }

  /**
   * Goes on with the next server, unless another caller has already left this one. A server that is merely late is asked once
   * more, because it may be this machine that is busy. Returns false if it is to be asked again.
   */
  failed(server: number, error?: unknown): boolean {
    if (server !== this.#current) return true;
    if (this.count > 1 && LATE.test(errorMessage(error))) {
      this.#lateSince ??= performance.now();
      if (performance.now() - this.#lateSince < CONNECT_MS) return false;
    }
    this.#lateSince = undefined;
    this.#current = (server + 1) % this.count;
    return true;
  }

  /** Closes all connections to a server that has fallen silent, so that nobody waits for it. */
  lost(server: number): void {
    this.failed(server);
    for (const client of this.#clients) if (client.server === server) client.destroy();
  }

  /**
   * Rejects if the server accepts no writes: a standby, which answers reads from a past that no write may rely on; or a former
   * primary, which does not know that another server was promoted meanwhile.
   */
  async assertPrimary(client: ServerClient): Promise<void> {
    const ask = <T extends object>(text: string) => client.ask<T>(text, CONNECT_MS);
    const state = await ask<{ transaction_read_only: string }>('show transaction_read_only');
    if (state?.transaction_read_only !== 'off') throw new Error('the server accepts no writes: it is a standby');
    const history = await ask<ServerHistory>(HISTORY).catch((error: unknown) => {
      if (error instanceof DatabaseError) return undefined;
      throw error;
    });
    client.history = history ?? NO_HISTORY;
    if (this.isFormer(client)) throw new Error('the server is a former primary: another one was promoted meanwhile');
    this.learn(client.history);
    this.#lateSince = undefined;
  }

  /** Notes a promotion, if it is one that was not known. */
  learn({ cluster, timeline }: ServerHistory): void {
    this.#timelines.set(cluster, Math.max(timeline, this.#timelines.get(cluster) ?? 0));
  }

  /** Returns whether a server was promoted after the one of this connection. */
  isFormer({ history: { cluster, timeline } }: ServerClient): boolean {
    return timeline < (this.#timelines.get(cluster) ?? 0);
  }
}

/** A connection to the server that was in use when it was made. */
export class ServerClient extends Client {
  readonly server: number;
  history = NO_HISTORY;
  readonly #socket: Socket;

  constructor(servers: Servers, settings: ClientConfig = {}) {
    const socket = new Socket();
    super({ ...optionsFor(servers, socket), ...settings });
    this.#socket = socket;
    this.server = servers.current;
    this.on('error', () => undefined); // whoever uses the connection is told by a rejection
    servers.joined(this);
  }

  /** Closes the connection without a word to the server. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Resolves with the first row of a question that the server must answer within `limitMs`. */
  async ask<T extends object>(text: string, limitMs: number): Promise<T | undefined> {
    return (await withDeadline(this.query<T>(text), limitMs)).rows[0];
  }
}

const optionsFor = ({ address, statementMs }: Servers, socket: Socket): ClientConfig => ({
  connectionString: address,
  stream: () => socket,
  application_name: 'hostkeep',
  statement_timeout: statementMs,
  query_timeout: statementMs + UNREACHED_MS,
  idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  types,
});
