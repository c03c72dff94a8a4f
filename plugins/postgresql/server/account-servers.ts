import { ServerTurns } from '../../../kernel/kit/databases/server-turns.ts';
import { databaseFail as fail } from '../../../kernel/kit/databases/errors.ts';
import type { Owner } from '../items/items.ts';
import type { PostgresqlConfig } from '../schema.ts';
import {
  isFailure,
  isVerdict,
  PostgresqlClient,
  type PostgresqlLogin,
} from '../../../kernel/kit/databases/postgresql/client.ts';
import type { ServerConnections } from '../../../kernel/kit/databases/postgresql/roles.ts';

const MAIN = 'postgres';

/** The servers of accounts, by the settings. */
export class AccountServers {
  readonly #config: PostgresqlConfig;
  /** In which what is done for accounts takes turns. */
  readonly turns = new ServerTurns({ isFailure, isVerdict });

  constructor(config: PostgresqlConfig) {
    this.#config = config;
  }

  get names(): string[] {
    return Object.keys(this.#config.servers);
  }

  /** Returns the name of an account's server; `undefined` if it has none. */
  nameFor({ username }: Pick<Owner, 'username'>): string | undefined {
    const { accounts, default_server, servers } = this.#config;
    const name = (Object.hasOwn(accounts, username) ? accounts[username] : undefined) ?? default_server;
    return Object.hasOwn(servers, name) ? name : undefined;
  }

  /** Returns the name of an account's server. Errors: 409 `databases_not_managed`. */
  requireFor(account: Owner): string {
    const name = this.nameFor(account);
    if (name === undefined) throw fail.databases_not_managed('this account has no server of PostgreSQL');
    return name;
  }

  /** Returns the login in the settings. Throws for a server that they do not have. */
  login(name: string): PostgresqlLogin {
    const { host, port, socket, user, password } =
      (Object.hasOwn(this.#config.servers, name) ? this.#config.servers[name] : undefined) ?? missing(name);
    return { host: socket || host, port, user, password };
  }

  /** Runs `work` with connections to a server. Errors: those of `ServerTurns.run`. */
  async with<T>(name: string, account: Pick<Owner, 'id'>, work: (server: ServerConnections) => Promise<T>): Promise<T> {
    return this.turns.run(name, account.id, () => this.open(name, work));
  }

  /** Runs `work` with connections to a server at once. Errors: those of the server as they are. */
  async open<T>(name: string, work: (server: ServerConnections) => Promise<T>): Promise<T> {
    return this.#connected(name, MAIN, (main) =>
      work({ main, inside: (database, inner) => this.#connected(name, database, inner) }),
    );
  }

  #connected<T>(name: string, database: string, work: (client: PostgresqlClient) => Promise<T>): Promise<T> {
    const { connect_timeout_ms: connectMs, query_timeout_ms: queryMs } = this.#config;
    return PostgresqlClient.use(this.login(name), { database, connectMs, queryMs }, work);
  }
}

function missing(name: string): never {
  throw fail.databases_unavailable(`the settings have no server ${name}`);
}
