import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { newPassword } from '../../../kernel/kit/new-password.ts';
import type { AccountServers } from '../server/account-servers.ts';
import { changeItem, makeItem } from '../items/changes.ts';
import { wholeName, type Databases } from '../databases.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import { usersLimit, usersLimitReached } from '../../../kernel/kit/databases/users-limit.ts';
import type { Change, Item, Items } from '../items/items.ts';
import type { DatabaseUser, Level, PostgresqlConfig, UserSecret } from '../schema.ts';
import { readAccess, type UserAccess } from '../../../kernel/kit/databases/postgresql/access.ts';
import { USER_NAME_BYTES } from '../../../kernel/kit/databases/postgresql/names.ts';
import { hasRole, makeUser } from '../../../kernel/kit/databases/postgresql/roles.ts';
import { scramVerifier } from '../../../kernel/kit/databases/postgresql/scram.ts';

interface Parts extends Pick<Host<PostgresqlConfig>, 'config'> {
  readonly servers: AccountServers;
  readonly items: Items;
  readonly databases: Databases;
}

/** Lists, makes, changes and drops the database users of accounts. */
export class Users {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the users, sorted by name. Errors: 503 `databases_unavailable`. */
  async list(account: Account): Promise<DatabaseUser[]> {
    const found = await this.#parts.items.list(account, 'user');
    const access = await this.#access(account, found);
    return found.map(({ name, is_locked: locked }) => ({
      name,
      is_locked: locked === 1,
      access: access.filter(({ user }) => user === name).map(({ database, level }) => ({ database, level })),
    }));
  }

  /**
   * Resolves with the password, which nobody can learn afterwards. Errors: 400 `invalid_database_name`; 409 `database_user_exists`,
   * `database_users_limit_reached`, `databases_not_managed`.
   */
  async create(account: Account, suffix: string, ip: string): Promise<UserSecret> {
    const { servers, config } = this.#parts;
    const server = servers.requireFor(account);
    const secret = { name: wholeName(account, suffix, USER_NAME_BYTES), password: newPassword() };
    const { name } = secret;
    const limit = usersLimit(account, config);
    const isFull = () => usersLimitReached(limit);
    const isTaken = () => fail.database_user_exists(`there is a database user ${name} already`);
    const item = { server, kind: 'user', name, limit, isFull, isTaken, ip } as const;
    await makeItem(this.#parts, account, item, {
      check: async ({ main }) => {
        if (await hasRole(main, name)) throw isTaken();
      },
      make: ({ main }) => makeUser(main, name, scramVerifier(secret.password), config),
    });
    return secret;
  }

  /** Gives a user a new password; who is logged in stays so. Errors: 404 `database_user_not_found`, 409 `request_in_progress`. */
  async renewPassword(account: Account, name: string, ip: string): Promise<UserSecret> {
    const password = newPassword();
    await this.setVerifier(account, name, scramVerifier(password), ip);
    return { name, password };
  }

  /** Gives a user the password of which a server keeps this. Errors: those of `renewPassword`. */
  setVerifier(account: Account, name: string, verifier: string, ip: string): Promise<void> {
    return this.#change(account, name, { kind: 'password', verifier, ip });
  }

  /** Resolves with what the server keeps of passwords, by user; nothing where the login in the settings may not read it. */
  async verifiers(account: Account): Promise<ReadonlyMap<string, string>> {
    const found = await this.#parts.items.list(account, 'user');
    const [first] = found;
    if (first === undefined) return new Map();
    return this.#parts.servers.with(first.server, account, async ({ main }) => {
      const [may] = await main.query<{ reads: boolean }>("select has_table_privilege('pg_authid', 'select') as reads");
      if (may?.reads !== true) return new Map();
      const rows = await main.query<{ name: string; verifier: string }>(
        `select rolname as name, rolpassword as verifier from pg_authid
          where rolname in (select json_array_elements_text($1::json)) and rolpassword like 'SCRAM-SHA-256$%'`,
        [JSON.stringify(found.map(({ name }) => name))],
      );
      return new Map(rows.map(({ name, verifier }) => [name, verifier]));
    });
  }

  /** Drops a user and ends its processes. Errors: 404 `database_user_not_found`, 409 `request_in_progress`. */
  drop(account: Account, name: string, ip: string): Promise<void> {
    return this.#change(account, name, { kind: 'drop', ip });
  }

  /** Errors: 404 `database_user_not_found`, `database_not_found`; 409 `request_in_progress`. */
  async setAccess(account: Account, name: string, database: string, level: Level, ip: string): Promise<void> {
    await this.#find(account, name);
    await this.#parts.databases.find(account, database);
    await this.#change(account, name, { kind: 'access', database, level, ip });
  }

  /** Errors: 404 `database_user_not_found`, `database_not_found`, `database_access_not_found`; 409 `request_in_progress`. */
  async revokeAccess(account: Account, name: string, database: string, ip: string): Promise<void> {
    const user = await this.#find(account, name);
    await this.#parts.databases.find(account, database);
    if (!(await this.#access(account, [user])).some((each) => each.database === database))
      throw fail.database_access_not_found(`${name} has no rights on ${database}`);
    await this.#change(account, name, { kind: 'access', database, ip });
  }

  async #change(account: Account, name: string, change: Change): Promise<void> {
    await changeItem(this.#parts, account, await this.#find(account, name), change);
  }

  async #find(account: Account, name: string): Promise<Item> {
    const found = await this.#parts.items.find(account, 'user', name);
    if (found === undefined) throw fail.database_user_not_found('there is no such database user');
    return found;
  }

  async #access(account: Account, users: readonly Item[]): Promise<readonly UserAccess[]> {
    const { servers, items } = this.#parts;
    const [first] = users;
    if (first === undefined) return [];
    const databases = (await items.list(account, 'database')).map(({ name }) => name);
    const names = users.map(({ name }) => name);
    return servers.with(first.server, account, ({ main }) => readAccess(main, names, databases));
  }
}
