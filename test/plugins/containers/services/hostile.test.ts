/** Engines of customers that attack their client, and what other accounts notice: nothing. */
import { chmodSync, chownSync, linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from '../../../support/assert.ts';
import { fakeEngine, json, type Answers, type FakeEngine } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const test = testSuite('containers-hostile');
const STATS = '/api/docker_stats';
const DF = '/api/container/df';
/** Between two requests of a client: what is measured is asked for all the time, and a delay that matters is far longer. */
const PAUSE_MS = 20;
const isRoot = process.getuid?.() === 0;
let folder: string;
let toClose: (() => Promise<unknown>)[] = [];
test.before.each(() => void (folder = temporaryFolder()));
test.after.each(async () => {
  for (const close of toClose.toReversed()) await close();
  toClose = [];
});

const at = (name: string) => join(folder, name);
const idOf = (i: number) => i.toString(16).padStart(64, '0');
async function open<T extends { close(): Promise<unknown> }>(thing: Promise<T>): Promise<T> {
  const opened = await thing;
  toClose.push(() => opened.close());
  return opened;
}
const engineAt = (name: string, answer: Answers): Promise<FakeEngine> => open(fakeEngine(at(name), answer));
/** Accounts have no user ids: the fakes listen as the user of the tests. */
const start = (containers: Record<string, unknown>) =>
  open(TestServer.start({ config: { containers, ids: { first: 0 } } }));

/** Listens on a port, and counts connections. */
async function listener(): Promise<{ port: number; count: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as AddressInfo).port, count: () => connections };
}

/** The processes of jobs that this process started; with `start`, those whose `JobStart` says so. */
function jobProcesses(start = ''): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      const isOurs = Number(/^PPid:\t(\d+)$/m.exec(read('status'))?.[1]) === process.pid;
      return isOurs && read('cmdline').includes('job-process') && read('environ').includes(start);
    } catch {
      return false; // no process, or one that has ended
    }
  });
}

// threat ssrf: a redirect by a container engine is not followed
test('a redirect by an engine ends nothing and is followed nowhere', async () => {
  const target = await listener();
  let location = '';
  const redirect: Answers = (_, response) => response.writeHead(302, { Location: location }).end();
  await engineAt('shared.sock', redirect);
  await engineAt('own.sock', redirect);
  // A process that is too slow is ended, which a busy machine may make of any.
  const server = await start({ socket: at('shared.sock'), sockets: { ann: at('own.sock') }, timeout_ms: 10_000 });
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  // Processes for the accounts' files come and go meanwhile; that for the shared engine opens no account's.
  const ofEngine = () => jobProcesses('"root":null');
  await until('the process for the shared engine', () => ofEngine().length === 1);
  const [shared = ''] = ofEngine();
  for (const to of [
    'foo://x/',
    `http://127.0.0.1:${target.port}/latest/meta-data`,
    `https://127.0.0.1:${target.port}/`,
    '/containers/json',
    `http://127.0.0.1:1/`,
    '',
  ]) {
    location = to;
    for (const { token } of [ann, bob])
      for (const path of [STATS, DF]) {
        const { status, body } = await server.ask(path, { token });
        assert.equal([status, body['error']], [503, 'containers_unavailable'], to);
      }
    const found = async () => {
      const part = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'containers');
      return part?.ok === true ? (part.value[0]?.detail ?? '') : '';
    };
    // On a busy machine, doctor may not get the answer in time.
    await eventually(`doctor names the answer ${to}`, found, (detail) => detail.includes('answers /version with 302'));
  }
  assert.is(target.count(), 0);
  assert.equal(ofEngine(), [shared], 'not even the process for the engine ended');
});

// asvs 13.2.2: the process that speaks with an engine has no rights and no network
test("the process for an own engine has the account's id, no rights, no network", async () => {
  if (!isRoot) return;
  await engineAt('own.sock', (_, response) => json(response, []));
  const server = await start({ socket: '', sockets: { ann: at('own.sock') } });
  const { account, token } = await server.user('ann');
  mkdirSync(account.filesRoot, { recursive: true });
  for (const path of [account.filesRoot, at('own.sock')]) chownSync(path, 70_001, 70_001);
  chmodSync(folder, 0o755);
  await until('an answer', async () => (await server.ask(STATS, { token })).status === 200);
  const [pid = ''] = jobProcesses();
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, /^Uid:\t70001\t70001\t70001\t70001$/m);
  assert.match(status, /^CapEff:\t0{16}$/m);
  assert.is.not(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'));
});

// threat hostile-backend: a hard link to another account's engine is refused
test("another account's socket under a name of one's own is refused", async () => {
  if (!isRoot) return;
  const bobs = await engineAt('bob.sock', (_, response) => json(response, []));
  chmodSync(folder, 0o755);
  chmodSync(at('bob.sock'), 0o777); // the system would refuse it otherwise
  mkdirSync(at('homes'));
  for (const [i, name] of ['ann', 'bob', 'cleo'].entries()) {
    mkdirSync(at(`homes/${name}`), { recursive: true });
    chownSync(at(`homes/${name}`), 70_001 + i, 70_001 + i);
    if (name !== 'cleo') linkSync(at('bob.sock'), at(`homes/${name}/engine.sock`));
  }
  mkdirSync(at('homes/cleo/run'), { mode: 0o755 });
  linkSync(at('bob.sock'), at('homes/cleo/run/engine.sock'));
  chownSync(at('bob.sock'), 70_002, 70_002);
  const sockets = {
    ann: at('homes/ann/engine.sock'),
    bob: at('homes/bob/engine.sock'),
    cleo: at('homes/cleo/run/engine.sock'),
  };
  const server = await open(
    TestServer.start({ config: { files_root: at('homes/{username}'), containers: { socket: '', sockets } } }),
  );
  for (const name of ['ann', 'cleo']) assert.is((await server.ask(STATS, await server.user(name))).status, 503, name);
  assert.equal(bobs.asked, []);
  const bob = await server.user('bob');
  await until('an answer', async () => (await server.ask(STATS, bob)).status === 200);
});

// threat hostile-backend: what an engine sends is parsed elsewhere, and only a share of its containers is measured
test('an own engine with a thousand containers and large statistics delays nobody', async () => {
  const containers = Array.from({ length: 1000 }, (_, i) => ({
    Id: idOf(i),
    Names: ['/x'.repeat(100)],
    State: 'running',
  }));
  const list = Buffer.from(JSON.stringify(containers));
  const stats = (sizeBytes: number) => {
    const networks = Object.fromEntries(Array.from({ length: sizeBytes / 40 }, (_, i) => [`e${i}`, { rx_bytes: 1e9 }]));
    return Buffer.from(JSON.stringify({ pids_stats: { current: 1 }, memory_stats: { usage: 1 }, networks }));
  };
  for (const [body, status] of [
    [stats(20_000), 200],
    [stats(1_000_000), 503],
  ] as const) {
    const engine = await engineAt(`own-${status}.sock`, (path, response) =>
      response.end(path === '/containers/json' ? list : body),
    );
    const server = await start({ socket: '', sockets: { ann: at(`own-${status}.sock`) } });
    const [ann, bob] = [await server.user('ann'), await server.user('bob')];
    const end = performance.now() + 5000;
    const polling = [STATS, DF].map(async (path) => {
      for (; performance.now() < end; await delay(PAUSE_MS)) await server.ask(path, ann);
    });
    let longest = 0;
    for (; performance.now() < end; await delay(PAUSE_MS)) {
      const started = performance.now();
      assert.is((await server.ask('/api/dashboard', bob)).status, 200);
      longest = Math.max(longest, performance.now() - started);
    }
    await Promise.all(polling);
    // Not less: a busy machine stops for some seconds now and then.
    assert.ok(longest < 10_000, `bob waited for ${Math.round(longest)} ms`);
    const ask = () => server.ask<{ container_stats: { stats: { Container: string } } }>(STATS, ann);
    if (status === 200) {
      const { body: measured } = await eventually('the statistics', ask, (answer) => answer.status === 200);
      assert.is(measured.container_stats.stats.Container, '50');
    } else assert.is((await ask()).status, status);
    const asked = new Set(engine.asked.filter((path) => path.endsWith('/stats'))).size;
    assert.ok(asked === 50 || (asked < 50 && status === 503), `${asked} of a thousand`);
  }
});

test("containers of one account that do not answer leave room for another's", async () => {
  const own = (username: string, i: number) => ({
    Id: idOf(i),
    Labels: { 'hostkeep.account': username },
    HostConfig: { NetworkMode: 'none' },
  });
  const containers = [...Array.from({ length: 400 }, (_, i) => own('ann', i + 1)), own('bob', 0)];
  const engine = await engineAt('shared.sock', (path, response) => {
    if (path === '/containers/json') json(response, containers);
    else if (path === `/containers/${idOf(0)}/stats`)
      json(response, { pids_stats: { current: 4 }, memory_stats: { usage: 1 } });
    else if (path === `/containers/${idOf(0)}/json`) json(response, { State: { Pid: process.pid } });
  });
  const server = await start({ socket: at('shared.sock'), timeout_ms: 10_000 });
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  const stuck = server.ask(STATS, ann);
  await until('the questions about containers of ann', () => engine.asked.length >= 50);
  // A poll waits three seconds at most, and a busy machine needs several; all of ann's questions take 80 seconds.
  await until('the statistics of bob', async () => (await server.ask(STATS, bob)).status === 200);
  assert.is((await stuck).status, 503);
});

test('more own engines than processes are all answered', async () => {
  const names = ['ann', 'bob', 'cleo'];
  for (const name of names)
    await engineAt(`${name}.sock`, (path, response) =>
      json(response, path === '/containers/json' ? [{ Id: idOf(1) }] : { pids_stats: { current: 1 } }),
    );
  const server = await start({
    socket: '',
    own_engines_at_once: 1,
    sockets: Object.fromEntries(names.map((name) => [name, at(`${name}.sock`)])),
  });
  const users = await Promise.all(names.map((name) => server.user(name)));
  const isAnswered = async (user: (typeof users)[number]) => (await server.ask(STATS, user)).status === 200;
  // Not all at one time: on a busy machine the turns of all take longer than a sample may be old.
  for (let rounds = 0; rounds < 2; rounds += 1)
    await Promise.all(users.map((user, index) => until(`an answer for ${names[index]}`, () => isAnswered(user))));
  await until('one process', () => jobProcesses().length <= 1);
});
