/**
 * What several workers cost: `npm run build && node dist/bench/workers.js [workers] [killed]`, with wrk.
 *
 * The same read is sent to a node of one process, to one of several workers, and, as a control, to as many nodes of one process
 * that share nothing but the machine: what these cost more than one node is none of the workers' doing. Processor time is that of
 * all processes. Then memory half a minute after the start, of the program as it is packaged, and how soon a node answers all of whose
 * workers were killed; with `killed`, only that.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { readFileSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeProgram } from '../config/package/program-tree.ts';
import { projectDir, VERSION } from '../kernel/kit/files/project-dir.ts';
import { NodeProcess, prepare } from '../test/support/node-process.ts';
import { load, median, processorSeconds, type Target } from './support/load.ts';
import { machineText, temporaryFolder } from './support/processes.ts';

const [count = '2', part] = process.argv.slice(2);
const many = Number(count);
const READ = '/system/hosting/plan';
const ROUNDS = 7;
const SECONDS = 3;
const CONNECTIONS = 48;
const KILLINGS = 5;
const STEADY_MS = 11_000;
const LAST = availableParallelism() - 1;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const family = (pid: number): number[] => [pid, ...childrenOf(pid)];

interface Case {
  readonly name: string;
  /** What each of the load generators asks. */
  readonly targets: readonly Target[];
  readonly pids: readonly number[];
  readonly connections: number;
}

const nodes: NodeProcess[] = [];

async function start(workers: number): Promise<{ target: Target; pids: number[] }> {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  const node = await NodeProcess.start(data, { workers, config: { log: { level: 'info' } } });
  nodes.push(node);
  if (workers > 1) await node.line(/all workers serve/);
  const target = { name: `${workers}`, url: node.url() + READ, token: await node.login('ann') };
  return { target, pids: family(node.pid) };
}

/** One round: processor time of a read in microseconds, and reads a second. */
async function round({ targets, pids, connections }: Case, seconds: number, cores?: string) {
  const before = processorSeconds(pids);
  const options = { seconds, connections: connections / targets.length, ...(cores !== undefined && { cores }) };
  const loads = await Promise.all(targets.map((target) => load(target, options)));
  const errors = loads.reduce((sum, each) => sum + each.errors, 0);
  if (errors > 0) throw new Error(`${errors} reads failed`);
  const perSecond = loads.reduce((sum, each) => sum + each.requestsPerSecond, 0);
  return { perSecond, processorUs: ((processorSeconds(pids) - before) / (perSecond * seconds)) * 1e6 };
}

/** Prints all cases as ratios to the first, in turn, medians of all rounds. */
async function compare(title: string, cases: readonly Case[], cores?: string): Promise<void> {
  const rounds = new Map(cases.map((each) => [each, [] as Awaited<ReturnType<typeof round>>[]]));
  for (const each of cases) await round(each, 1, cores); // warm-up, not counted
  for (let i = 0; i < ROUNDS; i += 1)
    for (const each of cases) rounds.get(each)?.push(await round(each, SECONDS, cores));
  console.log(`\n${title}`);
  let first: { us: number; perSecond: number } | undefined;
  for (const [{ name }, seen] of rounds) {
    const us = median(seen.map(({ processorUs }) => processorUs));
    const perSecond = median(seen.map((each) => each.perSecond));
    first ??= { us, perSecond };
    console.log(
      `${name.padEnd(44)} ${us.toFixed(2)} µs (${(us / first.us).toFixed(2)})   ${Math.round(perSecond)} reads/s (${(perSecond / first.perSecond).toFixed(2)})`,
    );
  }
}

async function reads(): Promise<void> {
  const one = await start(1);
  const shared = await start(many);
  const apart = await Promise.all(Array.from({ length: many }, () => start(1)));
  const times = (target: Target) => Array.from({ length: many }, () => target);
  const cases: Case[] = [
    { name: 'one process', targets: times(one.target), pids: one.pids, connections: CONNECTIONS },
    { name: `${many} workers`, targets: times(shared.target), pids: shared.pids, connections: CONNECTIONS },
    {
      name: `${many} nodes of one process`,
      targets: apart.map(({ target }) => target),
      pids: apart.flatMap(({ pids }) => pids),
      connections: CONNECTIONS,
    },
  ];
  await compare('Processor time of a read; everything on all cores', cases);
  for (const { pids } of cases)
    for (const pid of pids) execFileSync('taskset', ['-a', '-p', '-c', LAST > 1 ? `0-${LAST - 1}` : '0', `${pid}`]);
  const [, workers] = cases;
  if (workers === undefined) return;
  const asMany = {
    ...workers,
    name: `${many} workers, ${many} times the connections`,
    connections: many * CONNECTIONS,
  };
  await compare('The same; the load has the last core for itself', [...cases, asMany], `${LAST}`);
}

/** Memory in MiB: resident, which has what processes share once for each of them, and what is only theirs. */
function memoryText(pids: readonly number[]): string {
  const rollups = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const sum = (name: string) =>
    rollups.reduce((mib, text) => mib + Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text)?.[1]) / 1024, 0);
  return `${sum('Rss').toFixed(0)} MiB resident, ${(sum('Private_Clean') + sum('Private_Dirty')).toFixed(0)} MiB private`;
}

async function rest(): Promise<void> {
  const program = temporaryFolder();
  await writeProgram(program, VERSION);
  symlinkSync(join(projectDir, 'node_modules'), join(program, 'node_modules'));
  const started: { workers: number; child: ChildProcess; ms: number }[] = [];
  for (const workers of [1, 2, 4]) {
    const begun = performance.now();
    const env = {
      HOSTKEEP_DATA: temporaryFolder(),
      HOSTKEEP_LISTEN: '127.0.0.1:0',
      HOSTKEEP_ADMIN_LISTEN: '127.0.0.1:0',
    };
    const args = [join(program, 'dist/kernel/run/main.js'), 'serve', '--workers', `${workers}`];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for (let text = ''; !text.includes('"listening"');) text += String((await once(child.stdout, 'data'))[0]);
    started.push({ workers, child, ms: performance.now() - begun });
    child.stdout.resume();
  }
  await delay(30_000); // idle means idle
  console.log('\nStart to listening, and memory half a minute later');
  for (const { workers, child, ms } of started) {
    const pids = family(child.pid ?? 0);
    const supervisor = workers === 1 ? '' : `; of it the supervisor ${memoryText(pids.slice(0, 1))}`;
    console.log(`--workers ${workers}   ${ms.toFixed(0)} ms   ${memoryText(pids)}${supervisor}`);
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** Kills all workers of a node at once, again and again, and asks it a hundred times a second, each time on a new connection. */
async function killed(): Promise<void> {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user' });
  const node = await NodeProcess.start(data, { workers: many, config: { log: { level: 'info' } } });
  nodes.push(node);
  const times: number[] = [];
  const failures = new Map<string, number>();
  for (let i = 0; i < KILLINGS; i += 1) {
    await node.line(new RegExp(`(all workers serve[^]*){${i + 1}}`));
    await delay(STEADY_MS); // sooner, the deaths are a series, after which the supervisor waits
    for (const pid of node.children) process.kill(pid, 'SIGKILL');
    const begun = performance.now();
    const ask = () =>
      new Promise<void>((resolve) => {
        get(`${node.url()}/healthz`, { agent: false }, (response) => {
          times[i] ??= performance.now() - begun;
          response.resume().once('close', resolve);
        }).once('error', ({ message }) => {
          failures.set(message, (failures.get(message) ?? 0) + 1);
          resolve();
        });
      });
    const asks: Promise<void>[] = [];
    for (; times[i] === undefined; await delay(10)) asks.push(ask());
    await Promise.all(asks);
  }
  const text = `answers after ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`;
  const failed = [...failures].map(([message, count]) => `${count} × ${message}`).join(', ');
  console.log(
    `\nAll ${many} workers killed at once, ${KILLINGS} times: ${text}; requests that failed: ${failed || 'none'}`,
  );
}

console.log(`${machineText()}, load by ${many} processes of wrk`);
try {
  if (part !== 'killed') {
    await reads();
    await Promise.all(nodes.map((node) => node.end()));
    await rest();
  }
  await killed();
} finally {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')));
}
