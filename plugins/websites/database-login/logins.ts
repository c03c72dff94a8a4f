import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import {
  tryLogin,
  type ApplicationLogins,
  type DatabaseServers,
  type KnownUser,
  type ServerAccess,
} from '../../../kernel/areas/database-servers.ts';
import { inTurn } from '../../../kernel/contract/workers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { isAtServer } from '../../../kernel/kit/databases/mariadb/at-server.ts';
import { PRIVILEGES } from '../../../kernel/kit/databases/mariadb/privileges.ts';
import { isDriverError, isSqlError } from '../../../kernel/kit/databases/mysql-text.ts';
import { ServerTurns } from '../../../kernel/kit/databases/server-turns.ts';
import { newPassword } from '../../../kernel/kit/new-password.ts';
import { fail } from '../errors.ts';
import type { DatabaseLogin } from '../schema.ts';
import type { SiteSettings, Sites } from '../sites.ts';

const QUERY_MS = 10_000;
/** The other kinds of servers, in the applications' words. */
const OTHER_ENGINE = /pgsql|postgres|sqlite|mssql|sqlsrv|oci|oracle|mongo/i;
/** A name that can be made, after the prefix of the account. */
const SUFFIX = /^[a-z0-9_]+$/;

/** Where a site's login belongs. */
interface Place {
  readonly databases: ApplicationLogins;
  readonly access: ServerAccess;
  /** The account's user that the file names; `undefined` where that is another's, or nobody's. */
  readonly user: KnownUser | undefined;
}

/** The logins by which sites reach their databases: whether they are valid, and new ones. */
export class DatabaseLogins {
  readonly #host: Host;
  readonly #sites: Sites;
  readonly #turns = new ServerTurns({ isFailure: isDriverError, isVerdict: isSqlError });

  constructor(host: Host, sites: Sites) {
    [this.#host, this.#sites] = [host, sites];
  }

  /** Tries the login in a site's configuration. Errors: those of `Sites.settings` and `#place`; 503 `databases_unavailable`. */
  async check(account: Account, domain: string): Promise<DatabaseLogin> {
    const found = await this.#sites.settings(account, domain);
    const { access, user } = await this.#place(account, found);
    const { database_name: database, database_user, database_password: password } = found.info;
    const attempt = () => tryLogin(access, { user: database_user, password }, { database, queryMs: QUERY_MS });
    const state = user === undefined ? 'other_user' : await this.#turns.run(access.name, account.id, attempt);
    return { site: found.site.site, database_name: database, database_user, state };
  }

  /**
   * Gives a site a login that is valid: a new password for its database user, or a new user where the file names none of the account's.
   * Errors: 409 `login_not_written` if the server has the new password and the file does not; those of `check`, of the job that writes
   * the file, and of the plugin that manages databases.
   */
  renew(account: Account, domain: string, ip: string): Promise<DatabaseLogin> {
    const { store, events, workers } = this.#host;
    return inTurn(workers, `website logins ${account.id}`, async () => {
      const found = await this.#sites.settings(account, domain);
      const user = await this.#write(account, found, await this.#place(account, found), ip);
      const data = { site: found.site.site, database: found.info.database_name, user };
      const text = `renewed the login of ${data.site} to the database ${data.database}`;
      await store.write((tx) => events.record(tx, { type: 'website.login_renewed', account, ip, text, data }));
      return { site: data.site, database_name: data.database, database_user: user, state: 'valid' };
    });
  }

  /** Errors: 409 `databases_not_managed`, `login_elsewhere`, `database_not_own`. */
  async #place(account: Account, { info, engine }: SiteSettings): Promise<Place> {
    const databases = this.#host.peer<ApplicationLogins>('mysql');
    const access = this.#host.peer<DatabaseServers>('databases')?.serverFor(account.username);
    if (access === undefined || databases?.isManaged(account) !== true)
      throw fail.databases_not_managed('the databases of this account are managed elsewhere');
    if (OTHER_ENGINE.test(engine))
      throw fail.login_elsewhere(`the site is set up for a server of another kind: ${engine}`);
    if (!isAtServer(info.database_host, await access.login()))
      throw fail.login_elsewhere(`the site uses the server ${info.database_host}, where your databases are not`);
    const names = await databases.with(account, async (server) => server.databases);
    if (!names.includes(info.database_name))
      throw fail.database_not_own(`the site names the database ${info.database_name || '(none)'}, which is not yours`);
    const users = (await databases.users.list(account)).filter(({ name }) => name === info.database_user);
    const user = [databases.clientHost, '%'].flatMap((host) => users.filter((each) => each.host === host)).at(0);
    return { databases, access, user };
  }

  /** Resolves with the user's name. */
  async #write(account: Account, found: SiteSettings, { databases, user }: Place, ip: string): Promise<string> {
    const { database_name: database, database_user: named } = found.info;
    const { users, clientHost } = databases;
    const password = newPassword();
    const prefix = `${account.username}_`;
    const suffix = newSuffix(prefix, found.info);
    const { access, ...next } = user ?? { name: prefix + suffix, host: clientHost, access: [] };
    let isSet = false;
    const set = async () => {
      if (user === undefined) await users.create(account, { name: suffix, password }, ip);
      else await users.renewPassword(account, { ...next, password }, ip);
      isSet = true;
      if (!access.some((each) => each.database === database))
        await users.setAccess(account, next, database, PRIVILEGES, ip);
    };
    try {
      const login = { ...(next.name !== named && { user: next.name }), password };
      await this.#sites.writeLogin(account, found, login, set);
    } catch (error) {
      if (isSet && user !== undefined) throw notWritten(error);
      if (isSet) await users.drop(account, next, ip);
      throw error;
    }
    return next.name;
  }
}

/** Returns what follows the prefix in the name of a new user: as the file has it, or by the database. */
function newSuffix(prefix: string, { database_name: database, database_user: named }: SiteSettings['info']): string {
  const suffix = named.startsWith(prefix) ? named.slice(prefix.length) : '';
  return SUFFIX.test(suffix) ? suffix : `${database.slice(prefix.length)}_${randomBytes(2).toString('hex')}`;
}

const notWritten = (cause: unknown) =>
  fail.login_not_written(
    `the database user has a new password already, and the configuration file does not: ${errorMessage(cause)}; renew it again`,
    { cause },
  );
