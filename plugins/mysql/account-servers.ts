import { connected } from '../../kernel/areas/database-servers.ts';
import type { DatabaseClient, DatabaseServers, OwnNames, ServerAccess } from '../../kernel/areas/database-servers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { isDriverError, isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import { ServerTurns } from '../../kernel/kit/databases/server-turns.ts';
import { fail } from './errors.ts';

const QUERY_MS = 10_000;

export interface Owner {
  readonly id: number;
  readonly username: string;
}

/** A connection to the server of an account, with the login in the settings. */
export interface OwnServer {
  readonly client: DatabaseClient;
  /** Resolves with the account's databases as they are now; see `ServerAccess.ownNames`. */
  ownNames(among?: readonly string[]): Promise<OwnNames>;
  /** Resolves with the login in the settings. */
  login(): Promise<ServerLogin>;
}

/** The servers on which accounts have databases that can be managed: those where the names say whose they are. */
export class AccountServers {
  readonly #servers: DatabaseServers | undefined;
  readonly #turns = new ServerTurns({ isFailure: isDriverError, isVerdict: isSqlError });

  constructor(servers: DatabaseServers | undefined) {
    this.#servers = servers;
  }

  /** Returns the server of an account; `undefined` if its databases are files, or are not told apart by their names. */
  of({ username }: Owner): ServerAccess | undefined {
    const access = this.#servers?.serverFor(username);
    return access?.ownership === 'prefix' ? access : undefined;
  }

  /** See `DatabaseServers.sizeBytes`. */
  async sizeBytes(account: Account): Promise<number> {
    return this.#servers?.sizeBytes(account) ?? 0;
  }

  /** Runs `work` with a connection. Errors: 409 `databases_not_managed`, those of `ServerTurns.run`. */
  async with<T>(account: Owner, work: (server: OwnServer) => Promise<T>): Promise<T> {
    const access = this.#require(account);
    return this.#turns.run(access.name, account.id, () =>
      connected(access, { queryMs: QUERY_MS }, (client) =>
        work({
          client,
          ownNames: (among) => access.ownNames(client, account.username, among),
          login: () => access.login(),
        }),
      ),
    );
  }

  /**
   * Runs `work` with a connection as another user, beside what else the account does at its server; each statement has `queryMs`. Errors:
   * 409 `databases_not_managed`, those of `ServerTurns.judged`.
   */
  async as<T>(
    account: Owner,
    as: Pick<ServerLogin, 'user' | 'password'>,
    queryMs: number,
    work: (client: DatabaseClient) => Promise<T>,
  ): Promise<T> {
    const access = this.#require(account);
    return this.#turns.judged(access.name, () => connected(access, { queryMs, as }, work));
  }

  /** Runs `work`, a query, after others of the account at its server. Errors: as those of `with`. */
  async afterQueries<T>(account: Owner, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(this.#require(account).name, account.id, work, 'query');
  }

  #require(account: Owner): ServerAccess {
    const access = this.of(account);
    if (access === undefined) throw fail.databases_not_managed('the databases of this account are managed elsewhere');
    return access;
  }
}
