import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { isSqlError, MysqlClient } from './mysql/client.ts';
import { readOptionFile, type Options } from './mysql/option-file.ts';
import { limitsOf, type DatabasesConfig, type ServerSettings } from './schema.ts';

/** Where packages let a server listen; `MYSQL_UNIX_PORT` says it to the servers' own clients too. */
const SOCKETS = ['/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock', '/tmp/mysql.sock'];
const REMEDY =
  'SQLite files are shown instead; apt-get install mariadb-server and start it, or name a server in databases.servers';
const REFUSED =
  'SQLite files are shown instead; run the demo as a user who may make databases, put a login into ~/.my.cnf, or name one in databases.servers';

/**
 * The configuration of the demo: where it names no server, the MySQL or MariaDB server of this host as its own clients
 * would find it, if this user may make databases there; else `leftOut` says why not.
 */
export async function withLocalServer(
  config: DatabasesConfig,
): Promise<{ readonly config: DatabasesConfig; readonly leftOut?: string }> {
  if (Object.keys(config.servers).length > 0) return { config };
  const settings = await likeItsClients();
  if (settings === undefined)
    return { config, leftOut: `databases: no MySQL or MariaDB server listens at ${sockets().join(', ')} (${REMEDY})` };
  const where = settings.socket || `${settings.host}:${settings.port || 3306}`;
  try {
    await tryOut(config, settings);
    return { config: { ...config, servers: { [where]: settings }, default_server: where } };
  } catch (error) {
    const [why, remedy] = isSqlError(error)
      ? [`lets ${settings.user} make none`, REFUSED]
      : ['does not answer', REMEDY];
    return { config, leftOut: `databases: the server at ${where} ${why}: ${messageOf(error)} (${remedy})` };
  }
}

function sockets(): string[] {
  const named = process.env['MYSQL_UNIX_PORT'];
  return named ? [named] : SOCKETS;
}

/** With the login of `~/.my.cnf`, else as the user of this process without a password. */
async function likeItsClients(): Promise<ServerSettings | undefined> {
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
  const socket = file.socket ?? (await firstThere(sockets()));
  return socket === undefined ? undefined : { ...login, host: '', port: 0, socket };
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  return undefined;
}

/** Makes a database and removes it. */
async function tryOut(config: DatabasesConfig, settings: ServerSettings): Promise<void> {
  const client = await MysqlClient.open(settings, limitsOf(config));
  try {
    const name = `demo_${randomBytes(8).toString('hex')}`;
    await client.query(`create database ${name}`);
    await client.query(`drop database ${name}`);
  } finally {
    await client.close();
  }
}
