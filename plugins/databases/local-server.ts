import { randomBytes } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { isReachable } from '../../kernel/kit/files/if-missing.ts';
import { isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import { MysqlClient } from './mysql/client.ts';
import { readOptionFile, type Options } from './mysql/option-file.ts';
import { timeLimits, type DatabasesConfig, type ServerSettings } from './schema.ts';

/** Default sockets of packaged servers. `MYSQL_UNIX_PORT` overrides them, as it does for the servers' own clients. */
const SOCKETS = ['/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock', '/tmp/mysql.sock'];
const REMEDY = 'using SQLite files instead; apt-get install mariadb-server and start it, or set databases.servers';
const ACCESS_REMEDY =
  'using SQLite files instead; run the demo as a user who may create databases, put a login into ~/.my.cnf, or set databases.servers';

/**
 * Returns the demo's configuration. If it names no server, adds the MySQL or MariaDB server that this host's clients
 * use by default, provided that this user may create databases there; otherwise `leftOut` says why not.
 */
export async function withLocalServer(
  config: DatabasesConfig,
): Promise<{ readonly config: DatabasesConfig; readonly leftOut?: string }> {
  if (Object.keys(config.servers).length > 0) return { config };
  const settings = await findServer();
  if (settings === undefined)
    return {
      config,
      leftOut: `databases: no MySQL or MariaDB server listens at ${socketPaths().join(', ')} (${REMEDY})`,
    };
  const where = settings.socket || `${settings.host}:${settings.port || 3306}`;
  try {
    await assertCanCreate(config, settings);
    return { config: { ...config, servers: { [where]: settings }, default_server: where } };
  } catch (error) {
    const [why, remedy] = isSqlError(error)
      ? [`does not let ${settings.user} create databases`, ACCESS_REMEDY]
      : ['does not answer', REMEDY];
    return { config, leftOut: `databases: the server at ${where} ${why}: ${errorMessage(error)} (${remedy})` };
  }
}

function socketPaths(): string[] {
  const named = process.env['MYSQL_UNIX_PORT'];
  return named ? [named] : SOCKETS;
}

/** Uses the login in `~/.my.cnf`, or else the user of this process without a password. */
async function findServer(): Promise<ServerSettings | undefined> {
  // without a file that can be read, the server says whom it refuses
  const file: Options = await readOptionFile(join(homedir(), '.my.cnf')).catch(() => ({}));
  const login = {
    user: file.user ?? userInfo().username,
    password: file.password ?? '',
    option_file: '',
    ownership: 'prefix',
    database_user: '{username}',
  } as const;
  if (file.host !== undefined && file.host !== 'localhost')
    return { ...login, host: file.host, port: Number(file.port ?? 0), socket: '' };
  const socket = file.socket ?? (await firstExisting(socketPaths()));
  return socket === undefined ? undefined : { ...login, host: '', port: 0, socket };
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isReachable(path)) return path;
  return undefined;
}

/** Creates a database and drops it. Rejects where the server does not allow that, or does not answer. */
async function assertCanCreate(config: DatabasesConfig, settings: ServerSettings): Promise<void> {
  const client = await MysqlClient.open(settings, timeLimits(config));
  try {
    const name = `demo_${randomBytes(8).toString('hex')}`;
    await client.query(`create database ${name}`);
    await client.query(`drop database ${name}`);
  } finally {
    await client.close();
  }
}
