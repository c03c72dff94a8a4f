/** The keys by which nodes sign tokens: what one rotates, all take over. */
import * as assert from '../../../support/assert.ts';
import { testConfig, type TestServer } from '../../../support/hostkeep.ts';
import fleetPlugin from '../../../../plugins/fleet/index.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('fleet keys');
let fleet: TestFleet;
let [one, two]: FleetMember[] = [];
let [first, second]: TestServer[] = [];
test.before(async () => {
  ({ fleet, one, two } = await TestFleet.pair('keys'));
  first = await fleet.serve(one, [fleetPlugin]);
  second = await fleet.serve(two, [fleetPlugin]);
});

const keysOf = (server: TestServer | undefined) =>
  (server as TestServer).hostkeep.core.keys.signingKeys.map(({ kid }) => kid);
const rotate = async (member: FleetMember | undefined): Promise<string> => {
  const { code, stdout, stderr } = await fleet.run((member as FleetMember).data, ['session', 'rotate-key', '--json']);
  assert.is(code, 0, stderr);
  return (JSON.parse(stdout) as { kid: string }).kid;
};
/** As `hostkeep reload` has it done. */
const reload = (server: TestServer) =>
  server.hostkeep.reconfigure(testConfig(server.data, { ...portsOf(server), store: { url: fleet.url } }));
const portsOf = ({ hostkeep }: TestServer) => ({ listen: hostkeep.node.config.listen });

test('a key that one node rotates signs on all, and the one before it stays good', async () => {
  const { token } = await (first as TestServer).user('ann');
  const [before = ''] = keysOf(first);
  const kid = await rotate(one);
  assert.equal(keysOf(second), [before], 'nothing happens before the reload');
  await reload(first as TestServer);
  await until('the other node has it', () => keysOf(second)[0] === kid);
  assert.equal(
    [keysOf(first), keysOf(second)],
    [
      [kid, before],
      [kid, before],
    ],
  );
  const ask = (server: TestServer | undefined, of: string) =>
    (server as TestServer).hostkeep.core.sessions.resolve(`Bearer ${of}`);
  assert.ok(await ask(second, token));
  const later = await (second as TestServer).user('bob');
  assert.ok(await ask(first, later.token));
});

test("a returning node takes the others' keys, even unknown ones", async () => {
  await (second as TestServer).close();
  for (let i = 0; i < 2; i += 1) {
    await rotate(one);
    await reload(first as TestServer);
  }
  const now = keysOf(first);
  second = await fleet.serve(two as FleetMember, [fleetPlugin]);
  assert.equal(keysOf(second), now);
  assert.equal(keysOf(first), now);
});

test('keys that two nodes rotate at once end up the same on both', async () => {
  const [a, b] = await Promise.all([rotate(one), rotate(two)]);
  await Promise.all([first, second].map((server) => reload(server as TestServer)));
  await until('both agree', () => String(keysOf(first)) === String(keysOf(second)));
  assert.equal(keysOf(first).toSorted(), [a, b].toSorted());
});
