/** Where new accounts live, by the heartbeats of the nodes. */
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { placeFor } from '../../../../plugins/fleet/placement.ts';
import { addMember, beat, setDraining } from '../../../../plugins/fleet/store.ts';
import { codeOf } from '../../../support/code-of.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { ownSchema } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { migrate } from '../../../../kernel/store/migrate.ts';
import { openStore } from '../../../../kernel/run/data/open-store.ts';

const test = testSuite('fleet, placement');
let store: Store;
test.before(async () => {
  store = await openStore(temporaryFolder(), {
    url: ownSchema('placement'),
    password: '',
    stale_seconds: 0,
    statement_seconds: 10,
    connections: 3,
  });
  await migrate(store, 'kernel', join(projectDir, 'kernel/store/migrations'));
  await migrate(store, 'fleet', join(projectDir, 'plugins/fleet/migrations'));
  for (const name of ['one', 'two', 'three'])
    await store.write((tx) => addMember(tx, { name, address: 'x:1', keyDigest: name, isDraining: false }));
});
test.after(async () => {
  await store.close();
});

type Sample = Parameters<typeof beat>[2]['sample'];
const sampled = (name: string, sample: Sample, accounts = 0) =>
  beat(store, { name, keyDigest: name }, { version: '1.0.0', accounts, userUrl: '', adminUrl: '', sample });
const draining = (name: string, isDraining: boolean) => store.write((tx) => setDraining(tx, name, isDraining));

test('a node that is not there, or that is drained, is refused', async () => {
  await draining('two', true);
  assert.is(await codeOf(placeFor(store, 'one', 'nine')), 'node_not_found');
  assert.is(await codeOf(placeFor(store, 'one', 'two')), 'node_draining');
  assert.is(await codeOf(placeFor(store, 'two', undefined)), 'node_draining', 'no other node is up');
  await draining('two', false);
});

test('the node that is named is taken, and before any heartbeat the one that is asked', async () => {
  const stranger = { version: '1.0.0', accounts: 0, userUrl: '', adminUrl: '', sample: { cpu: 0, memory: 0, disk: 0 } };
  await beat(store, { name: 'two', keyDigest: 'of another node' }, stranger);
  assert.is(await placeFor(store, 'one', 'three'), 'three');
  assert.is(await placeFor(store, 'one', undefined), 'one');
});

test('the scarcest resource decides, then the number of accounts', async () => {
  await sampled('one', { cpu: 5, memory: 10, disk: 90 });
  await sampled('two', { cpu: 60, memory: 50, disk: 40 });
  await sampled('three', { cpu: null, memory: 60, disk: 20 }, 7);
  assert.is(await placeFor(store, 'one', undefined), 'two', 'both have 40 percent left, and it has fewer accounts');
  await draining('two', true);
  assert.is(await placeFor(store, 'one', undefined), 'three');
  await store.write((tx) => tx.run("update fleet_heartbeats set seen_at = seen_at - 60000 where node = 'three'"));
  assert.is(await placeFor(store, 'one', undefined), 'one');
  await sampled('three', { cpu: null, memory: null, disk: null });
  assert.is(await placeFor(store, 'one', undefined), 'one', 'a node that cannot measure itself comes last');
});
