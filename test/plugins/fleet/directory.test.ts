import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Reader } from '../../../kernel/store/store.ts';
import { SqliteEngine } from '../../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { soleWorker } from '../../../kernel/workers/sole-worker.ts';
import { addMember, removeMember } from '../../../plugins/fleet/store.ts';
import { Directory } from '../../../plugins/fleet/traffic/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Gate } from '../../support/probe.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { migrate } from '../../../kernel/store/migrate.ts';

const test = testSuite('fleet directory');
const member = { name: 'one', address: 'x:1', keyDigest: 'one', isDraining: false };

async function emptyStore(): Promise<Store> {
  const store = await SqliteEngine.open(join(temporaryFolder(), 'hostkeep.db'));
  await migrate(store, 'fleet', join(projectDir, 'plugins/fleet/migrations'));
  return store;
}

test('one process looks for new members; the others hear of them or look', async () => {
  const store = await emptyStore();
  const heard: ((value: unknown) => void)[] = [];
  let [told, isCut, asked] = [0, false, 0];
  const workers = {
    ...soleWorker(),
    publish: (_: unknown, value: unknown) => {
      told += 1;
      if (!isCut) for (const each of heard) each(value);
    },
  };
  const reader: Reader = {
    get: (sql, ...params) => {
      asked += 1;
      return store.get(sql, ...params);
    },
    all: (sql, ...params) => store.all(sql, ...params),
  };
  const parts = { log: createLog('silent'), changed: async () => undefined };
  const leader = await Directory.start({ ...parts, store, workers });
  const follower = await Directory.start({
    ...parts,
    store: reader,
    workers: {
      ...workers,
      subscribe: (_, listener) => (heard.push(listener as (value: unknown) => void), () => void heard.pop()),
    },
  });
  leader.lead();
  try {
    await until('one looks for both', async () => {
      const before = [told + 3, asked] as const;
      await until('it has looked', () => told >= before[0]);
      return asked === before[1];
    });
    await store.write((tx) => addMember(tx, member));
    await until('both know', () => [leader, follower].every((each) => each.hasKey('one', 'one')));
    isCut = true;
    await store.write((tx) => removeMember(tx, 'one'));
    await until('the other one finds out', () => follower.get('one') === undefined);
  } finally {
    await leader.close();
    await follower.close();
    await store.close();
  }
  assert.equal(heard, []);
});

test('a member is found that joined while the members were being read', async () => {
  const store = await emptyStore();
  const gate = new Gate();
  let holds = false;
  const reader: Reader = {
    get: async (sql, ...params) => {
      const row = await store.get<never>(sql, ...params);
      if (holds) {
        gate.enter();
        await gate.opened;
      }
      return row;
    },
    all: (sql, ...params) => store.all(sql, ...params),
  };
  const parts = { log: createLog('silent'), changed: async () => undefined };
  const directory = await Directory.start({ ...parts, store: reader, workers: soleWorker() });
  try {
    holds = true;
    const reading = directory.refresh();
    await gate.entered;
    await store.write((tx) => addMember(tx, member));
    const found = directory.find('one');
    gate.open();
    assert.is((await found)?.name, 'one');
    await reading;
  } finally {
    gate.open();
    await directory.close();
    await store.close();
  }
});
