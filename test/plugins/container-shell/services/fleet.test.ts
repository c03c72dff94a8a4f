/** Shells in containers of an account's home, for a client of another node; each node is a process of its own. */
import * as assert from '../../../support/assert.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { needs } from '../../../support/needs.ts';
import type { NodeProcess } from '../../../support/node-process.ts';
import { openSocket, type SocketClient } from '../../../support/socket-client.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('fleet');
const test = testSuite('container-shell in a fleet');
const missing = dockerMissing();
if (missing === undefined) withDocker();
else reportSkipped(missing);

const FIRST_ID = 200_000;
const MIB = 2 ** 20;

function withDocker(): void {
  let docker: TestDocker;
  let fleet: TestFleet;
  let [one, two] = [] as unknown as [FleetMember, FleetMember];
  let [first, second] = [] as unknown as [NodeProcess, NodeProcess];
  let [ann, root] = ['', ''];
  let [web, others] = ['', ''];

  const run = (name: string, account: string) =>
    docker.run('sleep 100000', '--name', name, '--network', 'none', '--label', `hostkeep.account=${account}`);
  const serve = (member: FleetMember, people = {}) =>
    fleet.start(member, people, {
      config: {
        containers: { socket: docker.socket, timeout_ms: 10_000 },
        ids: { first: FIRST_ID },
        plugins: { 'container-shell': true, webserver: false },
      },
    });
  const at = (node: NodeProcess, id = web) => `${node.url()}/api/docker-shells/${id}`;
  const bearer = (token = ann) => ({ authorization: `Bearer ${token}` });
  /** A shell counts until its process has ended, which follows the end of what ran in it. */
  const open = async (node = first): Promise<SocketClient> => {
    const ask = () => openSocket(at(node), bearer());
    const opened = await eventually('a shell opens', ask, (it) => it !== '503 overloaded');
    if (typeof opened === 'string') throw new Error(`the shell is refused: ${opened}`);
    return opened;
  };
  const refusal = (node: NodeProcess, id = web, headers: Record<string, string> = bearer()) =>
    openSocket(at(node, id), headers).then((it) => (typeof it === 'string' ? it : (it.close(), 'opened')));
  const type = (client: SocketClient, text: string) => client.send(Buffer.from(text));
  const says = (client: SocketClient, text: string | RegExp) =>
    until(`the shell says ${text}`, () => {
      if (client.closed !== undefined) throw new Error(`it is closed: ${client.closed} ${client.texts.join()}`);
      return client.output.match(text) !== null;
    });
  /** What was killed after its shell stays in the list as `[yes]`, as nothing in the container takes its end. */
  const nothingRuns = () =>
    eventually(
      'nothing runs',
      () => docker.cli('exec', 'ann-web', 'ps', '-o', 'args'),
      (running) => !/sleep 1234|\byes 1\b|\bsh$/m.test(running),
    );
  const asRoot = async (method: string, path: string) => {
    const { status, body } = await first.ask(path, { method, token: root, address: 'admin' });
    assert.is(status, 200, JSON.stringify(body));
  };
  const feature = (method: string) => asRoot(method, '/api/accounts/ann/features/container_shell');
  /** Resolves once all nodes have heard that the account has the feature. */
  const areOpen = () =>
    until('both nodes allow it', async () => {
      const ask = (node: NodeProcess) => node.ask(`/api/docker-shells/${web}`, { token: ann });
      return (await Promise.all([first, second].map(ask))).every(({ status }) => status === 426);
    });

  test.before(async () => {
    docker = await TestDocker.start();
    [web, others] = [await run('ann-web', 'ann'), await run('bob-web', 'bob')];
    ({ fleet, one, two } = await TestFleet.pair('shells'));
    second = await serve(two, { ann: 'user' });
    first = await serve(one, { root: 'admin' });
    root = await first.login('root', undefined, 'admin');
    await feature('PUT');
    ann = await first.login('ann');
    await areOpen();
  });
  test.after(async () => {
    await fleet.close();
    await docker.stop();
  });

  // threat shell-of-others: no shell opens in a container of another account, whichever node is asked
  test('another node refuses what the home does, and says why', async () => {
    assert.is(await refusal(first, web, {}), '401 authentication_required');
    assert.is(await refusal(first, others), '404 container_not_found');
    assert.is(await refusal(first, 'f'.repeat(64)), '404 container_not_found');
    assert.is((await first.ask(`/api/docker-shells/${others}`, { token: ann })).status, 404);
    assert.is((await first.ask(`/api/docker-shells/${web}`, { token: ann })).status, 426);
    await feature('DELETE');
    assert.is(await refusal(first), '403 feature_disabled');
    await feature('PUT');
    await areOpen();
  });

  test('a shell opens at the home, as the account, and says how it ended', async () => {
    const client = await open();
    type(client, 'id -u; stty size\n');
    client.send('101x33');
    await says(client, /\n2000\d\d\r/);
    type(client, 'stty size\n');
    await says(client, '33 101');
    type(client, 'exit 7\n');
    await until('it is closed', () => client.closed !== undefined);
    assert.equal([client.closed, client.texts], [1000, ['{"ended":"exit","exit_code":7}']]);
    const { body } = await first.ask('/api/account/activity', { token: ann });
    assert.match(JSON.stringify(body), /closed a shell in the container ann-web after \d+ s/);
    await nothingRuns();
  });

  test('an account has three in all, at whichever nodes, which end with its feature', async () => {
    const clients = [await open(first), await open(second), await open(first)];
    for (const client of clients) {
      type(client, 'echo it is $((40 + 2))\n');
      await says(client, 'it is 42');
    }
    for (const node of [first, second]) assert.is(await refusal(node), '503 overloaded');
    await feature('DELETE');
    await until('all are closed', () => clients.every(({ closed }) => closed === 1001));
    await nothingRuns();
    await feature('PUT');
    await areOpen();
  });

  test('output waits for its reader, through both nodes', async () => {
    const client = await open();
    type(client, 'echo is $((1 + 1)); yes $(seq 1000)\n');
    await says(client, 'is 2');
    client.socket.pause();
    const before = [first, second].map((node) => node.memoryBytes);
    let last = -1;
    await until('it stands still', async () => {
      const [now, stat] = [last, await docker.cli('exec', 'ann-web', 'sh', '-c', 'cat /proc/$(pidof yes)/stat')];
      last = Number(stat.split(' ')[13]) + Number(stat.split(' ')[14]);
      return now === last;
    });
    for (const [i, node] of [first, second].entries()) assert.ok(node.memoryBytes - (before[i] ?? 0) < 64 * MIB);
    client.socket.resume();
    const { sizeBytes } = client;
    await until('it goes on', () => client.sizeBytes > sizeBytes + 16 * MIB);
    client.close();
    await nothingRuns();
  });

  test('nothing is left of a shell whose way is cut, at either node', async () => {
    const lost = await open();
    type(lost, 'sleep 1234\n');
    await says(lost, 'sleep 1234');
    await first.end('SIGKILL');
    await nothingRuns();
    first = await serve(one);
    const client = await open();
    type(client, 'echo is $((1 + 1)); sleep 1234\n');
    await says(client, 'is 2');
    await second.end('SIGKILL');
    await until('its client is told', () => client.closed === 1001);
    assert.is(await refusal(first), '503 node_unreachable');
    await nothingRuns();
    second = await serve(two);
    await until('there are shells again', async () => (await refusal(first)) === 'opened');
  });
}
