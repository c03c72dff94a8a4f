/** Moving a store from SQLite to PostgreSQL, and back. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { dataFilesAt } from '../../../../kernel/run/data/data-files.ts';
import { openCore } from '../../../../kernel/run/core.ts';
import { createLog } from '../../../../kernel/log.ts';
import { copyStore } from '../../../../plugins/backup/copy-store.ts';
import { openStore } from '../../../../kernel/run/data/open-store.ts';
import { SqliteEngine } from '../../../../kernel/store/sqlite/sqlite-engine.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig, TestServer } from '../../../support/hostkeep.ts';
import { inFile, ownSchema } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('copies of the store');

/** A data folder with accounts, domains, sessions, tokens and events; its newest account is gone. */
async function filled(): Promise<{ data: string; header: string }> {
  const data = temporaryFolder();
  const server = await TestServer.start({ data, config: inFile });
  const { token } = await server.user('ann');
  const { token: other } = await server.user('eve');
  for (const name of ['größe.example', 'shop.example'])
    await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: name } });
  const favorite = { link: '/domains', title: "Ann's 😀" };
  assert.is((await server.ask('/api/favorites', { method: 'PUT', token: other, body: favorite })).status, 200);
  for (let i = 0; i < 3; i += 1) await server.account(`many-${i}`);
  await server.hostkeep.core.accounts.remove('many-2');
  await server.close();
  return { data, header: `Bearer ${token}` };
}

const copy = (data: string, to: string, store = '') =>
  hostkeep(data, ['store', 'copy', '--to', to, '--json'], '', undefined, { HOSTKEEP_STORE_URL: store });

test('a store copied to PostgreSQL and back keeps rows, sessions and ids', async () => {
  const { data, header } = await filled();
  const url = ownSchema(data);
  const there = await copy(data, url);
  assert.is(there.code, 0, there.stderr);
  const { tables } = JSON.parse(there.stdout) as { tables: { name: string; rows: number }[] };
  const rowsOf = (name: string) => tables.find((each) => each.name === name)?.rows;
  assert.equal(['accounts', 'domains', 'sessions', 'favorites', 'revision'].map(rowsOf), [4, 2, 2, 1, 1]);
  assert.ok((rowsOf('events') ?? 0) > 5);

  const core = await openCore(testConfig(data, { store: { url } }), createLog('silent'));
  assert.is((await core.sessions.resolve(header))?.account.username, 'ann');
  const passwordHash = await core.passwords.hash('correct horse battery');
  const { id } = await core.accounts.create({ username: 'newer', role: 'user', passwordHash, plan: 'basic' });
  assert.is(id, 6, 'the id of the account that was removed is not given again');
  await core.close();

  const back = join(temporaryFolder(), 'hostkeep.db');
  assert.is((await copy(data, back, url)).code, 0);
  const [file, database] = [
    await SqliteEngine.open(back),
    await openStore(data, testConfig(data, { store: { url } }).store),
  ];
  for (const table of ['accounts', 'events', 'domains', 'favorites', 'plan_features'])
    assert.equal(
      await file.all(`select * from ${table} order by 1, 2`),
      await database.all(`select * from ${table} order by 1, 2`),
    );
  await Promise.all([file.close(), database.close()]);
});

test('no copy replaces a store, reads a served one, or starts without one', async () => {
  const { data } = await filled();
  const other = await filled();
  const full = await copy(data, join(other.data, 'hostkeep.db'));
  assert.is(full.code, 1);
  assert.match(full.stderr, /already holds a store: name an empty one/);

  const target = join(temporaryFolder(), 'hostkeep.db');
  const server = await TestServer.start({ data, config: inFile });
  const served = await copy(data, target);
  await server.close();
  assert.is(served.code, 1);
  assert.match(served.stderr, /already serves the data folder/);

  const none = await copy(join(temporaryFolder(), 'none'), target);
  assert.match(none.stderr, /there is no store in/);
  const away = await copy(data, 'postgres://nobody@127.0.0.1:1/none');
  assert.match(away.stderr, /the store at postgres:\/\/nobody@127\.0\.0\.1:1\/none cannot be opened: .*ECONNREFUSED/);
  assert.not(existsSync(target));
});

test('a copy that differs from its source leaves no row', async () => {
  const { data } = await filled();
  const source = await openStore(data, testConfig(data, inFile).store);
  await source.write((tx) => tx.run("update accounts set email = 'a' || char(0) || 'b' where username = 'ann'"));
  const target = await openStore(data, testConfig(data, { store: { url: ownSchema(`${data} differs`) } }).store);
  const error = await copyStore(dataFilesAt(testConfig(data)), source, target).catch((each: unknown) => each);
  assert.match(String(error), /accounts differs after the copy \(4 rows and 4\): nothing was copied/);
  assert.equal(await target.get('select count(*) as n from accounts'), { n: 0 });

  await source.write((tx) => tx.run("update accounts set email = '' where username = 'ann'"));
  assert.ok((await copyStore(dataFilesAt(testConfig(data)), source, target)).length > 10, 'the next attempt succeeds');
  await source.write((tx) => tx.run("insert into migrations values ('absent', '0001-x.sql', '', 0)"));
  const file = join(temporaryFolder(), 'hostkeep.db');
  const other = await SqliteEngine.open(file);
  const refused = await copyStore(dataFilesAt(testConfig(data)), source, other).catch((each: unknown) => each);
  assert.match(String(refused), /the plugin absent, whose tables are in the store, is not installed/);
  await Promise.all([source.close(), target.close(), other.close()]);
  rmSync(file);
});
