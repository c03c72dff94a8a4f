import type { Accounts } from '../../kernel/identity/accounts/accounts.ts';
import type { RemovedAccount } from '../../kernel/identity/accounts/removed-accounts.ts';
import type { PurgePart } from '../../kernel/contract/points/purge-part.ts';
import { DatabaseNames, rememberedNames } from '../../kernel/kit/databases/mariadb/database-names.ts';
import { identifier, isSqlError, quotedInPattern } from '../../kernel/kit/databases/mysql-text.ts';
import type { DatabaseClient, OwnNames } from '../../kernel/areas/database-servers.ts';
import { serverName } from './database-sources.ts';
import { AccountNames } from './mysql/account-names.ts';
import { dropUsers } from './mysql/account-users.ts';
import { MysqlClient } from './mysql/client.ts';
import { ServerCatalogue, withoutLongerNames } from './mysql/server-catalogue.ts';
import { readGrants } from './mysql/size-queries.ts';
import { timeLimits, type DatabasesConfig, type ServerSettings } from './schema.ts';

const WHAT = 'databases';

/**
 * Drops the databases with the prefix of a removed account, and the users that have rights on nothing else. Those that are its by other rules are named only, because
 * others may use them too. SQLite files go with its other files.
 */
export async function purgeDatabases(
  config: DatabasesConfig,
  accounts: Accounts,
  account: RemovedAccount,
  signal: AbortSignal,
): Promise<PurgePart[]> {
  const server = serverName(config, account.username);
  const settings = config.servers[server];
  if (settings === undefined) return [{ what: WHAT, removed: 0 }];
  const client = await MysqlClient.open(settings, timeLimits(config));
  try {
    // nothing is remembered here: what a purge does not see stays
    const own = await ownNames(client, settings, accounts, account.username, undefined, new DatabaseNames());
    const names = own.databases;
    if (settings.ownership === 'prefix') {
      // The users first: what says whose they are are the databases, too.
      const users = await dropUsers(client, own);
      return [await drop(client, names, signal), partOf('database users', users.removed, users.problems)];
    }
    if (names.length === 0) return [{ what: WHAT, removed: 0 }];
    const remedy = `drop them on the server ${server}, and what lets the account use them`;
    return [{ what: WHAT, removed: 0, problem: `${names.join(', ')} are the account's: ${remedy}` }];
  } finally {
    await client.close();
  }
}

/** Resolves with the account's databases, and the rule of their names; see `ServerAccess.ownNames`. */
export async function ownNames(...asked: Parameters<typeof ownDatabases>): Promise<OwnNames> {
  const [, { ownership }, accounts, username] = asked;
  const databases = await ownDatabases(...asked);
  if (ownership !== 'prefix') return new AccountNames(databases);
  const others = (await accounts.namesExtending(username)).map((longer) => `${longer}_`);
  return new AccountNames(databases, `${username}_`, others);
}

/** Resolves with the names of the account's databases, as they are now; see `ServerAccess.ownNames`. */
async function ownDatabases(
  client: DatabaseClient,
  settings: ServerSettings,
  accounts: Accounts,
  username: string,
  among?: readonly string[],
  known = rememberedNames(settings),
): Promise<string[]> {
  const { ownership, database_user: user } = settings;
  const found =
    among !== undefined && ownership === 'prefix'
      ? await known.among(client, among)
      : await known.like(client, ownership === 'prefix' ? `${quotedInPattern(`${username}_`)}%` : '%');
  const databases = found.map((name) => ({ name, sizeBytes: 0 }));
  const catalogue = new ServerCatalogue(databases, ownership === 'grants' ? await readGrants(client) : []);
  const own = {
    prefix: async () => withoutLongerNames(await accounts.namesExtending(username), catalogue.prefixed(username)),
    grants: () => catalogue.granted(user.replaceAll('{username}', username)),
    login: () => catalogue.others,
  };
  return (await own[ownership as keyof typeof own]()).map(({ name }) => name);
}

async function drop(client: MysqlClient, names: readonly string[], signal: AbortSignal): Promise<PurgePart> {
  let removed = 0;
  const problems: string[] = [];
  for (const name of names) {
    signal.throwIfAborted();
    try {
      await client.query(`drop database ${identifier(name)}`);
      removed += 1;
    } catch (error) {
      if (!isSqlError(error)) throw error; // the connection is lost
      problems.push(`${name}: ${error.message}`);
    }
  }
  return partOf(WHAT, removed, problems);
}

const partOf = (what: string, removed: number, problems: readonly string[]): PurgePart => ({
  what,
  removed,
  ...(problems.length > 0 && { problem: problems.join('; ') }),
});
