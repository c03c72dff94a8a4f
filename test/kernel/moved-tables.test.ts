/** What versions without a local store kept in the store's file moves to the machine's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { migrateStores, type Stores } from '../../kernel/store/local-store.ts';
import { Store } from '../../kernel/store/store.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer } from '../support/hostkeep.ts';
import { prepare } from '../support/node-process.ts';
import { storesInFiles } from '../support/postgres.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('moved tables');
storesInFiles();

/** What a version without a local store kept in the store: tables, their migration, and rows of the account 1. */
const MOVED = {
  usage: {
    migration: '0001-history.sql',
    tables: ['usage_history', 'usage_days'],
    rows: [
      'insert into usage_history values (60, 60, 1.5, 2, 3, 4, 5, null)',
      "insert into usage_days values ('2026-01-02', 1, 2, 3)",
    ],
  },
  quota: {
    migration: '0001-samples.sql',
    tables: ['quota_samples'],
    rows: ['insert into quota_samples values (1, 10, 20, 30)'],
  },
  websites: {
    migration: '0001-sites.sql',
    tables: ['websites_docroots', 'websites_sites'],
    rows: [
      "insert into websites_docroots values (1, 'a.test', '[]', '{}')",
      "insert into websites_sites values (1, 'a.test', '', 'wordpress', '6.0')",
    ],
  },
} as const;
type Moved = (typeof MOVED)[keyof typeof MOVED];

const folderOf = (plugin: string) => join(projectDir, 'plugins', plugin, 'migrations');

/** A data folder as a version without a local store left it, with the account `ann`. */
async function oldData(): Promise<string> {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  const store = await Store.open(join(data, 'hostkeep.db'));
  for (const [plugin, { migration, rows }] of Object.entries(MOVED)) {
    const before = join(temporaryFolder(), 'migrations');
    mkdirSync(before);
    copyFileSync(join(folderOf(plugin), migration), join(before, migration));
    await store.migrate(plugin, before);
    await store.write(async (tx) => {
      for (const row of rows) await tx.run(row);
    });
  }
  await store.close();
  return data;
}

async function withStores<T>(data: string, work: (stores: Stores) => Promise<T>): Promise<T> {
  const [store, local] = [await Store.open(join(data, 'hostkeep.db')), await Store.open(join(data, 'node.db'))];
  try {
    return await work({ store, local });
  } finally {
    await local.close();
    await store.close();
  }
}

async function rowsOf(store: Store, { tables }: Moved): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for (const table of tables) all.push(await store.all(`select * from ${table}`));
  return all;
}

const tableCount = async (store: Store, { tables }: Moved) =>
  (
    await store.all(
      'select 1 from sqlite_schema where name in (select value from json_each(?))',
      JSON.stringify(tables),
    )
  ).length;

test('a start moves what is the machine’s out of a store that had it', async () => {
  const data = await oldData();
  const before = await withStores(data, async ({ store }) =>
    Promise.all(Object.values(MOVED).map((moved) => rowsOf(store, moved))),
  );
  assert.is(before.flat(2).length, 5);
  const upgraded = await TestServer.start({ data });
  const { store, local } = upgraded.hostkeep.core;
  for (const [i, moved] of Object.values(MOVED).entries()) {
    assert.is(await tableCount(store, moved), 0);
    if (moved !== MOVED.websites) assert.equal(await rowsOf(local, moved), before[i]); // of sites, the sweep may know better
  }
  await upgraded.close();
});

test('a kill at any step loses no row, and what an older version wrote after it counts', async () => {
  for (const [plugin, moved] of Object.entries(MOVED))
    for (const step of ['local tables made', 'rows copied', 'all']) {
      const data = await oldData();
      const before = await withStores(data, ({ store }) => rowsOf(store, moved));
      const child = fork(join(import.meta.dirname, '../support/mover.js'), [data, plugin, folderOf(plugin), step]);
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      assert.is(signal, 'SIGKILL');
      await withStores(data, async ({ store, local }) => {
        const isOld = (await tableCount(store, moved)) > 0;
        assert.is(isOld, step !== 'all', `${plugin}, ${step}`);
        const [table] = moved.tables;
        if (isOld) await store.write((tx) => tx.run(`delete from ${table}`));
        if (isOld) await store.write((tx) => tx.run(moved.rows[0]));
        const expected = isOld ? await rowsOf(store, moved) : before;
        await migrateStores({ store, local }, plugin, folderOf(plugin));
        assert.equal(await rowsOf(local, moved), expected, `${plugin}, ${step}`);
        assert.is(await tableCount(store, moved), 0);
        await migrateStores({ store, local }, plugin, folderOf(plugin));
        assert.equal(await rowsOf(local, moved), expected, 'a second start moves nothing');
      });
    }
});

test('two processes that start at once move the rows once', async () => {
  const data = await oldData();
  await withStores(data, (one) =>
    withStores(data, async (other) => {
      const expected = await rowsOf(one.store, MOVED.quota);
      await Promise.all([one, other].map((stores) => migrateStores(stores, 'quota', folderOf('quota'))));
      assert.equal(await rowsOf(one.local, MOVED.quota), expected);
    }),
  );
});
