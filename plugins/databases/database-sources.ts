import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { counted, type AccountsUsage, type ResourceUsage } from '../../kernel/contract/points/account-report.ts';
import { isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import { failureText, errorMessage, Unavailable } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { counter, gauge, type Metric } from '../../kernel/contract/points/metric.ts';
import type { AccountDatabases, DatabaseSource } from './account-databases.ts';
import { DatabaseServer } from './mysql/database-server.ts';
import { ServerSource } from './mysql/server-source.ts';
import { timeLimits, type DatabasesConfig } from './schema.ts';
import { SQLITE_FOLDER, SqliteFiles } from './sqlite-files.ts';

/** The source of each account's databases, by the configuration. */
export class DatabaseSources implements DatabaseSource {
  readonly #config: DatabasesConfig;
  /** The plugin's, which need the account's server. */
  readonly #features: readonly string[];
  readonly #servers: readonly DatabaseServer[];
  readonly #files: SqliteFiles;
  readonly #byName = new Map<string, DatabaseSource>();

  /** Throws `Unavailable` for contradictory settings. */
  constructor(
    config: DatabasesConfig,
    features: readonly string[],
    host: Pick<Host, 'identity' | 'jobs' | 'local' | 'log'>,
  ) {
    assertConsistent(config);
    this.#config = config;
    this.#features = features;
    this.#files = new SqliteFiles(host);
    this.#byName.set('', this.#files);
    const times = {
      ...timeLimits(config),
      refreshMs: config.refresh_seconds * 1000,
      retryMs: config.retry_seconds * 1000,
    };
    this.#servers = Object.entries(config.servers).map(([name, settings]) => {
      const server = new DatabaseServer({ name, settings, log: host.log, ...times });
      this.#byName.set(name, new ServerSource(server, settings.database_user, host.identity.accounts));
      return server;
    });
  }

  /**
   * Resolves with the number of databases of accounts, as far as it is known. Servers are asked as always; files are not
   * looked for.
   */
  async known(accounts: readonly Account[]): Promise<AccountsUsage> {
    const isInFiles = ({ username }: Account) => serverName(this.#config, username) === '';
    const files = await this.#files.counts(accounts.filter(isInFiles));
    const found = new Map<number, readonly ResourceUsage[]>();
    const count = async (account: Account) => {
      const { files: n, at } = isInFiles(account)
        ? (files.get(account.id) ?? {})
        : { files: (await this.databasesOf(account)).own.length };
      if (n !== undefined) found.set(account.id, [databaseUsage(account, n, at)]);
    };
    await Promise.allSettled(accounts.map(count)); // of a server that does not answer, nothing is known
    return found;
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    const source = this.#byName.get(serverName(this.#config, account.username));
    if (source === undefined) throw new Error(`no source of databases for ${account.username}`);
    return source.databasesOf(account);
  }

  metrics(): Metric[] {
    const servers = this.#servers.map(({ name, state }) => ({ labels: { server: name }, ...state }));
    return [
      gauge(
        'hostkeep_database_server_up',
        'Whether the server answered the latest request for its sizes',
        servers.map(({ labels, isUp }) => ({ labels, value: Number(isUp) })),
        'min',
      ),
      counter(
        'hostkeep_database_server_samples_total',
        'Requests to the server for its sizes',
        servers.map(({ labels, requests }) => ({ labels, value: requests })),
      ),
    ];
  }

  async findings(): Promise<Finding[]> {
    const servers = (await Promise.all(this.#servers.map(proofOf))).flat();
    if (this.#config.default_server !== '') return servers;
    const detail = `accounts without a server: SQLite files (.sqlite, .sqlite3, .db) in their folder ${SQLITE_FOLDER}/`;
    return [{ name: 'databases', ok: true, detail }, ...servers];
  }

  /** Whether each server answers, without the sizes that `findings` reads. */
  health(): Promise<Finding[]> {
    return Promise.all(
      this.#servers.map(async (server) => ({
        ...(await findingOf(
          server,
          async () => {
            await server.ping();
            return 'answers';
          },
          (error) => failureText('gives no answer', error),
        )),
        ...(this.#holdsAll(server) && { features: this.#features }),
      })),
    );
  }

  /** Whether the databases of all accounts are on the server. */
  #holdsAll({ name }: DatabaseServer): boolean {
    const { accounts, default_server } = this.#config;
    return default_server === name && Object.values(accounts).every((each) => each === name);
  }

  async close(): Promise<void> {
    await Promise.all([this.#files, ...this.#servers].map((source) => source.close()));
  }
}

export function databaseUsage({ plan }: Account, used: number, at?: number): ResourceUsage {
  return { ...counted('databases', used, plan?.limits['db_limit']), ...(at !== undefined && { at }) };
}

/** Returns the name of the account's server, `''` for SQLite files. */
export function serverName({ accounts, default_server }: DatabasesConfig, username: string): string {
  return (Object.hasOwn(accounts, username) ? accounts[username] : undefined) ?? default_server;
}

/** A server that belongs to one account is the account's to change. */
async function proofOf(server: DatabaseServer): Promise<Finding[]> {
  const found = await findingOf(server, () => describe(server));
  if (!found.ok || server.ownership === 'login') return [found];
  const name = `database made and dropped on ${server.name}`;
  try {
    await server.makeAndDrop();
    return [found, { name, ok: true, detail: 'by the login in the configuration' }];
  } catch (error) {
    const lack = {
      isWarning: isSqlError(error),
      remedy: 'grant the login CREATE and DROP, without which purging an account leaves its databases',
    };
    return [found, { name, ok: false, detail: errorMessage(error), ...lack }];
  }
}

async function describe(server: DatabaseServer): Promise<string> {
  const { version, method } = await server.describe();
  const sizes =
    method === 'files'
      ? 'sizes of its files'
      : 'estimated sizes, because the login lacks PROCESS or the server does not list its files';
  return `${version}, ${sizes}`;
}

/** `check` resolves with what was found, and rejects while the server is down. */
async function findingOf(server: DatabaseServer, check: () => Promise<string>, text = errorMessage): Promise<Finding> {
  const name = `database server ${server.name}`;
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    const remedy = `start the server, or correct databases.servers.${server.name} in the configuration`;
    return { name, ok: false, detail: text(error), remedy };
  }
}

/** Throws for unknown server names, and for several accounts on a server whose login sees all databases. */
function assertConsistent(config: DatabasesConfig): void {
  const used = [config.default_server, ...Object.values(config.accounts)].filter((name) => name !== '');
  const unknown = used.find((name) => !Object.hasOwn(config.servers, name));
  if (unknown !== undefined)
    throw new Unavailable(
      `the configuration names the database server ${unknown}, which is not among databases.servers`,
    );
  const shared = Object.entries(config.servers).find(
    ([name, { ownership }]) =>
      ownership === 'login' && (name === config.default_server || used.filter((each) => each === name).length > 1),
  );
  if (shared !== undefined)
    throw new Unavailable(
      `the database server ${shared[0]} has ownership login, and so can serve one account only, named in databases.accounts`,
    );
}
