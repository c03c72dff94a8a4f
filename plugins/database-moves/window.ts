/** The time in which nobody may change the databases of an account: what is locked, and what ends that. */
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseClient } from '../../kernel/areas/database-servers.ts';
import { identifier, isSqlError, quotedUser, userText, type UserName } from '../../kernel/kit/databases/mysql-text.ts';
import { BRIEF_MS, refused, type MoveServer } from './server.ts';
import { nameBytes, type MovedDatabase } from './contents/tables.ts';
import { fail } from './errors.ts';

/** How long transactions may go on that have written, and at the end those that read. */
const LOCK_SECONDS = 30;
/** Until tables are locked: each may wait for another transaction. */
const TAKE_MS = 4000 * LOCK_SECONDS;
/** Until the connections of users have ended. */
const KILL_MS = 30_000;
const POLL_MS = 50;
const WATCH_MS = 200;
/** There is no such thread, or no such user, any more. */
const [NO_THREAD, NO_USER] = [1094, 1396];
const LOCK_TIMEOUT = 1205;

/** Read locks on tables. The server ends them with their connection, however that ends. */
export class TableLocks {
  readonly #client: DatabaseClient;
  readonly #connection: number;

  private constructor(client: DatabaseClient, connection: number) {
    this.#client = client;
    this.#connection = connection;
  }

  /** Waits for transactions that have written. Errors: 409 `move_refused` if they do not end. */
  static async take(server: MoveServer, databases: readonly MovedDatabase[]): Promise<TableLocks> {
    const client = await server.open(1);
    try {
      await client.query(`set session lock_wait_timeout = ${LOCK_SECONDS}`, [], BRIEF_MS);
      await lockTables(client, databases, 'read');
      return new TableLocks(client, await connectionOf(client));
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** Rejects if the connection was lost, or says nothing. */
  async assertHeld(): Promise<void> {
    const held = await connectionOf(this.#client).catch(() => undefined); // said below, as for another connection
    if (held !== this.#connection)
      throw fail.databases_unavailable('the connection that held the locks was lost, or does not answer');
  }

  /**
   * Has statements fail that would change these databases, while `work` reads them: the server lets no reader past a change of
   * a table's definition that waits for the locks.
   */
  async whileReading<T>(client: DatabaseClient, databases: readonly string[], work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const watch = async () => {
      // aborted, as the loop sees
      for (; !ended.signal.aborted; await delay(WATCH_MS, undefined, ended).catch(() => undefined))
        await endWaiting(client, databases);
    };
    const watching = watch();
    watching.catch(() => undefined); // for the caller, in the end
    try {
      return await work();
    } finally {
      ended.abort();
      await watching;
    }
  }

  /** Ends the connections that use one of these databases, or wait for its tables; what they were about to do fails. */
  async endOthers(client: DatabaseClient, databases: readonly string[]): Promise<void> {
    const own = [this.#connection, await connectionOf(client)];
    const rows = await client.query<{ id: number; db: string | null; waitsFor: string | null }>(
      `select id, db, if(state like 'Waiting for table%', left(info, 100000), null) as waitsFor
        from information_schema.processlist where db is not null or state like 'Waiting for table%'`,
    );
    const concerned = ({ db, waitsFor }: (typeof rows)[number]) =>
      databases.some((name) => db === name || namesIn(waitsFor ?? '', name));
    for (const row of rows) if (!own.includes(row.id) && concerned(row)) await kill(client, row.id);
  }

  /**
   * Has nobody else read these tables any more, either. Resolves with the connection that can use them. The server lets in
   * between who waited to write, so that what was read under the locks may have changed.
   */
  async exclude(databases: readonly MovedDatabase[]): Promise<DatabaseClient> {
    await lockTables(this.#client, databases, 'write');
    return this.#client;
  }

  release(): Promise<void> {
    return this.#client.close();
  }
}

async function lockTables(client: DatabaseClient, databases: readonly MovedDatabase[], how: 'read' | 'write') {
  const tables = databases.flatMap(({ name, tables: all }) =>
    all.map((table) => `${identifier(name)}.${identifier(table.name)} ${how}`),
  );
  if (tables.length === 0) return;
  try {
    await client.query(`lock tables ${tables.join(', ')}`, [], TAKE_MS);
  } catch (error) {
    if (!isSqlError(error) || error.errno !== LOCK_TIMEOUT) throw error;
    const does = how === 'read' ? 'has changed' : 'reads';
    throw refused(`a transaction ${does} the databases, and has not ended for ${LOCK_SECONDS} s`);
  }
}

async function endWaiting(client: DatabaseClient, databases: readonly string[]): Promise<void> {
  if (databases.length === 0) return;
  const rows = await client.query<{ id: number }>(
    `select id from information_schema.processlist where state = 'Waiting for table metadata lock' and db in (?)
      and user <> substring_index(user(), '@', 1) and info not regexp '^[[:space:]]*select'`,
    [nameBytes(databases)],
  );
  for (const { id } of rows) await kill(client, id, 'query');
}

/** Whether a statement names a database; a text in it that is the same word counts, too. */
function namesIn(statement: string, database: string): boolean {
  const words: readonly string[] = statement.match(/[\w$\u{80}-\u{10ffff}]+/gu) ?? [];
  return words.includes(database) || statement.includes(identifier(database));
}

async function connectionOf(client: DatabaseClient): Promise<number> {
  return (await client.query<{ id: number }>('select connection_id() as id', [], BRIEF_MS))[0]?.id ?? 0;
}

export async function lockUsers(client: DatabaseClient, users: readonly UserName[]): Promise<void> {
  for (const user of users) await client.query(`alter user ${quotedUser(user)} account lock`);
}

export async function unlockUser(client: DatabaseClient, user: UserName): Promise<void> {
  try {
    await client.query(`alter user ${quotedUser(user)} account unlock`);
  } catch (error) {
    if (!isSqlError(error) || error.errno !== NO_USER) throw error;
  }
}

/**
 * Ends the connections of users who are locked, and waits until they have ended. Where another user has the name of one, with
 * another host, only those connections end that use these databases.
 */
export async function endConnections(
  client: DatabaseClient,
  users: readonly UserName[],
  databases: readonly string[],
): Promise<void> {
  if (users.length === 0) return;
  const names = [...new Set(users.map(({ name }) => name))];
  const all = await client.query<UserName>('select user as name, host from mysql.global_priv where user in (?)', [
    nameBytes(names),
  ]);
  const own = new Set(users.map(userText));
  const shared = new Set(all.filter((each) => !own.has(userText(each))).map(({ name }) => name));
  for (const end = performance.now() + KILL_MS; performance.now() < end; await delay(POLL_MS)) {
    const rows = await client.query<{ id: number; user: string; db: string | null }>(
      'select id, user, db from information_schema.processlist where user in (?)',
      [nameBytes(names)],
    );
    const concerned = rows.filter(({ user, db }) => !shared.has(user) || databases.includes(db ?? ''));
    if (concerned.length === 0) return;
    for (const { id } of concerned) await kill(client, id);
  }
  throw fail.databases_unavailable(`connections of the account's database users do not end`);
}

async function kill(client: DatabaseClient, id: number, what = 'connection'): Promise<void> {
  try {
    await client.query(`kill ${what} ${id}`);
  } catch (error) {
    if (!isSqlError(error) || error.errno !== NO_THREAD) throw error;
  }
}
