import type { Host } from '../../kernel/contract/plugin.ts';
import { countElsewhere, type DatabaseClient, type OwnNames } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { identifier, isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import { readInnodbFiles } from '../../kernel/kit/databases/mariadb/innodb-files.ts';
import { assertGoesOn } from '../../kernel/kit/databases/size-limit.ts';
import type { AccountServers } from './account-servers.ts';
import { makeChange, type Changes } from './changes.ts';
import { fail } from './errors.ts';
import { revokeAccess } from './users/grants.ts';
import type { DatabaseTables } from './schema.ts';
import { isTemporary } from './users/temporary-users.ts';
import { dropUser } from './users/user-statements.ts';
import { readUsers } from './users/users.ts';
import type { Writing } from './writing/writing.ts';

/** Of the server. */
const NAME_CHARACTERS = 64;
const LISTED_TABLES = 1000;
/** There is such a database already, or the name is the server's own. */
const TAKEN = [1007, 1044];

/** See `ExtensionPoints.databasesElsewhere`. */
export const ENGINE = 'mariadb';

interface Parts extends Pick<Host, 'gather'> {
  readonly servers: AccountServers;
  readonly changes: Changes;
  readonly writing: Writing;
}

/** Makes and drops the databases of accounts. */
export class Databases {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the names, sorted. */
  list(account: Account): Promise<string[]> {
    return this.#parts.servers.with(account, async ({ ownNames }) => [...(await ownNames()).databases].toSorted());
  }

  /** Resolves with how many there are, those included that are being made. */
  async count(account: Account): Promise<number> {
    if (this.#parts.servers.of(account) === undefined) return 0;
    const making = await this.#parts.changes.making(account); // before: what is made meanwhile counts once more
    return new Set([...(await this.list(account)), ...making]).size;
  }

  /**
   * Resolves with the whole name. Errors: 400 `invalid_database_name`; 409 `database_exists`, `database_limit_reached`,
   * `database_size_limit_reached`, `request_in_progress`.
   */
  async create(account: Account, suffix: string, ip: string): Promise<string> {
    await assertGoesOn(this.#parts.writing, account);
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const name = wholeName(await ownNames([]), suffix, NAME_CHARACTERS);
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'database', name, host: '', change: 'create', ip },
        {
          make: async (earlier) => {
            const { databases } = await ownNames(); // after `earlier` was read
            if (databases.includes(name)) throw fail.database_exists(`there is a database ${name} already`);
            const limit = account.plan?.limits['db_limit'] ?? 0;
            const used = new Set([...databases, ...earlier.map((each) => each.name)]).size;
            if (limit > 0 && used + (await countElsewhere(this.#parts, account, ENGINE)) >= limit)
              throw fail.database_limit_reached(`the plan allows ${limit} database${limit === 1 ? '' : 's'}`);
            await createDatabase(client, name);
          },
          undo: () => client.query(`drop database if exists ${identifier(name)}`),
        },
      );
      return name;
    });
  }

  /** Drops it with all that is in it, and the rights on it. Errors: 404 `database_not_found`, 409 `request_in_progress`. */
  drop(account: Account, name: string, ip: string): Promise<void> {
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const own = await ownNames([name]);
      assertOwn(own, name);
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'database', name, host: '', change: 'drop', ip },
        {
          make: () => dropDatabase(client, own, name),
        },
      );
    });
  }

  /** Resolves with the first tables and views by name. Errors: 404 `database_not_found`. */
  tables(account: Account, name: string): Promise<DatabaseTables> {
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      assertOwn(await ownNames([name]), name);
      const [count] = await client.query<{ n: number }>(
        'select count(*) as n from information_schema.tables where table_schema = ?',
        [name],
      );
      const rows = await client.query<{ name: string; engine: string | null; n: number | null; bytes: number | null }>(
        `select table_name as name, engine, table_rows as n, data_length + index_length as bytes
          from information_schema.tables where table_schema = ? order by table_name limit ${LISTED_TABLES}`,
        [name],
      );
      const files = await readInnodbFiles(client, name);
      const tables = rows.map((row) => ({
        name: row.name,
        engine: row.engine ?? '',
        rows: Number(row.n ?? 0),
        size_bytes: files.get(row.name) ?? Number(row.bytes ?? 0),
      }));
      return { tables, total: Number(count?.n ?? 0) };
    });
  }
}

/** Returns the name with the account's prefix. Errors: 400 `invalid_database_name`. */
export function wholeName(own: OwnNames, suffix: string, characters: number): string {
  const name = `${own.prefix}${suffix}`;
  const room = characters - own.prefix.length;
  if (suffix.length > room)
    throw fail.invalid_database_name(`a name has at most ${room} characters after ${own.prefix}`);
  if (!own.allows(name)) throw fail.invalid_database_name(`${name} would be of another account`);
  return name;
}

/** Errors: 404 `database_not_found`, for a missing database and for another account's alike. */
export function assertOwn(own: OwnNames, name: string): void {
  if (!own.databases.includes(name)) throw fail.database_not_found('there is no such database');
}

/** Drops a database, unless it is gone already, and the rights of the account's users on it. */
export async function dropDatabase(client: DatabaseClient, own: OwnNames, name: string): Promise<void> {
  await client.query(`drop database if exists ${identifier(name)}`);
  for (const user of await readUsers(client, own))
    if (isTemporary(user) && user.name.startsWith(`${name}-`)) await dropUser(client, user);
    else await revokeAccess(client, user, name);
}

async function createDatabase(client: DatabaseClient, name: string): Promise<void> {
  try {
    await client.query(`create database ${identifier(name)} character set utf8mb4`);
  } catch (error) {
    if (!isSqlError(error) || !TAKEN.includes(error.errno)) throw error;
    throw fail.database_exists(`the name ${name} is in use`);
  }
}
