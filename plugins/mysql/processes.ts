import type { Host } from '../../kernel/contract/plugin.ts';
import type { DatabaseClient } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { isSqlError, userText, type UserName } from '../../kernel/kit/databases/mysql-text.ts';
import type { AccountServers, OwnServer } from './account-servers.ts';
import { fail } from './errors.ts';
import type { DatabaseProcesses } from './schema.ts';
import { readNamedUsers } from './users/users.ts';

const LISTED = 1000;
const STATEMENT_CHARACTERS = 1000;
/** There is no such thread any more. */
const NO_THREAD = 1094;

interface Parts extends Pick<Host, 'store' | 'events'> {
  readonly servers: AccountServers;
}

/** Lists and ends what the database users of accounts are doing. */
export class Processes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(account: Account): Promise<DatabaseProcesses> {
    return this.#parts.servers.with(account, readProcesses);
  }

  /** Errors: 404 `database_process_not_found`. */
  end(account: Account, id: string, ip: string): Promise<void> {
    return this.#parts.servers.with(account, async (server) => {
      const found = (await readProcesses(server)).find((each) => String(each.id) === id);
      if (found === undefined || !(await kill(server.client, found.id)))
        throw fail.database_process_not_found('there is no such process');
      const data = { user: found.user, host: found.client };
      const text = `ended a process of the database user ${found.user}`;
      await this.#parts.store.write((tx) =>
        this.#parts.events.record(tx, { type: 'database_user.process_ended', account, ip, text, data }),
      );
    });
  }
}

/** Ends all processes of users who can no longer log in; not where another user has the same name, with another host. */
export async function endProcesses(client: DatabaseClient, users: readonly UserName[]): Promise<void> {
  if (users.length === 0) return;
  const names = [...new Set(users.map(({ name }) => name))].map((name) => Buffer.from(name));
  const known = new Set(users.map(userText));
  const all = await client.query<UserName>(
    "select user as name, host from mysql.global_priv where user in (?) and coalesce(json_value(priv, '$.account_locked'), 0) = 0",
    [names],
  );
  const open = new Set(all.filter((user) => !known.has(userText(user))).map(({ name }) => name));
  const closed = users.filter(({ name }) => !open.has(name));
  await endProcessesNamed(client, closed);
}

/** Ends the processes of all users with these names, wherever they connect from; or only those that wait for a statement. */
export async function endProcessesNamed(
  client: DatabaseClient,
  users: readonly Pick<UserName, 'name'>[],
  isIdleOnly = false,
): Promise<void> {
  if (users.length === 0) return;
  const rows = await client.query<{ id: number }>(
    `select id from information_schema.processlist where user in (?) ${isIdleOnly ? "and command = 'Sleep'" : ''}`,
    [[...new Set(users.map(({ name }) => name))].map((name) => Buffer.from(name))],
  );
  for (const { id } of rows) await kill(client, id);
}

/** Leaves out users whose name one of the operator's has, too. */
async function readProcesses({ client, ownNames }: OwnServer): Promise<DatabaseProcesses> {
  const { own, others } = await readNamedUsers(client, await ownNames());
  const foreign = new Set(others.map(({ name }) => name));
  const names = [...new Set(own.map(({ name }) => name))].filter((name) => !foreign.has(name));
  if (names.length === 0) return [];
  const rows = await client.query<Record<string, string | number | null>>(
    `select id, user, host, db, command, time, state, left(info, ${STATEMENT_CHARACTERS}) as statement
      from information_schema.processlist where user in (?) order by time desc, id limit ${LISTED}`,
    [names.map((name) => Buffer.from(name))],
  );
  const text = (value: string | number | null | undefined) => String(value ?? '');
  return rows.map((row) => ({
    id: Number(row['id']),
    user: text(row['user']),
    client: text(row['host']),
    database: text(row['db']),
    command: text(row['command']),
    seconds: Number(row['time'] ?? 0),
    state: text(row['state']),
    statement: text(row['statement']),
  }));
}

/** Resolves with whether there was such a process. */
async function kill(client: DatabaseClient, id: number): Promise<boolean> {
  try {
    await client.query(`kill connection ${id}`);
    return true;
  } catch (error) {
    if (isSqlError(error) && error.errno === NO_THREAD) return false;
    throw error;
  }
}
