import { connect, type Socket } from 'node:net';
import type { Pool, PoolConnection } from 'mysql2';
import type { DatabaseClient, SqlParameter, SqlTable, TableLimits } from '../../../kernel/areas/database-servers.ts';
import type { ServerLogin } from '../../../kernel/kit/databases/mariadb-programs.ts';
import { isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import { withDeadline } from '../../../kernel/kit/waiting/deadline.ts';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';
import type { ServerSettings } from '../schema.ts';
import { readOptionFile } from './option-file.ts';

/** Resolves with the login of a server; reads the option file, if one is set. */
export async function readLogin(settings: ServerSettings): Promise<ServerLogin> {
  const file = settings.option_file === '' ? {} : await readOptionFile(settings.option_file);
  return {
    socket: settings.socket || (file.socket ?? ''),
    host: settings.host || file.host || '127.0.0.1',
    port: settings.port || Number(file.port ?? 3306),
    user: settings.user || (file.user ?? ''),
    password: settings.password || (file.password ?? ''),
  };
}

export interface QueryLimits {
  readonly connectMs: number;
  readonly queryMs: number;
}

/** Loaded where there is a server, to save start-up time and memory. */
const mysql2 = lazyPackage<typeof import('mysql2')>('mysql2', import.meta.url);
const CONNECTIONS = 3;
/** Limit of the reply to one statement: a server may be a customer's own, and hostile. */
const REPLY_BYTES = 16 * 2 ** 20;
/** The limit of what it says until it has let us in: the driver makes twenty times as much memory of it. */
const GREETING_BYTES = 2 ** 16;
const REPLY_ROWS = 100_000;
const CLOSE_MS = 1000;
/** Seconds for which the server keeps an unused connection; the largest value on every system. */
const IDLE_SECONDS = 2_147_483;
/**
 * Settings of each connection: SQL modes may change quoting, statements are limited on the server too, and a connection
 * that the server closes may not come back, because customers may hold all others. MySQL and MariaDB each reject the
 * other's variable, which is ignored.
 */
const sessionSettings = (queryMs: number) => [
  "set session sql_mode = ''",
  `set session max_statement_time = ${queryMs / 1000}`,
  `set session max_execution_time = ${queryMs}`,
  `set session wait_timeout = ${IDLE_SECONDS}`,
];

/** Connections to one server, bounded in number, time, bytes and rows. All are kept, so that nobody else can take them. */
export class MysqlClient implements DatabaseClient {
  readonly #pool: Pool;
  readonly #sockets: PoolSockets;
  readonly #queryMs: number;

  private constructor(pool: Pool, sockets: PoolSockets, queryMs: number) {
    this.#pool = pool;
    this.#sockets = sockets;
    this.#queryMs = queryMs;
  }

  /** Reads the option file, if one is set. Connects on the first query, and has at most so many connections. */
  static async open(
    settings: ServerSettings,
    { connectMs, queryMs }: QueryLimits,
    connections = CONNECTIONS,
  ): Promise<MysqlClient> {
    const { socket, host, port, user, password } = await readLogin(settings);
    const sockets = new PoolSockets(() => (socket === '' ? connect(port, host) : connect(socket)));
    const pool = mysql2().createPool({
      user,
      password,
      charset: 'utf8mb4',
      stream: () => sockets.open(),
      connectTimeout: connectMs,
      connectionLimit: connections,
      queueLimit: 16,
    });
    pool.on('connection', (connection) => {
      sockets.resetCounts();
      // statements tell their failures themselves; the driver listens to a connection's first one only
      connection.on('error', () => undefined);
      for (const sql of sessionSettings(queryMs)) connection.query(sql, () => undefined);
    });
    return new MysqlClient(pool, sockets, queryMs);
  }

  /**
   * The driver quotes parameters, and writes bytes as `X'…'`. `limitMs` shortens the time limit of the connection. After
   * any error but a `SqlError` the connection is closed.
   */
  query<T>(sql: string, params: readonly SqlParameter[] = [], limitMs = this.#queryMs): Promise<T[]> {
    return this.#run((connection) => rowsOf<T>(connection, sql, params), limitMs);
  }

  async table(sql: string, { ms, ...bounds }: TableLimits): Promise<SqlTable> {
    return this.#run((connection) => tableOf(connection, sql, bounds), ms);
  }

  async #run<T>(work: (connection: PoolConnection) => Promise<T>, limitMs: number): Promise<T> {
    const connection = await this.#connection();
    try {
      const late = () => Object.assign(new Error(`no answer within ${limitMs} ms`), { code: 'ETIMEDOUT' });
      const result = await withDeadline(work(connection), limitMs, late);
      this.#sockets.resetCounts();
      connection.release();
      return result;
    } catch (error) {
      if (isSqlError(error)) connection.release();
      else connection.destroy();
      throw error;
    }
  }

  /** Opens as many connections as there may be. Rejects, and closes the client, if there is none. */
  async reserve(): Promise<void> {
    const opened = await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => this.#connection()));
    for (const each of opened) if (each.status === 'fulfilled') each.value.release();
    const [first] = opened;
    if (first?.status !== 'rejected' || opened.some(({ status }) => status === 'fulfilled')) return;
    await this.close();
    throw first.reason;
  }

  /** Says goodbye to the server if that answers, and closes all sockets in any case. */
  async close(): Promise<void> {
    try {
      await withDeadline(new Promise<void>((resolve) => this.#pool.end(() => resolve())), CLOSE_MS);
    } catch {
      // a server that does not answer is a usual reason for closing
    } finally {
      this.#sockets.destroy();
    }
  }

  async #connection(): Promise<PoolConnection> {
    let isLate = false;
    const connected = new Promise<PoolConnection>((resolve, reject) => {
      this.#pool.getConnection((error, connection) => {
        if (error) reject(error);
        else if (isLate) connection.release();
        else resolve(connection);
      });
    });
    return withDeadline(connected, this.#queryMs).catch((error: unknown) => {
      isLate = true;
      throw error;
    });
  }
}

/** Reads the rows of one statement up to a bound, as they arrive. */
function rowsOf<T>(connection: PoolConnection, sql: string, params: readonly SqlParameter[]): Promise<T[]> {
  return untilLost(connection, (resolve, reject) => {
    const rows: T[] = [];
    connection
      .query(sql, [...params])
      .on('error', reject)
      .on('result', (row) => {
        if (rows.push(row as T) <= REPLY_ROWS) return;
        connection.destroy();
        reject(tooMuch('rows'));
      })
      .on('end', () => resolve(rows));
  });
}

/** Reads the first rows of one statement; the connection is closed if there are more. */
function tableOf(
  connection: PoolConnection,
  sql: string,
  limits: { readonly rows: number; readonly bytes: number },
): Promise<SqlTable> {
  return untilLost(connection, (resolve, reject) => {
    let columns: readonly string[] = [];
    const rows: (Buffer | null)[][] = [];
    let sizeBytes = 0;
    connection
      .query({ sql, rowsAsArray: true, typeCast: false })
      .on('error', reject)
      .on('fields', (fields: readonly { readonly name: string }[] | undefined) => {
        columns = fields?.map(({ name }) => name) ?? [];
      })
      .on('result', (row: unknown) => {
        if (!Array.isArray(row)) return; // what a statement without rows did
        const values = row as (Buffer | null)[];
        sizeBytes += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
        if (rows.length < limits.rows && sizeBytes <= limits.bytes) rows.push(values);
        else {
          connection.destroy();
          resolve({ columns, rows, isCut: true });
        }
      })
      .on('end', () => resolve({ columns, rows, isCut: false }));
  });
}

/** With a code, as errors of the driver have one: the server is at fault. */
const tooMuch = (what: string): Error =>
  Object.assign(new Error(`the server sent too many ${what}`), { code: 'EMSGSIZE' });

/** Rejects, too, if the connection is lost, of which the driver tells the statement itself nothing. */
async function untilLost<T>(
  connection: PoolConnection,
  run: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  let onLost: (error: Error) => void = () => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      onLost = reject;
      connection.once('error', onLost);
      run(resolve, reject);
    });
  } finally {
    connection.off('error', onLost);
  }
}

/** The sockets of a pool. Destroys one that receives more than `REPLY_BYTES` for a statement. */
class PoolSockets {
  readonly #connect: () => Socket;
  /** Bytes that each socket had received at the end of the latest statement; less before it was let in. */
  readonly #receivedBefore = new Map<Socket, number>();

  constructor(connectSocket: () => Socket) {
    this.#connect = connectSocket;
  }

  open(): Socket {
    const socket = this.#connect();
    this.#receivedBefore.set(socket, GREETING_BYTES - REPLY_BYTES);
    socket.on('close', () => this.#receivedBefore.delete(socket));
    socket.on('data', () => {
      if (socket.bytesRead - (this.#receivedBefore.get(socket) ?? 0) > REPLY_BYTES) socket.destroy(tooMuch('bytes'));
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
