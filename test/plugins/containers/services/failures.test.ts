/** The containers plugin with engines that are absent, hang, lie or come back; all of them fakes. */
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { KnownEngines } from '../../../../plugins/containers/engine/known-engines.ts';
import containersPlugin from '../../../../plugins/containers/index.ts';
import type { Finding } from '../../../../kernel/contract/points/finding.ts';
import type { Metric } from '../../../../kernel/contract/points/metric.ts';
import { fakeEngine, json, rawEngine, type Answers, type FakeEngine } from '../../../support/fake-engine.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const [hosting] = await needs('hosting');
const test = testSuite('containers-failures');
const ID = 'c'.repeat(64);
const PATHS = ['/api/docker_stats', '/api/container/df'];
/** For engines that hang; others may take their time, as on a busy machine. */
const HANGS = { timeout_ms: 300 };
const STATS = {
  read: '2026-11-20T12:20:46Z',
  pids_stats: { current: 4 },
  memory_stats: { usage: 100 * 2 ** 20, limit: 400 * 2 ** 20 },
  networks: { eth0: { rx_bytes: 1000, tx_bytes: 5 } },
  cpu_stats: { cpu_usage: { total_usage: 5 }, system_cpu_usage: 9, online_cpus: 1 },
};
/** After a failure, an engine is asked again at this interval, however many requests come. */
const RETRY_MS = 2000;
const NO_PORTS = { phpmyadmin_port: null, remote_mysql_port: null, remote_ssh_port: null, webterminal_port: null };
interface Body {
  container_stats: { stats: Record<string, unknown> };
  error: string;
  detail: string;
}

interface Usage {
  date: string;
  data: [{ Containers: { ID: string; State: string; Size: string }[] }];
}

let folder: string;
let toClose: (() => Promise<void>)[] = [];
test.before.each(() => void (folder = mkdtempSync(join(tmpdir(), 'hostkeep-engines-'))));
test.after.each(async () => {
  for (const close of toClose.toReversed()) await close();
  toClose = [];
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);
async function open<T extends { close(): Promise<void> }>(thing: Promise<T>): Promise<T> {
  const opened = await thing;
  toClose.push(() => opened.close());
  return opened;
}
/** Accounts have no user ids: the fakes listen as the user of the tests. */
const settings = (containers: Record<string, unknown>, more: Record<string, unknown>) => ({
  config: { containers: { socket: at('shared.sock'), ...containers }, ids: { first: 0 }, ...more },
});
/** A server with what shows containers and their ports, because each test starts one. */
const start = (containers: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
  open(TestServer.start({ plugins: [containersPlugin, hosting], ...settings(containers, more) }));
const labelled = (account: string, Id = ID) => ({
  Id,
  Labels: { 'hostkeep.account': account },
  Image: 'x',
  ImageID: 'sha256:1',
  State: 'running',
  HostConfig: { NetworkMode: 'none' },
});

/** An engine with these running containers. `other` may answer a request first. */
const engineOf =
  (
    containers: readonly object[],
    other: (path: string, response: Parameters<Answers>[1]) => boolean = () => false,
  ): Answers =>
  (path, response) => {
    if (other(path, response)) return;
    if (path === '/containers/json') json(response, containers);
    else if (path === '/system/df')
      json(response, { Containers: containers, Images: null, Volumes: null, BuildCache: null });
    else if (path.endsWith('/stats')) json(response, STATS);
    else if (path.endsWith('/json')) json(response, { State: { Pid: process.pid } });
    else json(response, { message: 'page not found' }, 404);
  };

async function requestsOf(server: TestServer): Promise<number> {
  const [gathered] = (await server.hostkeep.plugins.gather('metrics')).filter(({ plugin }) => plugin === 'containers');
  const metrics: readonly Metric[] = gathered?.ok === true ? gathered.value : [];
  return metrics.find(({ name }) => name === 'hostkeep_container_engine_calls_total')?.samples[0]?.value ?? Number.NaN;
}

/** Resolves with how many times an engine may have been asked again while so many polls came at once. */
async function retriesDuring(server: TestServer, token: string, polls: number): Promise<number> {
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: polls }, () => server.ask('/api/docker_stats', { token })));
  return 1 + Math.floor((performance.now() - startedMs) / RETRY_MS);
}

async function untilAnswered(server: TestServer, path: string, token: string): Promise<Body> {
  const ask = () => server.ask<Body>(path, { token });
  const { body } = await eventually(`${path} is available`, ask, ({ status }) => {
    if (status !== 200) assert.is(status, 503);
    return status === 200;
  });
  return body;
}

async function assertRefused(server: TestServer, token: string, why: string): Promise<void> {
  for (const path of PATHS) {
    const { status, headers, body } = await server.ask<Body>(path, { token });
    assert.is(status, 503, why);
    assert.is(body.error, 'containers_unavailable', why);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.not.match(body.detail, /sock|Error|ECONN/, "the cause is not the client's");
  }
}

test('guests, accounts without the feature and other methods are refused', async () => {
  const engine = await open(fakeEngine(at('shared.sock'), engineOf([labelled('ann')])));
  const server = await start();
  const { token } = await server.user('ann', 'basic');
  for (const path of PATHS) {
    assert.is((await server.ask(path)).status, 401);
    const { status, body } = await server.ask(path, { token });
    assert.equal([status, body['error'], body['feature']], [403, 'feature_disabled', 'docker']);
    assert.is((await server.ask(path, { token, method: 'POST', body: {} })).status, 405);
  }
  assert.equal(engine.asked, []);
});

test('an absent engine is 503, is not retried per request, and is found later', async () => {
  const server = await start();
  const { token } = await server.user('ann');
  await assertRefused(server, token, 'absent');
  const before = await requestsOf(server);
  const retries = await retriesDuring(server, token, 100);
  assert.ok((await requestsOf(server)) <= before + retries + 1, 'only the retry and the check in the background');
  await open(fakeEngine(at('shared.sock'), engineOf([labelled('ann')])));
  assert.is((await untilAnswered(server, '/api/docker_stats', token)).container_stats.stats['Container'], '1');
  await untilAnswered(server, '/api/container/df', token);
});

test('an engine that never answers is 503, and further requests skip it', async () => {
  const engine = await open(rawEngine(at('shared.sock'), () => {}));
  const server = await start(HANGS);
  const { token } = await server.user('ann');
  await assertRefused(server, token, 'hangs');
  const before = engine.connections;
  const retries = await retriesDuring(server, token, 100);
  assert.ok(engine.connections <= before + retries + 1, 'only the retry and the check in the background');
  const doctor = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'containers');
  const [finding] = doctor?.ok === true ? (doctor.value as readonly Finding[]) : [];
  assert.is(finding?.ok, false);
  assert.match(finding?.remedy ?? '', /docker\.io/);
});

for (const [why, use] of Object.entries<
  (socket: { write(chunk: string): unknown; end(chunk: string): unknown }) => void
>({
  'speaks no HTTP': (socket) => socket.end('hello\r\n\r\n'),
  'closes in the middle of a reply': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{'),
  'answers with invalid JSON': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwhat'),
  'answers with an object instead of a list': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
  'answers with an error': (socket) => socket.end('HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n[]'),
  'answers one byte at a time for ever': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n[');
    const timer = setInterval(() => socket.write(' '), 20);
    (socket as unknown as NodeJS.EventEmitter).on('close', () => clearInterval(timer));
  },
})) {
  test(`an engine that ${why} is a 503`, async () => {
    await open(rawEngine(at('shared.sock'), use));
    const server = await start(HANGS);
    const { token } = await server.user('ann');
    await assertRefused(server, token, why);
  });
}

test('ports are 503 whenever statistics are, for every account', async () => {
  const server = await start();
  const [{ token }, plain] = [await server.user('ann'), await server.user('bob', 'basic')];
  await server.hostkeep.core.accounts.setFeature('bob', 'info', true);
  const ask = (who: string) => server.ask<Record<string, unknown>>('/system/hosting/ports', { token: who });
  const assertUnknown = async (who: string, why: string) => {
    const { status, headers, body } = await ask(who);
    assert.equal([status, body['error']], [503, 'containers_unavailable'], why);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  };
  await assertUnknown(token, 'there has never been an engine');
  await assertRefused(server, token, 'there has never been an engine');
  const engine = await open(
    fakeEngine(
      at('shared.sock'),
      engineOf([{ ...labelled('ann'), Ports: [{ PrivatePort: 3306, PublicPort: 33_061, Type: 'tcp' }] }]),
    ),
  );
  await untilAnswered(server, '/api/docker_stats', token);
  const known = async (who: string) =>
    (
      await eventually(
        'the ports are known',
        () => ask(who),
        ({ status }) => status === 200,
      )
    ).body;
  assert.is((await known(token))['remote_mysql_port'], 33_061);
  assert.equal(await known(plain.token), NO_PORTS);
  await engine.close();
  await until('the engine is missed', async () => (await ask(token)).status !== 200);
  await assertUnknown(token, 'the engine has stopped');
  await assertUnknown(plain.token, 'the engine has stopped, and the account lacks the feature docker');
  await open(rawEngine(at('shared.sock'), () => {}));
  await assertUnknown(token, 'the engine hangs');
});

test('ports are null if the plugin is off or no engine is configured', async () => {
  await open(fakeEngine(at('own.sock'), engineOf([])));
  for (const config of [
    { plugins: { containers: false } },
    { containers: { socket: '' } },
    { containers: { socket: '', sockets: { bob: at('own.sock') } } },
  ]) {
    const server = await open(TestServer.start({ config }));
    const { token } = await server.user('ann');
    const { status, body } = await server.ask('/system/hosting/ports', { token });
    assert.equal([status, body], [200, NO_PORTS], JSON.stringify(config));
    assert.not((await server.ask('/api/docker_stats', { token })).status === 200);
  }
});

test('ports are a 503 for an engine that hangs, even if it never answered', async () => {
  await open(rawEngine(at('shared.sock'), () => {}));
  const server = await start(HANGS);
  const { status, body } = await server.ask<Body>('/system/hosting/ports', { token: (await server.user('ann')).token });
  assert.equal([status, body.error], [503, 'containers_unavailable']);
});

// threat reused-names: what an account has in an engine that is stopped is there still
test('an engine that answered once is never "none"; one that never did is', async () => {
  const socketPath = at('shared.sock');
  const server = await start();
  const { token } = await server.user('ann');
  const removed = { ...(await server.user('ben')).account, removedAt: 0, removedBy: 'operator' };
  const known = new KnownEngines(server.hostkeep.core.local);
  const engine = (isThere: boolean) => ({ socketPath, hasSocket: () => Promise.resolve(isThere) });
  const nothing = async () => [await known.neverWas(engine(true)), await known.neverWas(engine(false))];
  assert.equal(await nothing(), [false, true]);
  const answering = await open(fakeEngine(socketPath, engineOf([])));
  await untilAnswered(server, '/api/docker_stats', token);
  await until('the engine is remembered', async () => !(await known.neverWas(engine(false))));
  await answering.close();
  assert.equal(await nothing(), [false, false]);
  const [part] = await server.hostkeep.plugins.gather('purge', removed, new AbortController().signal);
  assert.match(part?.ok === true ? String(part.value[0]?.problem) : '', /shared\.sock/, 'the operator has named it');
});

test('without its engine the plugin is degraded, in the list of plugins and in metrics', async () => {
  const server = await open(TestServer.start(settings({}, {})));
  const [{ token }, ann] = [await server.admin(), await server.user('ann')];
  const shown = async () => {
    const { body } = await server.ask<{ plugins: Record<string, unknown>[] }>('/api/plugins', {
      token,
      address: 'admin',
    });
    return body.plugins.find(({ name }) => name === 'containers');
  };
  await until('the first check', async () => (await shown())?.['state'] !== 'ready');
  const { state, reason, remedy, features } = (await shown()) ?? {};
  assert.equal([state, features], ['degraded', ['docker']]);
  assert.match(String(reason), /^no container engine listens at \S+shared\.sock$/);
  assert.match(String(remedy), /docker\.io/);
  const { body: metrics } = await server.ask<string>('/metrics', { token, address: 'admin' });
  for (const line of [
    'hostkeep_plugin_up{plugin="containers"} 0',
    'hostkeep_plugin_state{plugin="containers",state="degraded"} 1',
    'hostkeep_plugin_state{plugin="containers",state="ready"} 0',
    'hostkeep_plugin_state{plugin="domains",state="ready"} 1',
  ])
    assert.ok(metrics.includes(`\n${line}\n`), line);
  assert.is((await server.ask('/api/docker_stats', ann)).body['error'], 'containers_unavailable');
  await open(fakeEngine(at('shared.sock'), (_, response) => json(response, { Version: '1.2.3', ApiVersion: '1.41' })));
  // On a busy machine, a check may be too late.
  const check = () => server.health('containers').catch(() => []);
  await eventually('a check finds the engine', check, ([finding]) => finding?.ok === true);
});

// a machine that has no time to answer is no machine without an engine
test('an engine that is only late is degraded, and its feature stays', async () => {
  const server = await start({ socket: at('shared.sock'), sockets: {} });
  const silent = await open(rawEngine(at('shared.sock'), () => undefined));
  const [late] = await server.health('containers');
  assert.is(late?.ok, false);
  assert.match(String(late?.detail), /does not answer in time$/);
  assert.is(late?.features, undefined);
  await silent.close();
  await open(fakeEngine(at('shared.sock'), (_, response) => json(response, {}, 500)));
  const [broken] = await server.health('containers');
  assert.match(String(broken?.detail), /gives no usable answer$/);
  assert.equal(broken?.features, ['docker']);
});

test("an account's own engine is not checked: its account may stop it", async () => {
  const own = await open(fakeEngine(at('own.sock'), engineOf([])));
  const server = await start({ socket: '', sockets: { ann: at('own.sock') } });
  assert.equal(await server.health('containers'), []);
  assert.equal(own.asked, []);
});

// threat hostile-backend: endless replies of a container engine are cut off
test('an answer without end is read to a bound only', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(1 << 16, 0x20);
  await open(
    rawEngine(at('own.sock'), (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n[');
      const more = () => {
        for (let fits = true; fits && !socket.destroyed; sent += chunk.length) fits = socket.write(chunk);
      };
      socket.on('drain', more);
      more();
    }),
  );
  const server = await start({ sockets: { ann: at('own.sock') }, timeout_ms: 5000 });
  const { token } = await server.user('ann');
  await assertRefused(server, token, 'huge');
  assert.ok(sent < 32 * 2 ** 20, `${sent} bytes were accepted`);
});

test('an own engine that lists too many containers is a 503', async () => {
  const many = Array.from({ length: 6000 }, (_, i) => labelled('ann', i.toString(16).padStart(64, '0')));
  await open(fakeEngine(at('own.sock'), engineOf(many.map(({ Id }) => ({ Id })))));
  const server = await start({ sockets: { ann: at('own.sock') }, timeout_ms: 2000 });
  await assertRefused(server, (await server.user('ann')).token, 'thousands');
});

test('disk usage lists containers as they are now, with sizes of the measurement', async () => {
  const [stopped, started] = ['d'.repeat(64), 'e'.repeat(64)];
  let containers: object[] = [{ ...labelled('ann'), SizeRw: 5000 }, labelled('ann', stopped)];
  const engine = await open(fakeEngine(at('shared.sock'), (path, response) => engineOf(containers)(path, response)));
  const server = await start();
  const { token } = await server.user('ann');
  const ask = () => server.ask<Usage>('/api/container/df', { token });
  const shown = ({ body }: Awaited<ReturnType<typeof ask>>) =>
    body.data[0].Containers.map(({ ID: id, State, Size }) => [id, State, Size]);
  const first = await eventually('the sizes are measured', ask, ({ status }) => status === 200);
  assert.equal(shown(first), [
    [ID, 'running', '5kB'],
    [stopped, 'running', '0B'],
  ]);
  containers = [labelled('ann'), { ...labelled('ann', stopped), State: 'exited' }, labelled('ann', started)];
  const now = await eventually('the new container is listed', ask, (each) => shown(each).length === 3);
  assert.equal(shown(now), [
    [ID, 'running', '5kB'],
    [stopped, 'exited', '0B'],
    [started, 'running', 'N/A'],
  ]);
  assert.is(now.body.date, first.body.date, 'the time at which sizes were measured');
  assert.is(engine.asked.filter((path) => path === '/system/df').length, 1);
  assert.ok(engine.asked.length <= 10, 'the list is fetched once for many requests');
  await engine.close();
  const whatIsKept = 'a measurement that is kept does not stand for an engine that is gone';
  await until(whatIsKept, async () => (await ask()).status === 503);
});

test('a container that ends between listing and sampling is left out', async () => {
  const ended = 'd'.repeat(64);
  for (const how of ['404', '409', 'empty', 'nothing']) {
    const socket = at(`${how}.sock`);
    await open(
      fakeEngine(
        socket,
        engineOf([labelled('ann'), labelled('ann', ended)], (path, response) => {
          if (!path.includes(ended)) return false;
          if (how === 'empty') response.end();
          else
            json(
              response,
              how === 'nothing' ? { pids_stats: {}, memory_stats: {} } : { message: 'it ended' },
              how === 'nothing' ? 200 : Number(how),
            );
          return true;
        }),
      ),
    );
    const server = await start({ sockets: { ann: socket } });
    const { token } = await server.user('ann');
    const body = await untilAnswered(server, '/api/docker_stats', token);
    assert.equal(body.container_stats.stats, {
      BlockIO: '0B / 0B',
      CPUPerc: '0.00 %',
      Container: '1',
      ID: '',
      MemPerc: '25.00 %',
      MemUsage: '100MiB / 400MiB',
      Name: '',
      NetIO: '1kB / 5B',
      PIDs: 4,
    });
  }
});

test('a container that is gone from the shared engine is left out of the sums', async () => {
  await open(
    fakeEngine(
      at('shared.sock'),
      engineOf([labelled('ann')], (path, response) => {
        if (path !== `/containers/${ID}/json`) return false;
        json(response, { message: 'No such container' }, 404);
        return true;
      }),
    ),
  );
  const server = await start();
  const { token } = await server.user('ann');
  assert.is((await untilAnswered(server, '/api/docker_stats', token)).container_stats.stats['Container'], '0');
});

test('a container that the engine does not answer for delays its own account only', async () => {
  const stuck = 'e'.repeat(64);
  const engine = await open(
    fakeEngine(
      at('shared.sock'),
      engineOf([labelled('ann', stuck), labelled('bob')], (path) => path.includes(stuck)),
    ),
  );
  const server = await start({ timeout_ms: 1500 });
  const [ann, bob] = [await server.user('ann'), await server.user('bob')];
  assert.is((await server.ask('/api/docker_stats', { token: ann.token })).status, 503);
  await untilAnswered(server, '/api/docker_stats', bob.token);
  const before = engine.asked.length;
  const retries = await retriesDuring(server, ann.token, 50);
  assert.ok(engine.asked.length <= before + 4 * retries, 'a failure is not retried for each request');
});

test('the number of requests to the engine depends on the containers, not on the polls', async () => {
  const engine = await open(fakeEngine(at('shared.sock'), engineOf([labelled('ann')])));
  const server = await start();
  const { token } = await server.user('ann');
  await Promise.all(Array.from({ length: 200 }, () => server.ask('/api/docker_stats', { token })));
  await until('a sample', () => engine.asked.length >= 4);
  assert.equal(engine.asked.slice(0, 4), [
    '/containers/json',
    `/containers/${ID}/json`,
    `/containers/${ID}/stats`,
    `/containers/${ID}/stats`,
  ]);
});

// threat shared-cache: no account sees another's containers
// asvs 8.4.1: containers are separated by account
test("two accounts never see each other's containers", async () => {
  await open(
    fakeEngine(
      at('shared.sock'),
      engineOf([
        labelled('ann'),
        {
          ...labelled('', 'f'.repeat(64)),
          Labels: { 'com.docker.compose.project': 'bob', 'com.docker.compose.project.working_dir': '/srv/bob' },
        },
        { ...labelled('x', '1'.repeat(64)), Labels: null },
      ]),
    ),
  );
  const server = await start({}, { files_root: '/srv/{username}/www' });
  for (const [name, id] of [
    ['ann', ID],
    ['bob', 'f'.repeat(64)],
    ['cleo', undefined],
  ] as const) {
    const { token } = await server.user(name);
    assert.is(
      (await untilAnswered(server, '/api/docker_stats', token)).container_stats.stats['Container'],
      id === undefined ? '0' : '1',
    );
    const { body } = await server.ask<{ data: [{ Containers: { ID: string }[] }] }>('/api/container/df', { token });
    assert.equal(
      body.data[0].Containers.map((each) => each.ID),
      id === undefined ? [] : [id],
    );
  }
});

test("process ids from an account's own engine are not trusted", async () => {
  const shared = await open(fakeEngine(at('shared.sock'), engineOf([])));
  const own = await open(fakeEngine(at('own.sock'), engineOf([labelled('somebody')])));
  const server = await start({ sockets: { ann: at('own.sock') } });
  const { token } = await server.user('ann');
  assert.is((await untilAnswered(server, '/api/docker_stats', token)).container_stats.stats['Container'], '1');
  assert.not.ok(own.asked.includes(`/containers/${ID}/json`));
  assert.equal(shared.asked, []);
});

test('an own socket is refused if its path has a link or it is the shared one', async () => {
  const shared = await open(fakeEngine(at('shared.sock'), engineOf([labelled('bob')])));
  mkdirSync(at('real'));
  const neighbour = await open(fakeEngine(at('real/engine.sock'), engineOf([labelled('bob')])));
  symlinkSync(at('shared.sock'), at('link.sock'));
  symlinkSync(at('real'), at('folder'));
  linkSync(at('shared.sock'), at('hard.sock'));
  const server = await start({
    sockets: {
      ann: at('link.sock'),
      bea: at('folder/engine.sock'),
      cleo: at('hard.sock'),
      dora: folder,
      emma: `${folder}/real/../real/engine.sock`,
      fay: at('real/engine.sock'),
    },
  });
  for (const name of ['ann', 'bea', 'cleo', 'dora', 'emma'])
    await assertRefused(server, (await server.user(name)).token, name);
  assert.equal([shared.asked, neighbour.asked], [[], []] as string[][]);
  await untilAnswered(server, '/api/docker_stats', (await server.user('fay')).token);
});

// asvs 13.2.4, 13.2.5: the container engine comes from the configuration, never from the environment
test('the environment does not send the plugin elsewhere', async () => {
  await open(fakeEngine(at('shared.sock'), engineOf([])));
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = 'tcp://127.0.0.1:9';
  try {
    const server = await start();
    await untilAnswered(server, '/api/docker_stats', (await server.user('ann')).token);
  } finally {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }
});

// threat fail-open: an account without its own engine never gets the host's
test('without any engine the plugin, without an own one the account is refused', async () => {
  const none = await start({ socket: '' });
  assert.is(
    (await none.ask('/api/docker_stats', { token: (await none.user('ann')).token })).body['error'],
    'feature_unavailable',
  );
  await open(fakeEngine(at('own.sock'), engineOf([])));
  const server = await start({ socket: '', sockets: { ann: at('own.sock') } });
  await untilAnswered(server, '/api/docker_stats', (await server.user('ann')).token);
  await assertRefused(server, (await server.user('bob')).token, 'has none');
});

test('while disk usage is measured, requests are 503, and it is measured once', async () => {
  const waiting: (() => void)[] = [];
  const engine: FakeEngine = await open(
    fakeEngine(
      at('shared.sock'),
      engineOf([labelled('ann')], (path, response) => {
        if (path !== '/system/df') return false;
        waiting.push(() => json(response, { Containers: [labelled('ann')] }));
        return true;
      }),
    ),
  );
  const server = await start();
  const { token } = await server.user('ann');
  const refused = async () => {
    const { status, body, headers } = await server.ask<Body>('/api/container/df', { token });
    assert.equal([status, body.error], [503, 'containers_unavailable']);
    assert.ok(Number(headers.get('retry-after')) >= 1);
  };
  await Promise.all(Array.from({ length: 5 }, refused));
  await until('it is being measured', async () => {
    if (waiting.length === 0) await refused(); // the list that comes before it took too long
    return waiting.length > 0;
  });
  for (const answer of waiting) answer();
  await untilAnswered(server, '/api/container/df', token);
  assert.is(engine.asked.filter((path) => path === '/system/df').length, 1);
});

test('the demo reports what it leaves out without an engine', async () => {
  const server = await start();
  const report = async () => {
    const parts = await server.hostkeep.plugins.gather('demoOutside', people);
    const part = parts.find(({ plugin }) => plugin === 'containers');
    return part?.ok === true ? part.value : undefined;
  };
  const people = { demo: await server.account('demo'), other: await server.account('other') };
  const { uses, leftOut = [] } = (await report()) ?? {};
  assert.is(uses, undefined);
  assert.match(
    leftOut.join('\n'),
    /^containers: the engine at \S+ failed to answer .* \(apt-get install docker\.io [^\n]*\)$/,
  );
  await open(
    fakeEngine(at('shared.sock'), (path, response) =>
      path === '/version'
        ? json(response, { Version: '1.2.3', ApiVersion: '1.41' })
        : json(response, { message: 'no' }, 500),
    ),
  );
  assert.match(
    (await report())?.leftOut?.join('\n') ?? '',
    /^containers: Docker 1\.2\.3 .*, but the engine at \S+ answers \S+ with 500: .* \(.*busybox-static\)$/,
  );
});

test('containers, volumes and a silent engine block a move', async () => {
  const volumes = [{ Name: 'data', Labels: { 'hostkeep.account': 'ann' } }];
  const answer = engineOf([labelled('ann')], (path, response) => {
    if (path === '/volumes') json(response, { Volumes: volumes });
    return path === '/volumes';
  });
  const engine = await open(fakeEngine(at('shared.sock'), answer));
  const server = await start({ sockets: { own: at('own.sock') } });
  const obstaclesOf = async (username: string) => {
    const { account } = await server.user(username);
    const found = await server.hostkeep.plugins.gather('move');
    const part = found.find(({ plugin }) => plugin === 'containers');
    if (part?.ok !== true) throw new Error('containers know nothing of moves');
    return Promise.resolve(part.value.obstacles(account)).catch(() => 'a failure');
  };
  assert.equal(await obstaclesOf('ann'), [`it has containers or volumes: ${ID}, data`]);
  assert.equal(await obstaclesOf('ben'), []);
  assert.equal(await obstaclesOf('own'), ['it has a container engine of its own']);
  await engine.close();
  assert.is(await obstaclesOf('cat'), 'a failure');
});
