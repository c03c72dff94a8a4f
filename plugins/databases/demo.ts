import { join } from 'node:path';
import type { Account } from '../../kernel/accounts.ts';
import { Folder } from '../../kernel/files.ts';
import type { Log } from '../../kernel/log.ts';
import { Store } from '../../kernel/store.ts';
import type { DatabasesConfig } from './schema.ts';
import { serverOf } from './sources.ts';
import { FOLDER } from './sqlite-files.ts';

const ROWS = 2000;
const NAMES = ['blog', 'shop', 'stats'];

/** Databases to look at: SQLite files for accounts that have no server. What servers hold is their own. */
export async function fillDemo(config: DatabasesConfig, accounts: readonly Account[], log: Log): Promise<void> {
  for (const [i, account] of accounts.entries()) {
    if (serverOf(config, account.username) === '') await makeFiles(account.filesRoot, NAMES.slice(i));
    else log.info({ account: account.username }, 'the demo makes no databases on a server; those that are there are shown');
  }
}

async function makeFiles(filesRoot: string, names: readonly string[]): Promise<void> {
  await (await Folder.make(filesRoot, [FOLDER])).close();
  for (const [i, name] of names.entries()) {
    const store = await Store.open(join(filesRoot, FOLDER, `${name}.sqlite`));
    try {
      await store.write(async (tx) => {
        await tx.run('create table entries (id integer primary key, title text not null, body text not null)');
        await tx.run(
          "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?) insert into entries select n, 'Entry ' || n, hex(randomblob(200)) from numbers",
          ROWS * (i + 1),
        );
      });
    } finally {
      await store.close();
    }
  }
}
