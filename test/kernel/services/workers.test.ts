import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { hostkeep } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { FILES_ROOT } from '../../support/hostkeep.ts';
import { NodeProcess, onlyPlugins, prepare, type NodeOptions } from '../../support/node-process.ts';
import { rawConnection } from '../../support/raw.ts';
import { allowedProcessors } from '../../support/processors.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const test = testSuite('workers');
const WORKERS = 2;
/** So many connections that each worker gets some: the system chooses at random, once for each. */
const CONNECTIONS = 24;
const LEAN = onlyPlugins('accounts', 'domains', 'login', 'operations', 'postgres', 'settings', 'system', 'usage');
const opened = new Set<NodeProcess>();
test.after.each(async () => {
  for (const node of opened) await node.end('SIGKILL');
  opened.clear();
});

async function start(data: string, options: NodeOptions = {}): Promise<NodeProcess> {
  const node = await NodeProcess.start(data, { workers: WORKERS, config: LEAN, ...options });
  opened.add(node);
  await node.line(/all workers serve/);
  return node;
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** The process that holds the leader's lock. */
interface Asked {
  readonly path: string;
  readonly address?: Address;
  readonly token: string;
}

/** Sends a request on a connection of its own; resolves with its status and text. */
function askOnce(node: NodeProcess, { path, address = 'user', token }: Asked): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const url = new URL(node.url(address) + path);
    const sent = request(url, { agent: false, headers: { authorization: `Bearer ${token}` } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Asks every worker; returns the different statuses. */
async function statuses(node: NodeProcess, asked: Asked): Promise<number[]> {
  const replies = await Promise.all(Array.from({ length: CONNECTIONS }, () => askOnce(node, asked)));
  return [...new Set(replies.map(([status]) => status))].toSorted();
}

async function fails(run: () => Promise<unknown>): Promise<boolean> {
  return run().then(
    () => false,
    () => true,
  );
}

test('a wrong number, a worker alone and a failing node are refused', async () => {
  const data = temporaryFolder();
  for (const number of ['0', '17', 'two', '-1']) {
    const { code, stderr } = await hostkeep(data, ['serve', '--workers', number]);
    assert.is(code, 2, number);
    assert.match(stderr, /a whole number from 1 to 16/, number);
  }
  const wrong = await hostkeep(data, ['serve'], '', undefined, { HOSTKEEP_WORKERS: 'many' });
  assert.match(wrong.stderr, /from env 'HOSTKEEP_WORKERS' is invalid. It must be a whole number from 1 to 16/);
  const { code, stderr } = await hostkeep(data, ['worker']);
  assert.is(code, 1);
  assert.match(stderr, /only `hostkeep serve` starts workers/);
  assert.not.match((await hostkeep(data, ['--help'])).stdout, /^ {2}worker/m);
  const node = NodeProcess.spawn(data, { workers: WORKERS, config: { usage: { interval_ms: 'soon' } } });
  opened.add(node);
  assert.is(await node.ended(), 2);
  assert.match(node.output, /usage\.interval_ms must be integer/);
  assert.not.ok(existsSync(join(data, 'serving.pid')), 'the folder is free');
});

test('there is one worker per core, at most four; one core has no supervisor', async () => {
  const cores = Math.min(4, availableParallelism());
  const node = await NodeProcess.start(temporaryFolder(), { workers: 'by cores', config: LEAN });
  opened.add(node);
  if (cores > 1) await node.line(new RegExp(`"workers":${cores},"msg":"all workers serve"`));
  const through = ['taskset', '--cpu-list', String(allowedProcessors()[0])];
  const alone = await NodeProcess.start(temporaryFolder(), { workers: 'by cores', config: LEAN, through });
  opened.add(alone);
  assert.not.match(alone.output, /"worker":/);
});

test('a worker that dies is replaced, another leads, and all end with the supervisor', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  assert.match((await hostkeep(data, ['serve'])).stderr, new RegExp(`process ${node.pid} already serves`));
  const [first = 0, second = 0] = node.children;
  assert.is(node.leaderOf(data), first, 'the first one migrates, and leads');
  process.kill(first, 'SIGKILL');
  await until('another one leads', () => ![undefined, first].includes(node.leaderOf(data)));
  const leader = node.leaderOf(data); // the other one, unless the next has come before it tried
  await until('it is replaced', () => (node.output.match(/all workers serve/g) ?? []).length === 2);
  const [kept, next = 0] = node.children;
  assert.is(kept, second);
  assert.is(node.leaderOf(data), leader, 'a new one does not take over');
  process.kill(next, 'SIGTERM');
  await until('one that ends in order is replaced, too', () => {
    return (node.output.match(/all workers serve/g) ?? []).length === 3;
  });
  const workers = node.children;
  assert.is(workers.length, WORKERS);
  await node.end('SIGKILL');
  await until('no worker is left', () => !workers.some(isAlive));
  const again = await start(data);
  const stopped = again.children;
  assert.is(await again.end('SIGTERM'), 0);
  assert.equal(stopped.filter(isAlive), []);
  assert.not.match(again.output, /"level":"(?:error|fatal)"/);
});

test('a hanging worker is replaced, and no worker outlives the supervisor', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const [first = 0, second = 0] = node.children;
  process.kill(first, 'SIGSTOP');
  await until('it is killed', () => !isAlive(first));
  await node.line(/"worker":1,"msg":"a worker hangs; killing it"/);
  await until('another one leads', () => ![undefined, first].includes(node.leaderOf(data)));
  await until('it is replaced', () => (node.output.match(/all workers serve/g) ?? []).length === 2);
  const workers = node.children;
  assert.ok(workers.length === WORKERS && workers.includes(second), 'the other one goes on');
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  await node.end('SIGKILL');
  await until('no worker is left', () => !workers.some(isAlive));
});

test('signals to every process end the node in order, with requests answered', async () => {
  const data = temporaryFolder();
  const node = await start(data);
  const body = JSON.stringify({ username: 'nobody', password: 'correct horse battery' }).padStart(200);
  const head = `POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => rawConnection(node.url())));
  const replies = clients.map((client) => Promise.race([once(client, 'data'), closed(client)]));
  let sent = 5;
  for (const client of clients) client.write(head + body.slice(0, sent));
  // uWebSockets.js closes a connection that sends nothing for ten seconds, and a busy machine may need more.
  const feeding = setInterval(() => {
    for (const client of clients) client.write(body.slice(sent, sent + 1));
    sent += 1;
  }, 1000);
  await statuses(node, { path: '/healthz', token: '' }); // what came before it has arrived
  for (const pid of [...node.children, node.pid]) process.kill(pid, 'SIGTERM');
  await node.line(/"msg":"stopping"(?:[^]*"msg":"stopping"){2}/);
  clearInterval(feeding);
  for (const client of clients) client.write(body.slice(sent));
  for (const [reply] of await Promise.all(replies)) assert.match(String(reply), /^HTTP\/1.1 (?:401|429) /);
  assert.is(await node.ended(), 0);
});

/** Rejects when the connection is closed. */
async function closed(client: Socket): Promise<never> {
  await once(client, 'close');
  throw new Error('the connection was closed without an answer');
}

test('toggles, logouts and suspensions apply in every worker at once', async () => {
  const data = temporaryFolder();
  await prepare(data, { una: 'user', root: 'admin' });
  const node = await start(data);
  const [token, other, admin] = [
    await node.login('una'),
    await node.login('una'),
    await node.login('root', undefined, 'admin'),
  ];
  const asked = { path: '/api/domains', token };
  const change = async (method: string, path: string) => {
    const { status } = await node.ask(path, { method, token: admin, address: 'admin' });
    assert.ok(status < 300, `${path}: ${status}`);
  };
  assert.equal(await statuses(node, asked), [200]);
  for (let i = 0; i < 5; i += 1) {
    await change('DELETE', '/api/accounts/una/features/domains');
    assert.equal(await statuses(node, asked), [403]);
    await change('PUT', '/api/accounts/una/features/domains');
    assert.equal(await statuses(node, asked), [200]);
  }
  assert.is((await node.ask('/api/logout', { method: 'POST', token: other })).status, 200);
  assert.equal(await statuses(node, { ...asked, token: other }), [401]);
  assert.equal(await statuses(node, asked), [200]);
  await change('POST', '/api/accounts/una/suspend');
  assert.equal(await statuses(node, asked), [401]);
});

test('a reload reaches every worker or none, replaced ones included', async () => {
  const data = temporaryFolder();
  await prepare(data, { root: 'admin' });
  const settings = (seconds: unknown) => ({ ...LEAN, token: { ttl_seconds: seconds }, log: { level: 'info' } });
  const node = await start(data, { config: settings(1000) });
  const token = await node.login('root', undefined, 'admin');
  const inForce = async () => {
    const asked = { path: '/api/settings', address: 'admin', token } as const;
    const replies = await Promise.all(Array.from({ length: CONNECTIONS }, () => askOnce(node, asked)));
    const values = replies.map(([, text]) => {
      const { settings: all } = JSON.parse(text) as { settings: { setting: string; value: unknown }[] };
      return all.find(({ setting }) => setting === 'token.ttl_seconds')?.value;
    });
    return [...new Set(values)];
  };
  const write = (config: object) => writeFileSync(node.settings, JSON.stringify({ files_root: FILES_ROOT, ...config }));
  const reload = () => hostkeep(data, ['--config', node.settings, 'reload', '--json']);
  assert.equal(await inForce(), [1000]);
  write(settings(2000));
  const accepted = await reload();
  assert.is(accepted.code, 0, accepted.stderr);
  assert.equal(await inForce(), [2000]);
  write({ ...settings(3000), usage: { interval_ms: 'soon' } });
  const refused = await reload();
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /usage\.interval_ms must be integer/);
  assert.equal(await inForce(), [2000]);
  write(settings('many'));
  process.kill(node.pid, 'SIGHUP');
  await node.line(/the configuration was not changed: .*ttl_seconds must be integer/);
  process.kill(node.children[0] ?? 0, 'SIGKILL');
  await until('it is replaced', () => (node.output.match(/all workers serve/g) ?? []).length === 2);
  assert.equal(await inForce(), [2000], 'not what the file says by then');
});

test('clients of a worker that dies see at most a closed connection', async () => {
  const data = temporaryFolder();
  await prepare(data, { una: 'user' });
  const node = await start(data);
  const token = await node.login('una');
  const over = new AbortController();
  let [served, closed] = [0, 0];
  const wrong: number[] = [];
  const client = async () => {
    while (!over.signal.aborted)
      await askOnce(node, { path: '/api/domains', token }).then(
        ([status]) => (status === 200 ? (served += 1) : wrong.push(status)),
        () => (closed += 1),
      );
  };
  const clients = Array.from({ length: 4 }, client);
  for (let i = 0; i < 3; i += 1) {
    const before = served;
    await until('clients are served', () => served > before + 20);
    process.kill(node.children[i % WORKERS] ?? 0, i === 1 ? 'SIGTERM' : 'SIGKILL');
    await until('it is replaced', () => (node.output.match(/all workers serve/g) ?? []).length === i + 2);
  }
  over.abort();
  await Promise.all(clients);
  assert.equal(wrong, []);
  assert.ok(closed < served, `${closed} of ${served}`);
  assert.not.ok(await fails(() => askOnce(node, { path: '/api/domains', token })));
});

test('while no worker serves, connections wait, and none is refused', async () => {
  const data = temporaryFolder();
  await prepare(data, { una: 'user' });
  const node = await start(data);
  const token = await node.login('una');
  for (const pid of node.children) process.kill(pid, 'SIGKILL');
  await node.line(/no worker serves: connections wait/);
  const replies = Array.from({ length: 10 }, () => askOnce(node, { path: '/api/domains', token }));
  assert.equal([...new Set((await Promise.all(replies)).map(([status]) => status))], [200]);
  await until('all serve again', () => (node.output.match(/all workers serve/g) ?? []).length === 2);
  assert.is(await node.end('SIGTERM'), 0);
});

test('a node that is stopped while its workers start ends in order, at any moment', async () => {
  const data = temporaryFolder();
  for (let i = 0; i < 3; i += 1) {
    const node = NodeProcess.spawn(data, { workers: 3 });
    opened.add(node);
    await node.line(i === 0 ? /"worker":1,"msg":"listening"/ : /"worker":2,"msg":"listening"|all workers/);
    assert.is(await node.end('SIGTERM'), 0);
    assert.not.ok(existsSync(join(data, 'serving.pid')));
  }
});
