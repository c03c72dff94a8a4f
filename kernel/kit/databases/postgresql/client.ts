import { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { lazyPackage } from '../../programs/lazy-package.ts';
import { withDeadline } from '../../waiting/deadline.ts';
import { LoadedStatement } from './loaded-statement.ts';
import { RowsOf, type RowLimits, type Rows } from './rows-of.ts';

/** How to reach a server, and as whom. */
export interface PostgresqlLogin {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface ClientOptions {
  readonly database: string;
  readonly connectMs: number;
  /** 0 for no limit. */
  readonly queryMs: number;
  /** See `OPTIONS`. */
  readonly settings?: readonly string[];
}

/** The server rejected a statement, or a connection. */
export interface SqlFailure extends Error {
  /** SQLSTATE. */
  readonly code: string;
  /** Of the statement's character that it is about, from 1. */
  readonly position?: string;
}

/** Loaded where there is a server, to save start-up time and memory. */
const pg = lazyPackage<typeof import('pg')>('pg', import.meta.url);
/** Limit of the reply to one statement: a server may be hostile, and a statement a customer's. */
const REPLY_BYTES = 64 * 2 ** 20;
/** Longer than any statement may run without a word between. */
const SILENCE_MS = 2 * 3_600_000;
const CLOSE_MS = 1000;
/**
 * No name in a statement means anything of a customer's: what belongs to the server comes first, and temporary tables last. Options of
 * the connection count more than those that somebody set for a database or a role.
 */
const OPTIONS = [
  ...['search_path=pg_catalog,pg_temp', 'lock_timeout=5s', 'default_transaction_read_only=off', 'row_security=on'],
  ...['standard_conforming_strings=on', 'check_function_bodies=off', 'idle_session_timeout=0'],
];
/** States that are no verdict on a statement: the server has no room or time, or stops. */
const NO_VERDICT = /^(08|53|57|58|XX)/;

/** States after which there is no connection any more. */
const GONE = /^(08|57P)/;

/** Whether the server has refused a statement, so that nothing was changed by it. */
export function isVerdict(error: unknown): error is SqlFailure {
  return error instanceof pg().DatabaseError && !NO_VERDICT.test(error.code ?? '');
}

/** Whether a statement has failed at a server that goes on. */
export function hasFailed(error: unknown): error is SqlFailure {
  return error instanceof pg().DatabaseError && !GONE.test(error.code ?? '');
}

/** Whether an error is the server's, or one of the connection to it. */
export function isFailure(error: unknown): boolean {
  return error instanceof ConnectionFailure || error instanceof pg().DatabaseError;
}

/** There was no connection, it was lost, or no answer came in time. */
export class ConnectionFailure extends Error {}

/** One connection to one database of a server, bounded in time and bytes. */
export class PostgresqlClient {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #queryMs: number;
  /** Bytes that were received before the latest statement. */
  #readBefore = 0;

  private constructor(client: Client, socket: Socket, queryMs: number) {
    this.#client = client;
    this.#socket = socket;
    this.#queryMs = queryMs;
    socket.on('data', () => {
      if (socket.bytesRead - this.#readBefore > REPLY_BYTES)
        socket.destroy(new Error(`the server sent more than ${REPLY_BYTES} bytes`));
    });
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`no answer within ${SILENCE_MS} ms`)));
  }

  /** Runs `work` with a connection, and closes it. Rejects as `#open` does, and with errors of `work`. */
  static async use<T>(
    login: PostgresqlLogin,
    options: ClientOptions,
    work: (client: PostgresqlClient) => Promise<T>,
  ): Promise<T> {
    const client = await PostgresqlClient.#open(login, options);
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  /** Rejects with `ConnectionFailure`, and with the server's error if it refuses. */
  static async #open(
    login: PostgresqlLogin,
    { database, connectMs, queryMs, settings = [...OPTIONS, `statement_timeout=${queryMs}`] }: ClientOptions,
  ): Promise<PostgresqlClient> {
    const socket = new Socket();
    const options = settings.map((each) => `-c ${each}`).join(' ');
    const config: ClientConfig = {
      ...{ host: login.host, port: login.port, user: login.user, password: login.password, database, options },
      ...{ application_name: 'hostkeep', ssl: false, stream: () => socket },
    };
    const client = new (pg().Client)(config);
    client.on('error', () => undefined); // the statement says so, or the next one
    const opened = new PostgresqlClient(client, socket, queryMs);
    try {
      const connected = client.connect().then(() => undefined);
      await withDeadline(connected, connectMs);
    } catch (error) {
      socket.destroy();
      throw judged(error);
    }
    return opened;
  }

  /** Rejects with `ConnectionFailure`, after which the connection is closed, and with the server's error. */
  async query<T extends object>(sql: string, values: readonly (string | number)[] = []): Promise<T[]> {
    return this.#run(async () => (await this.#client.query<T>(sql, [...values])).rows);
  }

  /** Runs a statement. Resolves with the server's remarks about it. */
  async remarks(sql: string): Promise<string[]> {
    const remarks: string[] = [];
    const hear = ({ message }: { readonly message?: string | undefined }) => void remarks.push(message ?? '');
    this.#client.on('notice', hear);
    try {
      await this.query(sql);
      return remarks;
    } finally {
      this.#client.off('notice', hear);
    }
  }

  /** Runs what a customer wrote: resolves with the first rows, and leaves the rest unread. */
  async rowsOf(sql: string, limits: RowLimits): Promise<Rows> {
    return this.#run(() => this.#client.query(new RowsOf(sql, limits)).ended);
  }

  /** Runs what a customer wrote, whatever its result; if the server takes rows for it, they are those of `rows`, whose errors it rejects with, too. */
  async load(sql: string, rows: () => AsyncIterable<Buffer>): Promise<void> {
    const statement = new LoadedStatement(sql, rows);
    try {
      await this.#run(() => this.#client.query(statement).ended);
    } catch (error) {
      throw statement.fault ?? error;
    }
  }

  /** Runs statements in one transaction. */
  async transaction(statements: readonly string[]): Promise<void> {
    if (statements.length > 0) await this.query(statements.join(';\n')); // which the simple protocol runs as one
  }

  /** Closes the connection at once: what runs fails. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Says goodbye to the server if that answers, and closes the socket in any case. */
  async close(): Promise<void> {
    try {
      if (!this.#socket.destroyed) await withDeadline(this.#client.end(), CLOSE_MS);
    } catch {
      // a server that does not answer is a usual reason for closing
    } finally {
      this.#socket.destroy();
    }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#readBefore = this.#socket.bytesRead;
    try {
      if (this.#socket.destroyed) throw new Error('the connection is closed');
      return await (this.#queryMs === 0 ? work() : withDeadline(work(), this.#queryMs + CLOSE_MS));
    } catch (error) {
      const known = judged(error);
      if (known instanceof ConnectionFailure) this.#socket.destroy();
      throw known;
    }
  }
}

function judged(error: unknown): unknown {
  if (error instanceof pg().DatabaseError || !(error instanceof Error)) return error;
  return new ConnectionFailure(error.message, { cause: error });
}
