import { chownSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { createLog } from '../../kernel/log.ts';
import { openCore, type Core } from '../../kernel/run/core.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig } from '../support/hostkeep.ts';
import { storesInFiles } from '../support/postgres.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('given ids');
storesInFiles();

const files = temporaryFolder();
const ROOT = process.getuid?.() === 0;
/** As root any, otherwise the only one that this process can give to a folder. */
const OWNER = ROOT ? 200_041 : (process.getuid?.() ?? 0);
const ids = { first: OWNER - 41, count: 1000 };

async function within<T>(data: string, work: (core: Core) => Promise<T>): Promise<T> {
  const config = testConfig(data, { files_root: `${files}/{username}/home`, ids });
  const core = await openCore(config, createLog('silent'));
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

const add = (data: string, username: string): Promise<number> =>
  within(data, async ({ accounts }) => {
    const { id } = await accounts.create({ username, role: 'user', plan: null, passwordHash: '' });
    return id;
  });

test('a store that was put back gives no id again', async () => {
  const data = temporaryFolder();
  const first = await add(data, 'ann');
  const before = temporaryFolder();
  for (const name of ['hostkeep.db', 'node.db']) cpSync(join(data, name), join(before, name));
  const dave = await add(data, 'dave');
  assert.is(dave, first + 1);
  for (const name of ['hostkeep.db', 'node.db']) {
    rmSync(join(data, `${name}-wal`), { force: true });
    rmSync(join(data, `${name}-shm`), { force: true });
    cpSync(join(before, name), join(data, name));
  }
  const erin = await add(data, 'erin');
  assert.ok(erin > dave, `erin got ${erin}, and dave had ${dave}`);
});

test('a new data folder gives no id that owns a files root', async () => {
  const root = join(files, 'fay', 'home');
  mkdirSync(root, { recursive: true });
  if (ROOT) chownSync(root, OWNER, OWNER);
  assert.is(await add(temporaryFolder(), 'gus'), 42);
  rmSync(root, { recursive: true });
  mkdirSync(join(files, '.removed', 'hal-57'), { recursive: true });
  assert.is(await add(temporaryFolder(), 'gus'), 58);
});

test('owners beyond the range of ids, and links, count for nothing', async () => {
  rmSync(join(files, '.removed'), { recursive: true });
  const data = temporaryFolder();
  mkdirSync(join(files, 'ida', 'home'), { recursive: true });
  if (ROOT) chownSync(join(files, 'ida', 'home'), ids.first + ids.count, 0);
  else rmSync(join(files, 'ida'), { recursive: true });
  assert.is(await add(data, 'ida'), 1);
});
