/**
 * What polling container statistics costs: `npm run build && node dist/bench/containers.js [seconds]`, as root with docker.io
 * and busybox-static. Twenty containers run on an engine of the bench's own, whose questions are counted at a socket in between.
 */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dockerMissing, NETWORK, TestDocker } from '../test/support/docker.ts';
import { describeLoad, interleaved, median } from './support/load.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor, type Running } from './support/processes.ts';

const CONTAINERS = 20;
const STATS = '/api/docker_stats';
const PLAN = '/system/hosting/plan';
const PORTS = '/system/hosting/ports';
/** Longer than a list of containers is kept. */
const LIST_KEPT_MS = 1500;
const seconds = Number(process.argv[2] ?? 20);

/** Passes connections on to the engine, one for each question, and counts them. */
async function counted(target: string): Promise<{ path: string; count: () => number; close: () => void }> {
  let connections = 0;
  const path = join(temporaryFolder(), 'engine.sock');
  const server = createServer((client) => {
    connections += 1;
    const engine = connect(target);
    client.pipe(engine).pipe(client);
    client.on('error', () => engine.destroy());
    engine.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { path, count: () => connections, close: () => void server.close() };
}

async function poll(
  server: Running,
  path: string,
  token: string,
): Promise<{ ms: number; body: { container_stats: { date: string } } }> {
  const started = performance.now();
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  const body = (await response.json()) as { container_stats: { date: string } };
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(body)}`);
  return { ms: performance.now() - started, body };
}

/** Questions to the engine while `rate` polls a second come in. */
async function callsAt(
  rate: number,
  server: Running,
  token: string,
  count: () => number,
): Promise<{ calls: number; polls: number }> {
  await poll(server, STATS, token);
  const before = count();
  const started = performance.now();
  const polls = Array.from({ length: rate * seconds }, async (_, i) => {
    await delay(started + (i * 1000) / rate - performance.now());
    await poll(server, STATS, token);
  });
  await Promise.all(polls);
  return { calls: count() - before, polls: polls.length };
}

/** The greatest age of an answer in seconds; dates are in whole seconds, so up to one of them is rounding. */
async function greatestAge(server: Running, token: string): Promise<number> {
  let greatest = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(50)) {
    const { date } = (await poll(server, STATS, token)).body.container_stats;
    const [year = 0, month = 1, ...rest] = date.split('-').map(Number);
    greatest = Math.max(greatest, (Date.now() - Date.UTC(year, month - 1, ...rest)) / 1000);
  }
  return greatest;
}

/** Milliseconds until a sampler that did not run has answered, token and route being warm; after `before` was asked, which may have asked the engine. */
async function firstAnswers(data: string, socket: string, token: string, before: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const server = await startHostkeep(data, { containers: { socket } });
    try {
      await poll(server, before, token);
      await delay(LIST_KEPT_MS);
      times.push((await poll(server, STATS, token)).ms);
    } finally {
      await server.stop();
    }
  }
  return times;
}

async function measure(docker: TestDocker): Promise<void> {
  const names = Array.from({ length: CONTAINERS }, (_, i) => `bench${i}`);
  for (const name of names)
    await docker.run(
      'while :; do sleep 1; done',
      '--name',
      name,
      '--label',
      'hostkeep.account=user0',
      '--network',
      NETWORK,
      '--memory',
      '64m',
    );
  const engine = await counted(docker.socket);
  const data = temporaryFolder();
  const core = await coreOf(data);
  const account = await core.accounts.create({
    username: 'user0',
    role: 'user',
    plan: 'developer',
    passwordHash: 'none',
  });
  const token = await tokenFor(core, account);
  for (const [before, what] of [
    [PLAN, 'the process asks its first engine'],
    [PORTS, 'it asked the engine before'],
  ] as const) {
    const first = await firstAnswers(data, engine.path, token, before);
    console.log(
      `  first answer of an idle sampler, ${what}: ${first.map((ms) => ms.toFixed(0)).join(', ')} ms, median ${median(first).toFixed(0)} (wanted: at most 300)`,
    );
  }
  const server = await startHostkeep(data, { containers: { socket: engine.path } });
  try {
    await poll(server, STATS, token);
    for (const rate of [1, 1000]) {
      const { calls, polls } = await callsAt(rate, server, token, engine.count);
      console.log(
        `  ${String(rate).padStart(4)} polls a second, ${polls} in ${seconds} s: ${calls} questions to the engine (wanted: the same number for both)`,
      );
    }
    console.log(
      `  greatest age of an answer           ${(await greatestAge(server, token)).toFixed(1)} s, of which up to 1 is rounding (wanted: at most 5)`,
    );
    const targets = [
      { name: 'poll', url: server.url + STATS, token, pid: server.child.pid },
      { name: 'guarded read (plan)', url: server.url + PLAN, token, pid: server.child.pid },
    ];
    const runs = await interleaved(targets, { rounds: seconds < 10 ? 2 : 5 });
    for (const [name, run] of runs) console.log(`  ${describeLoad(name, run)}`);
    const ratio =
      (runs.get('guarded read (plan)')?.requestsPerSecond ?? Number.NaN) /
      (runs.get('poll')?.requestsPerSecond ?? Number.NaN);
    console.log(`  a poll costs ${ratio.toFixed(2)} times a guarded read (wanted: at most 1.20)`);
  } finally {
    await server.stop();
    await core.close();
    engine.close();
  }
}

const missing = dockerMissing();
if (missing !== undefined) throw new Error(missing);
console.log(`${machineText()}, ${CONTAINERS} containers`);
const docker = await TestDocker.start();
try {
  await measure(docker);
} finally {
  await docker.stop();
}
