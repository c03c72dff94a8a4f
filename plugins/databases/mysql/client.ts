/** The only import of mysql2: connections to one server, bounded in number, time and bytes. */
import { connect, type Socket } from 'node:net';
import type { RowDataPacket } from 'mysql2';
import type { Pool } from 'mysql2/promise';
import { readOptionFile } from './option-file.ts';
import type { ServerSettings } from '../schema.ts';

export interface QueryLimits {
  readonly connectMs: number;
  readonly queryMs: number;
}

const CONNECTIONS = 2;
/** Most that a connection may send between two statements; a server may be the customer's own, and hostile. */
const REPLY_BYTES = 64 * 2 ** 20;
const CLOSE_MS = 1000;
/**
 * Modes that change how texts are quoted are switched off, and a statement ends by itself where the server can do
 * that: MySQL does not know the variable and says so.
 */
const sessionSettings = (queryMs: number) => [
  "set session sql_mode = ''",
  `set session max_statement_time = ${queryMs / 1000}`,
];

export type SqlParameter = string | number | Uint8Array;

/** What `query` throws when the server itself refused the statement; other errors are those of the way to it. */
export interface SqlError extends Error {
  readonly code: string;
  readonly errno: number;
  readonly sqlState: string;
}

export function isSqlError(error: unknown): error is SqlError {
  return error instanceof Error && typeof (error as Partial<SqlError>).sqlState === 'string';
}

export class MysqlClient {
  readonly #pool: Pool;
  readonly #wires: PoolSockets;
  readonly #queryMs: number;

  private constructor(pool: Pool, wires: PoolSockets, queryMs: number) {
    this.#pool = pool;
    this.#wires = wires;
    this.#queryMs = queryMs;
  }

  /** Reads the option file, if there is one; connects when first asked. */
  static async open(settings: ServerSettings, { connectMs, queryMs }: QueryLimits): Promise<MysqlClient> {
    const file = settings.option_file === '' ? {} : await readOptionFile(settings.option_file);
    const path = settings.socket || file.socket;
    const host = settings.host || file.host || '127.0.0.1';
    const port = settings.port || Number(file.port ?? 3306);
    const wires = new PoolSockets(() => (path ? connect(path) : connect(port, host)));
    const { createPool } = await import('mysql2'); // loaded where there is a server, because start-up and memory are counted
    const pool = createPool({
      user: settings.user || (file.user ?? ''),
      password: settings.password || (file.password ?? ''),
      charset: 'utf8mb4',
      stream: () => wires.open(),
      connectTimeout: connectMs,
      connectionLimit: CONNECTIONS,
      maxIdle: 1,
      idleTimeout: 60_000,
      queueLimit: 16,
    });
    pool.on('connection', (connection) => {
      for (const sql of sessionSettings(queryMs)) connection.query(sql, () => undefined);
    });
    return new MysqlClient(pool.promise(), wires, queryMs);
  }

  /** Parameters are quoted by the driver; bytes are written as `X'…'`. After any error but a `SqlError` the client is of no use any more. */
  async query<T>(sql: string, params: readonly SqlParameter[] = []): Promise<T[]> {
    const [rows] = await within(this.#queryMs, this.#pool.query<RowDataPacket[]>(sql, [...params]));
    this.#wires.forgive();
    return rows as T[];
  }

  /** Takes leave of the server where that answers, and closes everything in any case. */
  async close(): Promise<void> {
    try {
      await within(CLOSE_MS, this.#pool.end());
    } catch {
      // it is being left because it does not answer
    } finally {
      this.#wires.destroy();
    }
  }
}

/** The sockets of a pool. One that receives more than any answer of ours can be is destroyed. */
class PoolSockets {
  readonly #connect: () => Socket;
  /** Bytes that each had received when the last statement was done. */
  readonly #marks = new Map<Socket, number>();

  constructor(connectSocket: () => Socket) {
    this.#connect = connectSocket;
  }

  open(): Socket {
    const socket = this.#connect();
    this.#marks.set(socket, 0);
    socket.on('close', () => this.#marks.delete(socket));
    socket.on('data', () => {
      if (socket.bytesRead - (this.#marks.get(socket) ?? 0) > REPLY_BYTES)
        socket.destroy(new Error(`the server sent more than ${REPLY_BYTES} bytes`));
    });
    return socket;
  }

  forgive(): void {
    for (const socket of this.#marks.keys()) this.#marks.set(socket, socket.bytesRead);
  }

  destroy(): void {
    for (const socket of this.#marks.keys()) socket.destroy();
  }
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
