/**
 * What a fleet costs: `npm run build && node dist/bench/fleet.js [forward] [toggle] [logins] [connections]`, with PostgreSQL installed.
 *
 * - `forward`: a read that another node answers, against the same read at that node; one client, its requests in turn.
 * - `toggle`: from the moment at which one node has switched a feature until the other one answers by it.
 * - `logins`: logins a second with the store in PostgreSQL and in SQLite, with a hash that costs almost nothing.
 * - `connections`: the same with PostgreSQL, for several `store.connections`, with 1 worker and with 4; each round is printed.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { hashSync } from '@node-rs/argon2';
import { openCore } from '../kernel/run/core.ts';
import { createLog } from '../kernel/log.ts';
import { TestFleet, type FleetMember } from '../test/support/fleet.ts';
import { PASSWORD, testConfig } from '../test/support/hostkeep.ts';
import { NodeProcess } from '../test/support/node-process.ts';
import { Postgres, schemaAt } from '../test/support/postgres.ts';
import { median, percentile } from './support/load.ts';
import { machineText, temporaryFolder } from './support/processes.ts';

const PARTS = ['forward', 'toggle', 'logins', 'connections'];
const chosen = process.argv.slice(2).filter((each) => PARTS.includes(each));
const isChosen = (part: string) => chosen.length === 0 || chosen.includes(part);
const agent = new Agent({ keepAlive: true });

interface BenchNode {
  readonly url: string;
  tell(message: object): Promise<Record<string, unknown>>;
  readonly child: ChildProcess;
}

async function startNode({ data }: FleetMember, url: string): Promise<BenchNode> {
  const child = fork(join(import.meta.dirname, 'support/fleet-node.js'), [data, url]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const tell = async (message: object) => {
    const answer = once(child, 'message');
    child.send(message);
    return ((await answer) as [Record<string, unknown>])[0];
  };
  return { url: `http://127.0.0.1:${port}`, tell, child };
}

/** Resolves with the status of a read on a connection that is kept. */
const read = (url: string, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(`${url}/read`, { agent, headers: { authorization: `Bearer ${token}` } }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });

async function timesOf(url: string, token: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const before = performance.now();
    const status = await read(url, token);
    if (status !== 200) throw new Error(`a read was answered ${status}`);
    times.push(performance.now() - before);
  }
  return times;
}

async function forward(first: BenchNode, second: BenchNode): Promise<void> {
  const { token } = (await second.tell({ make: 'far' })) as { token: string };
  const [direct, forwarded]: [number[], number[]] = [[], []];
  for (const url of [first.url, second.url]) await timesOf(url, token, 500);
  for (let round = 0; round < 9; round += 1) {
    direct.push(...(await timesOf(second.url, token, 500)));
    forwarded.push(...(await timesOf(first.url, token, 500)));
  }
  const text = (times: readonly number[]) =>
    `p50 ${median(times).toFixed(3)} ms, p99 ${percentile(times, 0.99).toFixed(3)} ms`;
  console.log(`forward: at the home ${text(direct)}; by another node ${text(forwarded)}`);
  console.log(`forward: p50 ${(median(forwarded) - median(direct)).toFixed(3)} ms more (wanted: at most 1)`);
}

async function toggle(first: BenchNode, second: BenchNode): Promise<void> {
  const { token } = (await second.tell({ make: 'toggled' })) as { token: string };
  const delays: number[] = [];
  for (let i = 0; i < 1000; i += 1) {
    const on = i % 2 === 1;
    const { at } = (await first.tell({ toggle: 'toggled', on })) as { at: number };
    while ((await read(second.url, token)) !== (on ? 200 : 403));
    delays.push(Math.max(0, Date.now() - at));
  }
  const [p50, p99] = [median(delays), percentile(delays, 0.99)];
  console.log(
    `toggle: ${delays.length}, in force on the other node after p50 ${p50} ms, p99 ${p99} ms, at most ${Math.max(...delays)} ms (wanted: p99 at most 300)`,
  );
}

const CLIENTS = 16;
const ACCOUNTS = 64;

/** Starts a node whose accounts have a password with the cheapest hash that there is. */
async function startForLogins(store: Record<string, unknown>, workers = 1): Promise<NodeProcess> {
  const data = temporaryFolder();
  const core = await openCore(testConfig(data, store), createLog('silent'));
  const passwordHash = hashSync(PASSWORD, { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 });
  for (let i = 0; i < ACCOUNTS; i += 1)
    await core.accounts.create({ username: `user${i}`, role: 'user', plan: 'developer', passwordHash });
  await core.close();
  const node = await NodeProcess.start(data, { config: store, workers });
  if (workers > 1) await node.line(/all workers serve/);
  return node;
}

async function loginsPerSecond(node: NodeProcess, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const client = async (first: number): Promise<void> => {
    for (let i = first; performance.now() < end; i += CLIENTS) {
      await node.login(`user${i % ACCOUNTS}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  return done / seconds;
}

async function logins(url: string): Promise<void> {
  const nodes = [await startForLogins({ store: { url } }), await startForLogins({})] as const;
  const rates: [number[], number[]] = [[], []];
  try {
    for (const node of nodes) await loginsPerSecond(node, 2);
    for (let round = 0; round < 5; round += 1) {
      rates[0].push(await loginsPerSecond(nodes[0], 3));
      rates[1].push(await loginsPerSecond(nodes[1], 3));
    }
  } finally {
    for (const node of nodes) await node.end();
  }
  const [postgres, sqlite] = rates.map(median) as [number, number];
  console.log(
    `logins a second: PostgreSQL ${postgres.toFixed(0)}, SQLite ${sqlite.toFixed(0)}, ratio ${(postgres / sqlite).toFixed(2)} (wanted: at least 0.5)`,
  );
}

/** Takes the sizes in turn, so that what else the machine does concerns all of them. */
async function connections(url: string): Promise<void> {
  for (const workers of [1, 4]) {
    const sizes = workers === 1 ? [3, 5, 9, 17] : [9, 17, 25, 65];
    const nodes: { size: number; node: NodeProcess; rates: number[] }[] = [];
    try {
      for (const size of sizes) {
        const store = { url: schemaAt(url, `${workers} ${size}`), connections: size };
        nodes.push({ size, node: await startForLogins({ store }, workers), rates: [] });
      }
      for (const { node } of nodes) await loginsPerSecond(node, 1);
      for (let round = 0; round < 5; round += 1)
        for (const { node, rates } of nodes) rates.push(await loginsPerSecond(node, 2));
    } finally {
      for (const { node } of nodes) await node.end();
    }
    for (const { size, rates } of nodes)
      console.log(
        `connections: ${workers} workers with ${size}: ${median(rates).toFixed(0)} logins a second (${rates.map(Math.round).join(', ')})`,
      );
  }
}

console.log(machineText());
const postgres = Postgres.start(['max_connections=300']);
try {
  if (isChosen('forward') || isChosen('toggle')) {
    const fleet = new TestFleet(schemaAt(postgres.url, 'fleet'));
    const one = await fleet.init('one');
    const two = await fleet.join(one, 'two');
    const nodes = [await startNode(one, fleet.url), await startNode(two, fleet.url)] as const;
    if (isChosen('forward')) await forward(...nodes);
    if (isChosen('toggle')) await toggle(...nodes);
    for (const { child } of nodes) {
      child.disconnect();
      await once(child, 'exit');
    }
  }
  if (isChosen('logins')) await logins(schemaAt(postgres.url, 'logins'));
  if (isChosen('connections')) await connections(postgres.url);
} finally {
  agent.destroy();
  postgres.remove();
}
