import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { DemoPeople, DemoReport } from '../../kernel/contract/points/demo.ts';
import { isSqlError } from '../../kernel/kit/databases/mysql-text.ts';
import { StoreFile } from '../../kernel/contract/store-file.ts';
import { serverName } from './database-sources.ts';
import { MysqlClient } from './mysql/client.ts';
import { timeLimits, type DatabasesConfig, type ServerSettings } from './schema.ts';
import { SQLITE_FOLDER } from './sqlite-files.ts';

const NAMES = ['blog', 'shop', 'stats'];
/**
 * The only table in a demo database. A database with any other table, or without this one, is not the demo's and left
 * alone.
 */
const TABLE = 'hostkeep_demo';
/** MySQL's default limit for a recursion. */
const ROWS = 1000;
const NUMBERS = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;

/** The names of each account's databases, no more than its plan allows. */
function namesOf({ demo, other }: DemoPeople): (readonly [Account, readonly string[]])[] {
  return [demo, other].map((account, i) => {
    const limit = account.plan?.limits['db_limit'] ?? 0;
    return [account, NAMES.slice(i, limit === 0 ? undefined : i + limit)];
  });
}

/** Creates SQLite files for both accounts, which the API shows where there is no server. */
export async function createDemoFiles({ demo, other }: DemoPeople): Promise<void> {
  for (const [account, names] of namesOf({ demo, other })) await createFiles(account.filesRoot, names);
}

async function createFiles(filesRoot: string, names: readonly string[]): Promise<void> {
  await mkdir(join(filesRoot, SQLITE_FOLDER), { recursive: true, mode: 0o755 });
  for (const [i, name] of names.entries()) {
    const store = await StoreFile.open(join(filesRoot, SQLITE_FOLDER, `${name}.sqlite`));
    try {
      await store.write(async (tx) => {
        await tx.run('create table entries (id integer primary key, title text not null, body text not null)');
        await tx.run(
          `${NUMBERS} insert into entries select n, 'Entry ' || n, hex(randomblob(?)) from numbers`,
          200 * (i + 1),
        );
      });
    } finally {
      await store.close();
    }
  }
}

/**
 * Creates databases for the demo's accounts on the demo account's server, and registers their removal with `onClose`.
 */
export async function createDemoDatabases(
  config: DatabasesConfig,
  { demo, other }: DemoPeople,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const server = serverName(config, demo.username);
  const settings = config.servers[server];
  if (settings === undefined) return {};
  if (settings.ownership !== 'prefix')
    return {
      leftOut: [`databases: with ownership ${settings.ownership}, the demo creates none on the server ${server}`],
    };
  const names = namesOf({ demo, other }).flatMap(([{ username }, own]) =>
    serverName(config, username) === server ? own.map((name) => `${username}_${name}`) : [],
  );
  onClose(() => withClient(config, settings, (client) => dropOwn(client, names)));
  return withClient(config, settings, (client) => createAll(client, server, names));
}

async function createAll(client: MysqlClient, server: string, names: readonly string[]): Promise<DemoReport> {
  const [created, leftOut]: [string[], string[]] = [[], []];
  for (const [i, name] of names.entries()) {
    try {
      if (await create(client, name, 12 * (i + 1))) created.push(name);
      else leftOut.push(`databases: ${name} exists and is not the demo's, so it stays unchanged`);
    } catch (error) {
      if (!isSqlError(error)) throw error;
      leftOut.push(`databases: the server does not create ${name}: ${error.message}`);
    }
  }
  const [row] = await client.query<{ version: string }>('select version() as version');
  return {
    uses: [`databases: ${row?.version ?? ''} at ${server} with ${created.join(', ')}, see /api/mysql-size`],
    leftOut,
  };
}

/** Creates a database unless it exists. Returns whether it is the demo's: new, or left by an earlier demo. */
async function create(client: MysqlClient, name: string, repeats: number): Promise<boolean> {
  const existing = await client.query('select schema_name from information_schema.schemata where schema_name = ?', [
    name,
  ]);
  if (existing.length > 0) return isOwn(client, name);
  await client.query(`create database \`${name}\``); // user names contain no backtick
  await client.query(
    `create table \`${name}\`.${TABLE} (id int primary key, title varchar(255) not null, body text not null)`,
  );
  await client.query(
    `insert into \`${name}\`.${TABLE} ${NUMBERS} select n, concat('Entry ', n), repeat(md5(n), ?) from numbers`,
    [repeats],
  );
  return true;
}

async function dropOwn(client: MysqlClient, names: readonly string[]): Promise<void> {
  for (const name of names) if (await isOwn(client, name)) await client.query(`drop database \`${name}\``);
}

async function isOwn(client: MysqlClient, name: string): Promise<boolean> {
  const [tables] = await client.query<{ count: number; last: string | null }>(
    'select count(*) as count, max(table_name) as last from information_schema.tables where table_schema = ?',
    [name],
  );
  return tables?.count === 1 && tables.last === TABLE;
}

async function withClient<T>(
  config: DatabasesConfig,
  settings: ServerSettings,
  use: (client: MysqlClient) => Promise<T>,
): Promise<T> {
  const client = await MysqlClient.open(settings, timeLimits(config));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
