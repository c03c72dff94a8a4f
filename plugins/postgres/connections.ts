import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { fail, errorMessage, type HttpError } from '../../kernel/errors.ts';
import type { SqlValue } from '../../kernel/store/sqlite/connection.ts';
import { CONNECT_MS, ServerClient, type Servers } from './servers.ts';
import { toStatement, type Statement } from './statements.ts';

const IDLE_MS = 60_000;

/** Message of the pool if all of its connections were in use for `CONNECT_MS`. */
const ALL_IN_USE = 'timeout exceeded when trying to connect';

/** Codes of SQLSTATE that are no verdict on a statement: the server has no room or time, or is not the primary any more. */
const NO_VERDICT = /^(08|53|57|25006)/;

/** The code of mere notices. */
const NO_WARNING = '00000';

/** The connection, or the primary, is gone; or a statement took too long, so that nobody waits for its connection. */
export class ConnectionLost extends Error {}

/** Returns the 503 for a database that cannot be reached, without stacks: an outage is no fault of the code. */
export function unreachable(cause: unknown): HttpError {
  const error = fail.store_unavailable('the store cannot be reached', { retryAfterSeconds: 1, cause });
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    each.stack = `${each.name}: ${each.message}`;
  return error;
}

/** No server accepts writes or has a connection to spare, or all that this process may have are in use. */
export class NoConnection extends ConnectionLost {}

/** Connections to the one of several servers that accepts writes. */
export class Connections {
  readonly #servers: Servers;
  readonly #pool: Pool;

  /** `size` is the number of connections that may be open. */
  constructor(servers: Servers, size: number) {
    this.#servers = servers;
    this.#pool = new Pool({
      max: size,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      Client: class extends ServerClient {
        constructor() {
          super(servers);
        }
      },
      onConnect: (client: ServerClient) => servers.assertPrimary(client),
    } as unknown as PoolConfig);
    this.#pool.on('error', () => undefined); // of an idle connection, which the pool replaces
  }

  /**
   * Runs `work` with a connection, which is closed afterwards if it, or its server, is gone. Tries the next server then, so
   * that the next call may succeed. Rejects with `NoConnection` if `work` did not begin.
   */
  async use<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    try {
      return await work(new PostgresClient(client));
    } catch (error) {
      broken = error instanceof ConnectionLost;
      if (broken) this.#servers.failed(client.server);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Asks each server once, or once more if it is late; waits for a connection that is in use. */
  async #connect(): Promise<PoolClient & ServerClient> {
    for (let attempt = 1; ; attempt += 1) {
      const tried = this.#servers.current;
      try {
        return await this.#current();
      } catch (error) {
        const isBusy = errorMessage(error) === ALL_IN_USE; // which is no fault of the server
        if (!isBusy && !this.#servers.failed(tried, error)) attempt -= 1;
        else if (isBusy || attempt >= this.#servers.count)
          throw new NoConnection(errorMessage(error), { cause: error });
      }
    }
  }

  /** Closes those that are left of a server that is not the primary any more. */
  async #current(): Promise<PoolClient & ServerClient> {
    for (;;) {
      const client = (await this.#pool.connect()) as PoolClient & ServerClient;
      if (!this.#servers.isFormer(client)) return client;
      client.release(true);
    }
  }
}

/** One connection, and its statements in the store's dialect. */
export class PostgresClient {
  readonly #client: PoolClient & ServerClient;

  constructor(client: PoolClient & ServerClient) {
    this.#client = client;
  }

  /** See `ServerClient.server`. */
  get server(): number {
    return this.#client.server;
  }

  async query<T extends object>({ name, text }: Statement, params: readonly SqlValue[]): Promise<QueryResult<T>> {
    return this.#client.query<T>({ name, text, values: params.map(storable) }).catch(judge);
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return (await this.query<T & object>(toStatement(sql), params)).rows;
  }

  /** Runs statements without parameters, in the dialect of PostgreSQL; `limitMs` is for those whose time is not that of all. */
  async script(sql: string, limitMs?: number): Promise<void> {
    const limit = limitMs === undefined ? {} : { query_timeout: limitMs };
    await this.#client.query({ text: sql, ...limit }).catch(judge);
  }

  /**
   * Resolves once the transaction is as durable as the server makes them. Rejects with `ConnectionLost` also if the server
   * warns: one that was told not to wait for its standby any longer calls it committed, and means on its own disk.
   */
  async commit(): Promise<void> {
    let doubt: string | undefined;
    const hear = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
      if (code !== NO_WARNING) doubt = message ?? 'the server warned';
    };
    this.#client.on('notice', hear);
    try {
      const { command } = await this.#client.query('commit').catch(judge);
      if (command !== 'COMMIT') throw new Error('nothing was committed: one of the statements had failed');
      if (doubt !== undefined) throw new ConnectionLost(doubt);
    } finally {
      this.#client.off('notice', hear);
    }
  }
}

/** PostgreSQL has no U+0000 in texts: it is replaced, as no text that is stored or looked for has it for a reason. */
const storable = (value: SqlValue): SqlValue =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;

function judge(error: unknown): never {
  if (error instanceof DatabaseError && !NO_VERDICT.test(error.code ?? '')) throw error;
  throw new ConnectionLost(errorMessage(error), { cause: error });
}
