import { join } from 'node:path';
import type { Account } from '../../kernel/accounts.ts';
import { Folder } from '../../kernel/files.ts';
import { Store } from '../../kernel/store.ts';
import { MysqlClient } from './mysql.ts';
import type { DatabasesConfig, ServerSettings } from './schema.ts';
import { serverOf } from './sources.ts';
import { FOLDER } from './sqlite-files.ts';

const NAMES = ['blog', 'shop', 'stats'];
/** MySQL ends a recursion after as many. */
const ROWS = 1000;
const NUMBERS = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;

/** Databases to look at: SQLite files for accounts without a server, else databases by their names on it. Rejects with what could not be made. */
export async function fillDemo(config: DatabasesConfig, accounts: readonly Account[]): Promise<void> {
  for (const [i, account] of accounts.entries()) {
    const settings = config.servers[serverOf(config, account.username)];
    if (settings === undefined) await makeFiles(account.filesRoot, NAMES.slice(i));
    else if (settings.ownership === 'prefix') await makeDatabases(config, settings, NAMES.slice(i).map((name) => `${account.username}_${name}`));
    else throw new Error(`databases by ${settings.ownership} are made by whoever keeps the server`);
  }
}

/** What is there already is left as it is. */
async function makeDatabases(config: DatabasesConfig, settings: ServerSettings, names: readonly string[]): Promise<void> {
  const client = await MysqlClient.open(settings, { connectMs: config.connect_timeout_ms, queryMs: config.query_timeout_ms });
  try {
    for (const [i, name] of names.entries()) {
      const table = `\`${name}\`.entries`; // a user name holds no backtick
      await client.query(`create database if not exists \`${name}\``);
      await client.query(`create table if not exists ${table} (id int primary key, title varchar(255) not null, body text not null)`);
      await client.query(`insert ignore into ${table} ${NUMBERS} select n, concat('Entry ', n), repeat(md5(n), ?) from numbers`, [12 * (i + 1)]);
    }
  } finally {
    await client.close();
  }
}

async function makeFiles(filesRoot: string, names: readonly string[]): Promise<void> {
  await (await Folder.make(filesRoot, [FOLDER])).close();
  for (const [i, name] of names.entries()) {
    const store = await Store.open(join(filesRoot, FOLDER, `${name}.sqlite`));
    try {
      await store.write(async (tx) => {
        await tx.run('create table entries (id integer primary key, title text not null, body text not null)');
        await tx.run(`${NUMBERS} insert into entries select n, 'Entry ' || n, hex(randomblob(?)) from numbers`, 200 * (i + 1));
      });
    } finally {
      await store.close();
    }
  }
}
