import { connect, type Socket } from 'node:net';
import type { RowDataPacket } from 'mysql2';
import type { Pool } from 'mysql2/promise';
import { withDeadline } from '../../../kernel/concurrency/deadline.ts';
import type { ServerSettings } from '../schema.ts';
import { readOptionFile } from './option-file.ts';

export interface QueryLimits {
  readonly connectMs: number;
  readonly queryMs: number;
}

const CONNECTIONS = 2;
/** Bytes that a connection may receive for one statement: a server may be a customer's own, and hostile. */
const REPLY_BYTES = 64 * 2 ** 20;
const CLOSE_MS = 1000;
/**
 * Switches off SQL modes that change quoting, and limits statements on the server, too. MySQL does not know the
 * variable and rejects the second statement, which is ignored.
 */
const sessionSettings = (queryMs: number) => [
  "set session sql_mode = ''",
  `set session max_statement_time = ${queryMs / 1000}`,
];

export type SqlParameter = string | number | Uint8Array;

/** The server rejected the statement. All other errors of `query` concern the connection. */
export interface SqlError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly sqlState: string;
}

export function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && typeof (error as Partial<SqlError>).sqlState === 'string';
}

/** Connections to one server, bounded in number, time and bytes. */
export class MysqlClient {
  readonly #pool: Pool;
  readonly #sockets: PoolSockets;
  readonly #queryMs: number;

  private constructor(pool: Pool, sockets: PoolSockets, queryMs: number) {
    this.#pool = pool;
    this.#sockets = sockets;
    this.#queryMs = queryMs;
  }

  /** Reads the option file, if one is set. Connects on the first query. */
  static async open(settings: ServerSettings, { connectMs, queryMs }: QueryLimits): Promise<MysqlClient> {
    const file = settings.option_file === '' ? {} : await readOptionFile(settings.option_file);
    const path = settings.socket || file.socket;
    const host = settings.host || file.host || '127.0.0.1';
    const port = settings.port || Number(file.port ?? 3306);
    const sockets = new PoolSockets(() => (path ? connect(path) : connect(port, host)));
    // loaded only where there is a server, to save start-up time and memory
    const { createPool } = await import('mysql2');
    const pool = createPool({
      user: settings.user || (file.user ?? ''),
      password: settings.password || (file.password ?? ''),
      charset: 'utf8mb4',
      stream: () => sockets.open(),
      connectTimeout: connectMs,
      connectionLimit: CONNECTIONS,
      maxIdle: 1,
      idleTimeout: 60_000,
      queueLimit: 16,
    });
    pool.on('connection', (connection) => {
      for (const sql of sessionSettings(queryMs)) connection.query(sql, () => undefined);
    });
    return new MysqlClient(pool.promise(), sockets, queryMs);
  }

  /**
   * The driver quotes parameters, and writes bytes as `X'…'`. After any error but a `SqlError` the client is unusable.
   */
  async query<T>(sql: string, params: readonly SqlParameter[] = []): Promise<T[]> {
    const [rows] = await withDeadline(this.#pool.query<RowDataPacket[]>(sql, [...params]), this.#queryMs);
    this.#sockets.resetCounts();
    return rows as T[];
  }

  /** Says goodbye to the server if that answers, and closes all sockets in any case. */
  async close(): Promise<void> {
    try {
      await withDeadline(this.#pool.end(), CLOSE_MS);
    } catch {
      // a server that does not answer is a usual reason for closing
    } finally {
      this.#sockets.destroy();
    }
  }
}

/** The sockets of a pool. Destroys one that receives more than `REPLY_BYTES` for a statement. */
class PoolSockets {
  readonly #connect: () => Socket;
  /** Bytes that each socket had received at the end of the latest statement. */
  readonly #receivedBefore = new Map<Socket, number>();

  constructor(connectSocket: () => Socket) {
    this.#connect = connectSocket;
  }

  open(): Socket {
    const socket = this.#connect();
    this.#receivedBefore.set(socket, 0);
    socket.on('close', () => this.#receivedBefore.delete(socket));
    socket.on('data', () => {
      if (socket.bytesRead - (this.#receivedBefore.get(socket) ?? 0) > REPLY_BYTES)
        socket.destroy(new Error(`the server sent more than ${REPLY_BYTES} bytes`));
    });
    return socket;
  }

  resetCounts(): void {
    for (const socket of this.#receivedBefore.keys()) this.#receivedBefore.set(socket, socket.bytesRead);
  }

  destroy(): void {
    for (const socket of this.#receivedBefore.keys()) socket.destroy();
  }
}
