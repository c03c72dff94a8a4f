import { HttpError } from '../../kernel/errors.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { databaseFail as fail } from '../../kernel/kit/databases/errors.ts';
import type { Owner } from './items.ts';
import type { PostgresqlConfig } from './schema.ts';
import { isOfServer, isVerdict, PostgresqlClient, type PostgresqlLogin } from './server/client.ts';
import type { Connections } from './server/roles.ts';

const MAIN = 'postgres';
const RETRY_SECONDS = 5;
/** At one server: what may run at once, of one account, and what may wait. */
const QUEUE = { slots: 8, perClient: 1, waiting: 16, waitingOfAll: 256 } as const;

/** The servers of accounts, by the settings. */
export class AccountServers {
  readonly #config: PostgresqlConfig;
  readonly #queues = new Map<string, FairQueue>();

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

  /**
   * Runs `work` with connections to a server, after what else is done for the account there. Errors: 503 `databases_unavailable` if
   * the server refuses, or does not answer; 503 `overloaded`.
   */
  async with<T>(name: string, account: Pick<Owner, 'id'>, work: (server: Connections) => Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? new FairQueue(QUEUE);
    this.#queues.set(name, queue);
    return queue.run(account.id, async () => {
      try {
        return await this.open(name, work);
      } catch (error) {
        throw this.failureAt(name, error);
      }
    });
  }

  /** Runs `work` with connections to a server at once. Errors: those of the server as they are. */
  async open<T>(name: string, work: (server: Connections) => Promise<T>): Promise<T> {
    return this.#connected(name, MAIN, (main) =>
      work({ main, inside: (database, inner) => this.#connected(name, database, inner) }),
    );
  }

  /** Returns 503 `databases_unavailable` for an error of a server; other errors as they are. */
  failureAt(name: string, error: unknown): unknown {
    return failureOf(error, name);
  }

  async #connected<T>(name: string, database: string, work: (client: PostgresqlClient) => Promise<T>): Promise<T> {
    const { connect_timeout_ms: connectMs, query_timeout_ms: queryMs } = this.#config;
    const client = await PostgresqlClient.open(this.login(name), database, { connectMs, queryMs });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }
}

function missing(name: string): never {
  throw fail.databases_unavailable(`the settings have no server ${name}`);
}

function failureOf(error: unknown, server: string): unknown {
  if (error instanceof HttpError || !isOfServer(error)) return error;
  const cause = new Error(`${server}: ${error.message}`, { cause: error });
  const detail = isVerdict(error) ? 'the database server refuses this' : 'the database server does not answer';
  return fail.databases_unavailable(detail, { retryAfterSeconds: RETRY_SECONDS, cause });
}
