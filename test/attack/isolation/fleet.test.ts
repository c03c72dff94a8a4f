/** The isolation of accounts that live on different nodes of a fleet. */
import * as assert from '../../support/assert.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { TestFleet } from '../../support/fleet.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { RawClient } from '../target/raw-client.ts';
import { engineIn, OPEN_THROTTLE, settingsIn, type Target } from '../target/target-server.ts';
import { engineOfTenants, IsolationHarness } from './isolation-harness.ts';

const test = testSuite('attack: isolation in a fleet');

function targetOf(server: TestServer): Target {
  const { hostkeep } = server;
  const clients = { user: new RawClient(hostkeep.url('user')), admin: new RawClient(hostkeep.url('admin')) };
  const stop = async () => {
    for (const client of Object.values(clients)) client.close();
    await server.close();
  };
  return { core: hostkeep.core, clients, failure: () => undefined, stop };
}

// threat shared-cache: nor does it matter which node of a fleet an account asks
test("no account reads, changes or infers another's data on any node of a fleet", async () => {
  const folder = temporaryFolder();
  const engine = await fakeEngine(engineIn(folder), engineOfTenants());
  const fleet = new TestFleet('isolation');
  const config = { ...settingsIn(folder), ...OPEN_THROTTLE, log: { level: 'silent' } };
  const member = await fleet.init('one');
  const servers = [await fleet.serve(member, undefined, config)] as const;
  const nodes = [servers[0], await fleet.serve(await fleet.join(member, 'two'), undefined, config)].map(targetOf);
  await servers[0].admin('operator');
  const harness = await IsolationHarness.start(nodes as [Target, Target]);
  try {
    const recorded = await harness.ownAnswers(harness.owner);
    for (const [i, node] of nodes.entries()) {
      harness.target = node;
      await harness.assertSame(harness.owner, recorded, `at node ${i + 1}`);
      assert.ok((await harness.compareNames()) > 50);
      await harness.assertSame(harness.owner, recorded, `after a stranger named all its things at node ${i + 1}`);
    }
  } finally {
    await harness.stop();
    await engine.close();
  }
});
