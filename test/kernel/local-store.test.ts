import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { openCore } from '../../kernel/run/core.ts';
import { createLog } from '../../kernel/log.ts';
import { SqliteEngine } from '../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../kernel/store/store.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { codeOf } from '../support/code-of.ts';
import { hostkeep } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { TestServer, testConfig } from '../support/hostkeep.ts';
import { prepare } from '../support/node-process.ts';
import { keepersOfFindings } from '../support/plugin-rows.ts';
import { testSuite } from '../support/suite.ts';
import { migrate } from '../../kernel/store/migrate.ts';

const test = testSuite('local-store');
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

const folderOf = (plugin: string) => join(projectDir, 'plugins', plugin, 'migrations/local');

async function withLocal<T>(data: string, work: (local: Store) => Promise<T>): Promise<T> {
  const local = await SqliteEngine.open(join(data, 'node.db'));
  try {
    return await work(local);
  } finally {
    await local.close();
  }
}

// threat reused-names: a new account finds nothing in the local store of one before it
test('rows of an account go with it, and before its name is free', async () => {
  const { accounts, local } = server.hostkeep.core;
  const { id } = await server.account('ann');
  const addRow = () => local.write((tx) => tx.run('insert into quota_samples values (?, 1, 1, 1)', id));
  const count = async () => (await local.get<{ n: number }>('select count(*) as n from quota_samples'))?.n;
  await addRow();
  await accounts.remove('ann');
  assert.is(await count(), 0);
  await addRow(); // as if the process had been killed before
  await accounts.removed.release(await accounts.removed.claim('ann'), { username: 'root', ip: '' });
  assert.is(await count(), 0);
});

test('what was found of an account that was removed meanwhile is not written', async () => {
  const { core } = server.hostkeep;
  const { local, accounts } = core;
  const account = await server.account('eve');
  await accounts.remove('eve');
  for (const [plugin, keep] of await keepersOfFindings())
    assert.is(await codeOf(keep(core, account)), 'account_not_found', plugin);
  for (const table of ['quota_samples', 'websites_docroots', 'websites_sites'])
    assert.equal(await local.all(`select * from ${table}`), []);
});

test('rows of unknown accounts are removed before their ids are given again', async () => {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  await withLocal(data, async (local) => {
    await migrate(local, 'quota', folderOf('quota'));
    await local.write((tx) => tx.run('insert into quota_samples values (1, 1, 1, 1), (2, 2, 2, 2)'));
  });
  const core = await openCore(testConfig(data), createLog('silent'));
  assert.equal(await core.local.all('select account_id from quota_samples'), [{ account_id: 1 }]);
  await core.close();
});

test('a local store of a newer build is refused by name', async () => {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  await withLocal(data, async (local) => {
    await migrate(local, 'usage', folderOf('usage'));
    await local.write((tx) => tx.run("insert into migrations values ('usage', '0999-later.sql', '', 0)"));
  });
  const { code, stderr } = await hostkeep(data, ['account', 'list']);
  assert.is(code, 1);
  assert.match(
    stderr,
    /was migrated by a newer Hostkeep: this one, [\d.]+, does not know usage\/local\/0999-later\.sql;/,
  );
});

test('a damaged local store is refused with a remedy; a removed one is recreated', async () => {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  writeFileSync(join(data, 'node.db'), 'hello '.repeat(1000));
  const { code, stderr } = await hostkeep(data, ['account', 'list']);
  assert.is(code, 1);
  assert.match(stderr, /node\.db is not a database: stop all programs that use it, and remove it: only the history/);
  writeFileSync(join(data, 'node.db'), '');
  assert.is((await hostkeep(data, ['account', 'list'])).code, 0);
});
