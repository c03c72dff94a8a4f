import { isIP } from 'node:net';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { DatabaseClient, OwnNames } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { literal, quotedUser, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import { usersLimit, usersLimitReached } from '../../../kernel/kit/databases/users-limit.ts';
import { newPassword } from '../../../kernel/kit/new-password.ts';
import type { AccountServers } from '../account-servers.ts';
import { makeChange, type Changes } from '../changes.ts';
import { assertOwn, wholeName } from '../databases.ts';
import { fail } from '../errors.ts';
import type { AccessRights } from './access-rights.ts';
import type { DatabaseUser, MysqlConfig } from '../schema.ts';
import { isTemporary } from './temporary-users.ts';
import { createUser, dropUser, userIsTaken, type UserSecret } from './user-statements.ts';
import { isThere, readPasswordDigest, readUsers } from './users.ts';

/** Of MariaDB. */
const NAME_CHARACTERS = 80;
/** The beginning of an IPv4 address, and all addresses that begin so. */
const NETWORK = /^(?:\d{1,3}\.){1,3}%$/;

interface Parts extends Pick<Host<MysqlConfig>, 'config'> {
  readonly servers: AccountServers;
  readonly changes: Changes;
  readonly rights: AccessRights;
}
interface NewUser {
  readonly name: string;
  readonly host?: string | undefined;
  readonly password?: string;
}

/** Makes, changes and drops the database users of accounts. */
export class UserChanges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  list(account: Account): Promise<DatabaseUser[]> {
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const own = await ownNames();
      return this.#parts.rights.shown(account, own, await shown(client, own));
    });
  }

  /**
   * Resolves with the password, which nobody can learn afterwards. Errors: 400 `invalid_database_name`, `invalid_database_host`;
   * 403 `remote_access_disabled`; 409 `database_user_exists`, `database_users_limit_reached`, `request_in_progress`.
   */
  create(account: Account, { name: suffix, password, ...given }: NewUser, ip: string): Promise<UserSecret> {
    const host = this.#hostFor(account, given.host);
    const limit = usersLimit(account, this.#parts.config);
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const own = await ownNames([]);
      const secret = { name: wholeName(own, suffix, NAME_CHARACTERS), host, password: password ?? newPassword() };
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'user', name: secret.name, host, change: 'create', ip },
        {
          check: async (earlier) => {
            const users = await shown(client, own);
            if (new Set([...users, ...earlier].map(userText)).size >= limit) throw usersLimitReached(limit);
            if (await isThere(client, secret)) throw userIsTaken(secret);
          },
          make: () => createUser(client, secret),
          undo: () => client.query(`drop user if exists ${quotedUser(secret)}`),
        },
      );
      return secret;
    });
  }

  /** Gives a user a new password; who is logged in stays so. Errors: 404 `database_user_not_found`, 409 `request_in_progress`. */
  renewPassword(account: Account, user: NewUser, ip: string): Promise<UserSecret> {
    return this.#withUser(account, user, async (client, found) => {
      const secret = { ...found, password: user.password ?? newPassword() };
      const about = { before: await readPasswordDigest(client, found) };
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'password', ...found, change: 'create', about, ip },
        { make: () => client.query(`alter user ${quotedUser(found)} identified by ${literal(secret.password)}`) },
      );
      return secret;
    });
  }

  /** Drops a user and ends its processes. Errors: 404 `database_user_not_found`, 409 `request_in_progress`. */
  drop(account: Account, user: NewUser, ip: string): Promise<void> {
    return this.#withUser(account, user, async (client, { name, host }) => {
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'user', name, host, change: 'drop', ip },
        { make: () => dropUser(client, { name, host }) },
      );
    });
  }

  /** Errors: 404 `database_user_not_found`, `database_not_found`; 409 `request_in_progress`. */
  setAccess(
    account: Account,
    user: NewUser,
    database: string,
    privileges: readonly string[],
    ip: string,
  ): Promise<void> {
    return this.#withUser(account, { ...user, database }, async (client, found) => {
      const about = { database, privileges };
      await makeChange(
        this.#parts.changes,
        account,
        { kind: 'access', ...found, change: 'create', about, ip },
        { make: () => this.#parts.rights.set(client, account, found, database, privileges) },
      );
    });
  }

  /** Errors: 404 `database_user_not_found`, `database_not_found`, `database_access_not_found`; 409 `request_in_progress`. */
  revokeAccess(account: Account, user: NewUser, database: string, ip: string): Promise<void> {
    return this.#withUser(account, { ...user, database }, async (client, found) => {
      const make = async () => {
        if (!(await this.#parts.rights.revoke(client, account, found, database)))
          throw fail.database_access_not_found(`${userText(found)} has no rights on ${database} alone`);
      };
      const change = { kind: 'access', ...found, change: 'drop', about: { database }, ip } as const;
      await makeChange(this.#parts.changes, account, change, { make });
    });
  }

  #withUser<T>(
    account: Account,
    { name, host = this.#parts.config.client_host, database }: NewUser & { readonly database?: string },
    work: (client: DatabaseClient, user: UserName) => Promise<T>,
  ): Promise<T> {
    return this.#parts.servers.with(account, async ({ client, ownNames }) => {
      const own = await ownNames(database === undefined ? [] : [database]);
      const found = (await shown(client, own)).find((user) => user.name === name && user.host === host);
      if (found === undefined) throw fail.database_user_not_found('there is no such database user');
      if (database !== undefined) assertOwn(own, database);
      return work(client, { name: found.name, host: found.host });
    });
  }

  /** Errors: 400 `invalid_database_host`, 403 `remote_access_disabled`. */
  #hostFor({ features }: Account, host = this.#parts.config.client_host): string {
    if (host === this.#parts.config.client_host) return host;
    if (!features.has('remote_mysql'))
      throw fail.remote_access_disabled(`database users may connect from ${this.#parts.config.client_host} only`);
    if (host !== '%' && isIP(host) === 0 && !NETWORK.test(host))
      throw fail.invalid_database_host('a host is an IP address, the beginning of one as in 192.0.2.%, or % for any');
    return host;
  }
}

/** Resolves with the users that an account knows: those of imports and queries are not among them. */
export async function shown(client: DatabaseClient, own: OwnNames): Promise<DatabaseUser[]> {
  return (await readUsers(client, own)).filter((user) => !isTemporary(user));
}
