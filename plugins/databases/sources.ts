import type { Account, Accounts } from '../../kernel/identity/accounts.ts';
import { messageOf, Unavailable } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import { limitsOf, type DatabasesConfig } from './schema.ts';
import { DatabaseServer } from './mysql/database-server.ts';
import { ServerSource, type DatabaseSource } from './mysql/server-source.ts';
import { FOLDER, SqliteFiles } from './sqlite-files.ts';
import type { AccountDatabases } from './account-databases.ts';

/** Which source is whose, by the configuration. */
export class DatabaseSources {
  readonly #config: DatabasesConfig;
  readonly #servers: readonly DatabaseServer[];
  readonly #byName = new Map<string, DatabaseSource>([['', new SqliteFiles()]]);

  /** Throws `Unavailable` for settings that contradict each other. */
  constructor(config: DatabasesConfig, accounts: Accounts, log: Log) {
    assertNames(config);
    this.#config = config;
    const times = {
      ...limitsOf(config),
      refreshMs: config.refresh_seconds * 1000,
      retryMs: config.retry_seconds * 1000,
    };
    this.#servers = Object.entries(config.servers).map(([name, settings]) => {
      const server = new DatabaseServer({ name, settings, log, ...times });
      this.#byName.set(name, new ServerSource(server, settings.database_user, accounts));
      return server;
    });
  }

  databasesOf(account: Account): AccountDatabases | Promise<AccountDatabases> {
    const source = this.#byName.get(serverOf(this.#config, account.username));
    if (source === undefined) throw new Error(`no source of databases for ${account.username}`);
    return source.databasesOf(account);
  }

  metrics(): Metric[] {
    const figures = this.#servers.map(({ name, figures }) => ({ labels: { server: name }, ...figures }));
    return [
      {
        name: 'hostkeep_database_server_up',
        help: 'Whether the server answered when it was last asked',
        type: 'gauge',
        samples: figures.map(({ labels, isUp }) => ({ labels, value: isUp ? 1 : 0 })),
      },
      {
        name: 'hostkeep_database_server_samples_total',
        help: 'How often the server was asked for its sizes',
        type: 'counter',
        samples: figures.map(({ labels, samples }) => ({ labels, value: samples })),
      },
    ];
  }

  async findings(): Promise<Finding[]> {
    const embedded = `SQLite files (.sqlite, .sqlite3, .db) in the folder ${FOLDER}/ of each account without a server`;
    const servers = await Promise.all(this.#servers.map((server) => findingOf(server)));
    return this.#config.default_server === ''
      ? [{ name: 'databases', ok: true, detail: embedded }, ...servers]
      : servers;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** Name of the account's server, `''` for SQLite files. */
export function serverOf({ accounts, default_server }: DatabasesConfig, username: string): string {
  return (Object.hasOwn(accounts, username) ? accounts[username] : undefined) ?? default_server;
}

async function findingOf(server: DatabaseServer): Promise<Finding> {
  const name = `database server ${server.name}`;
  try {
    const { version, method } = await server.describe();
    return {
      name,
      ok: true,
      detail: `${version}, ${method === 'files' ? 'sizes of its files' : 'estimated sizes, because the login lacks PROCESS or the server does not list its files'}`,
    };
  } catch (error) {
    return {
      name,
      ok: false,
      detail: messageOf(error),
      remedy: `start the server, or correct databases.servers.${server.name} in the configuration`,
    };
  }
}

/** A login that sees all of a server's databases must not answer for several accounts. */
function assertNames(config: DatabasesConfig): void {
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
      `database server ${shared[0]} has the ownership login and so may be the server of one account only`,
    );
}
