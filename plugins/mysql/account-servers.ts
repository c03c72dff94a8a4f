import { errorMessage, HttpError } from '../../kernel/errors.ts';
import type {
  DatabaseClient,
  DatabaseServers,
  OwnNames,
  ServerAccess,
} from '../../kernel/contract/points/database-servers.ts';
import { isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import type { ServerLogin } from '../../kernel/kit/databases/mariadb-programs.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { fail } from './errors.ts';

const QUERY_MS = 10_000;
const RETRY_SECONDS = 5;
/** At one server: what may run at once, of one account, and what may wait. */
const QUEUE = { slots: 8, perClient: 1, waiting: 16, waitingOfAll: 256 } as const;

export interface Owner {
  readonly id: number;
  readonly username: string;
}

/** A connection to the server of an account, with the login in the settings. */
export interface OwnServer {
  readonly client: DatabaseClient;
  /** Resolves with the account's databases as they are now. */
  ownNames(): Promise<OwnNames>;
  /** Resolves with the login in the settings. */
  login(): Promise<ServerLogin>;
  /** Opens one connection as another user; the caller closes it. */
  openAs(user: Pick<ServerLogin, 'user' | 'password'>): Promise<DatabaseClient>;
}

/** The servers on which accounts have databases that can be managed: those where the names say whose they are. */
export class AccountServers {
  readonly #servers: DatabaseServers | undefined;
  readonly #queues = new Map<string, FairQueue>();

  constructor(servers: DatabaseServers | undefined) {
    this.#servers = servers;
  }

  /** Returns the server of an account; `undefined` if its databases are files, or are not told apart by their names. */
  of({ username }: Owner): ServerAccess | undefined {
    const access = this.#servers?.serverFor(username);
    return access?.ownership === 'prefix' ? access : undefined;
  }

  /**
   * Runs `work` with a connection, after what else the account does at its server. Errors: 409 `databases_not_managed`; 503
   * `databases_unavailable` for what the server refuses for reasons of its own, and if it does not answer; 503 `overloaded`.
   */
  async with<T>(account: Owner, work: (server: OwnServer) => Promise<T>): Promise<T> {
    const access = this.#require(account);
    const queue = this.#queues.get(access.name) ?? new FairQueue(QUEUE);
    this.#queues.set(access.name, queue);
    return queue.run(account.id, async () => {
      const client = await access.open({ queryMs: QUERY_MS, connections: 1 });
      try {
        return await work({
          client,
          ownNames: () => access.ownNames(client, account.username),
          login: () => access.login(),
          openAs: (as) => access.open({ queryMs: QUERY_MS, connections: 1, as }),
        });
      } catch (error) {
        throw failureOf(error, access.name);
      } finally {
        await client.close();
      }
    });
  }

  /**
   * Runs `work` with a connection as another user, beside what else the account does at its server; each statement has `queryMs`. Errors:
   * as those of `with`, without the queue's.
   */
  async as<T>(
    account: Owner,
    as: Pick<ServerLogin, 'user' | 'password'>,
    queryMs: number,
    work: (client: DatabaseClient) => Promise<T>,
  ): Promise<T> {
    const access = this.#require(account);
    const client = await access.open({ queryMs, connections: 1, as });
    try {
      return await work(client);
    } catch (error) {
      throw failureOf(error, access.name);
    } finally {
      await client.close();
    }
  }

  #require(account: Owner): ServerAccess {
    const access = this.of(account);
    if (access === undefined) throw fail.databases_not_managed('the databases of this account are managed elsewhere');
    return access;
  }
}

/** Errors of the driver have a code in letters; all others are the program's own. */
function failureOf(error: unknown, server: string): unknown {
  if (error instanceof HttpError || !(error instanceof Error)) return error;
  if (!('code' in error) || typeof error.code !== 'string') return error;
  const cause = new Error(`${server}: ${errorMessage(error)}`, { cause: error });
  const detail = isSqlError(error) ? 'the database server refuses this' : 'the database server does not answer';
  return fail.databases_unavailable(detail, { retryAfterSeconds: RETRY_SECONDS, cause });
}
