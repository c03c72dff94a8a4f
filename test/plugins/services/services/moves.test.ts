/** What a service has stored goes with its account to another node, with a broker for each node and a real engine for both. */
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import type { Service } from '../../../../plugins/services/schema.ts';
import { startBroker } from '../../../support/broker.ts';
import { OWN_CLI, start } from '../../../support/command.ts';
import { dockerMissing, TestDocker } from '../../../support/docker.ts';
import { atEnd } from '../../../support/ending.ts';
import { killedAfter, runEnded, TestFleet, type FleetMember } from '../../../support/fleet.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';
import { askAs, FIRST } from '../house.ts';
import { makeSearchImage } from '../images.ts';
import { hasServices } from '../programs.ts';

await needs('fleet', 'moves');
const test = testSuite('moves of what services stored');
const SEARCH = 'elasticsearch';
const IMAGE = 'elasticsearch:8.19.0';
const ADD = 'PUT /shop/_doc/1 HTTP/1.1\r\nHost: x\r\n\r\n';
const LIMIT_S = 2;
/** So many bytes that a move can be interrupted while they are copied. */
const LARGE_BYTES = 256 << 20;

/** A node with a broker, and the folder of what services store. */
interface Place {
  readonly server: TestServer;
  readonly member: FleetMember;
  readonly stored: string;
  /** The file of its settings. */
  readonly file: string;
}
let docker: TestDocker;
let fleet: TestFleet;
let [one, two] = [] as unknown as [Place, Place];

async function place(member: FleetMember): Promise<Place> {
  const folder = temporaryFolder();
  const [run, stored] = [join(folder, 'run'), join(folder, 'stored')];
  const services = { run_folder: run, storage_folder: stored, recipes_folder: '', engine_socket: docker.socket };
  const broker = await startBroker({ ids: { first: FIRST }, services }, OWN_CLI); // a broker runs the jobs of its own program only
  atEnd(() => broker.kill());
  const server = await fleet.serve(member, undefined, broker.settings);
  return { server, member, stored, file: join(broker.folder, 'etc/hostkeep.json') };
}

const move = (...args: readonly string[]) =>
  fleet.run(one.member.data, ['--config', one.file, 'account', 'move', ...args], '', OWN_CLI);
const moving = async (name: string) => {
  const args = ['--config', one.file, 'account', 'move', name, '--to', 'two'];
  return (await start(one.member.data, args, /^/, { HOSTKEEP_STORE_URL: fleet.url }, OWN_CLI)).child;
};
const stateOf = async (name: string) =>
  (await one.server.hostkeep.core.store.get<{ state: string }>('select state from moves where username = ?', name))
    ?.state;
const homeOf = async (name: string) => (await one.server.hostkeep.core.accounts.get(name)).home;

async function shown({ server }: Place, token: string): Promise<Service> {
  const { body } = await server.ask<Service[]>('/api/services', { token });
  return body.find(({ service }) => service === SEARCH) as Service;
}

/** Resolves with the documents that the service has, once it answers. */
async function documents(at: Place, token: string): Promise<number | undefined> {
  const found = await eventually(
    'it answers',
    () => shown(at, token),
    (service) => service.is_running,
  );
  return found.figures?.documents;
}

/** An account at the first node whose service has one document, and a large file beside it. */
async function customer(name: string, bytes = 0) {
  const { account, token } = await one.server.user(name);
  const { status, body } = await one.server.ask<Service>(`/api/services/${SEARCH}`, {
    ...{ method: 'PUT', token, body: { is_on: true } },
  });
  assert.is(status, 200, JSON.stringify(body));
  await askAs(FIRST + account.id, body.socket ?? '', ADD, LIMIT_S);
  assert.is(await documents(one, token), 1);
  const folder = (at: Place) => join(at.stored, String(account.id));
  if (bytes > 0) writeFileSync(join(folder(one), SEARCH, 'shop/large'), Buffer.alloc(bytes, 1));
  return { token, id: account.id, folder };
}

if (hasServices() && dockerMissing() === undefined) {
  test.before(async () => {
    docker = await TestDocker.start({ isOfOneProcessor: true });
    await makeSearchImage(docker, IMAGE);
    const pair = await TestFleet.pair('service_moves');
    ({ fleet } = pair);
    one = await place(pair.one);
    two = await place(pair.two);
    await fleet.areUp(pair.one);
  });
  test.after(() => docker.stop());

  test('it goes on at the new home with what it has stored, and nothing is left', async () => {
    const { token, id, folder } = await customer('ann');
    const { code, stdout, stderr } = await move('ann', '--to', 'two');
    assert.is(code, 0, stderr);
    assert.match(stdout, /what Elasticsearch has stored goes along/);
    assert.match(
      stdout,
      /see that two has Elasticsearch \(docker pull .*\); until then, what it has stored waits there/,
    );
    assert.is(await documents(two, token), 1);
    const stored = statSync(join(folder(two), SEARCH));
    assert.equal([stored.uid, stored.gid, stored.mode & 0o777], [FIRST + id, FIRST + id, 0o700]);
    assert.is(statSync(folder(two)).mode & 0o777, 0o700);
    assert.ok(existsSync(join(folder(two), SEARCH, '.ended')), 'it could store what it had to at its end');
    assert.not(existsSync(folder(one)));
  });
  test('a home without the image keeps what came until it has it', async () => {
    const { token, folder } = await customer('bea');
    await docker.cli('tag', IMAGE, 'kept:local');
    await docker.cli('rmi', '-f', IMAGE);
    const { code, stderr } = await move('bea', '--to', 'two');
    assert.is(code, 0, stderr);
    await until('the new home sees that it is missing', async () => !(await shown(two, token)).is_installed);
    assert.ok(existsSync(join(folder(two), SEARCH, 'shop/1')));
    await docker.cli('tag', 'kept:local', IMAGE);
    assert.is(await documents(two, token), 1);
  });

  test('a move that is given up leaves it at the old home, where it runs again', async () => {
    const { token, folder } = await customer('cleo', LARGE_BYTES);
    const child = await moving('cleo');
    await until('it arrives', () => existsSync(join(folder(two), SEARCH, 'shop/large')));
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal([code, await homeOf('cleo')], [1, 'one']);
    assert.is(await documents(one, token), 2);
    await until('nothing is left at the other node', async () => (await stateOf('cleo')) === undefined);
    assert.not(existsSync(folder(two)));
  });

  test('killed while it arrives: it runs again, and the next move takes it along', async () => {
    const { token, folder } = await customer('dora', LARGE_BYTES);
    const child = await moving('dora');
    await until('it arrives', () => existsSync(join(folder(two), SEARCH, 'shop/large')));
    await killedAfter(one.server.hostkeep.core, 'dora', child, async () => {
      assert.is(await stateOf('dora'), 'read_only', 'it was interrupted in time');
      assert.is((await shown(one, token)).is_running, false);
    });
    await runEnded(one.server.hostkeep.core, 'dora');
    assert.is(await documents(one, token), 2, 'at the old home');
    const undone = await move('dora', '--undo');
    assert.equal([undone.code, undone.stderr, existsSync(folder(two))], [0, '', false]);
    const { code, stderr } = await move('dora', '--to', 'two');
    assert.is(code, 0, stderr);
    assert.equal([await documents(two, token), existsSync(folder(one))], [2, false]);
  });
} else reportSkipped(dockerMissing() ?? 'moves of what services stored');
