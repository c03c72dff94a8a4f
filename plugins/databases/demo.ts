import { join } from 'node:path';
import { Folder } from '../../kernel/system/safe-folder.ts';
import type { DemoContext, DemoReport } from '../../kernel/plugin-api/points/demo.ts';
import { StoreFile } from '../../kernel/plugin-api/store-file.ts';
import { isSqlError, MysqlClient } from './mysql/client.ts';
import { limitsOf, type DatabasesConfig, type ServerSettings } from './schema.ts';
import { serverOf } from './sources.ts';
import { FOLDER } from './sqlite-files.ts';

const NAMES = ['blog', 'shop', 'stats'];
/** The one table of a database of the demo's: what holds another, or none of this name, is not the demo's and left alone. */
const TABLE = 'hostkeep_demo';
/** MySQL ends a recursion after as many. */
const ROWS = 1000;
const NUMBERS = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;

/** SQLite files for both accounts; they are shown where there is no server. */
export async function fillDemo({ demo, other }: DemoContext): Promise<void> {
  for (const [i, { filesRoot }] of [demo, other].entries()) await makeFiles(filesRoot, NAMES.slice(i));
}

async function makeFiles(filesRoot: string, names: readonly string[]): Promise<void> {
  await (await Folder.make(filesRoot, [FOLDER])).close();
  for (const [i, name] of names.entries()) {
    const store = await StoreFile.open(join(filesRoot, FOLDER, `${name}.sqlite`));
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

/** Makes databases by the accounts' names on the server of the demo account, and lets `onClose` remove them. */
export async function showDatabases(
  config: DatabasesConfig,
  { demo, other }: DemoContext,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const server = serverOf(config, demo.username);
  const settings = config.servers[server];
  if (settings === undefined) return {};
  if (settings.ownership !== 'prefix')
    return { leftOut: [`databases: those by ${settings.ownership} are made by whoever keeps the server ${server}`] };
  const names = [demo, other].flatMap(({ username }, i) =>
    serverOf(config, username) === server ? NAMES.slice(i).map((name) => `${username}_${name}`) : [],
  );
  onClose(() => withClient(config, settings, (client) => removeOwn(client, names)));
  return withClient(config, settings, (client) => makeAll(client, server, names));
}

async function makeAll(client: MysqlClient, server: string, names: readonly string[]): Promise<DemoReport> {
  const [made, leftOut]: [string[], string[]] = [[], []];
  for (const [i, name] of names.entries()) {
    try {
      if (await make(client, name, 12 * (i + 1))) made.push(name);
      else leftOut.push(`databases: ${name} is there already and not of the demo, so it is left as it is`);
    } catch (error) {
      if (!isSqlError(error)) throw error;
      leftOut.push(`databases: the server makes no ${name}: ${error.message}`);
    }
  }
  const [row] = await client.query<{ version: string }>('select version() as version');
  return {
    uses: [`databases: ${row?.version ?? ''} at ${server} with ${made.join(', ')}, see /api/mysql-size`],
    leftOut,
  };
}

/** Whether the database is the demo's: a new one, or one that an earlier demo left. */
async function make(client: MysqlClient, name: string, repeats: number): Promise<boolean> {
  const there = await client.query('select schema_name from information_schema.schemata where schema_name = ?', [name]);
  if (there.length > 0) return isOwn(client, name);
  await client.query(`create database \`${name}\``); // a user name holds no backtick
  await client.query(
    `create table \`${name}\`.${TABLE} (id int primary key, title varchar(255) not null, body text not null)`,
  );
  await client.query(
    `insert into \`${name}\`.${TABLE} ${NUMBERS} select n, concat('Entry ', n), repeat(md5(n), ?) from numbers`,
    [repeats],
  );
  return true;
}

async function removeOwn(client: MysqlClient, names: readonly string[]): Promise<void> {
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
  const client = await MysqlClient.open(settings, limitsOf(config));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
