/** Generates load by wrk, a process of its own. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './processes.ts';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly token?: string;
  /** The name that is asked for, if it is not that of the address. */
  readonly host?: string;
  /** The serving process, or several, whose processor time is measured. */
  readonly pid?: number | readonly number[] | undefined;
  /** Instead of it, processes that are measured with all that they start, and have started. */
  readonly trees?: readonly number[];
}

export interface Load {
  readonly requestsPerSecond: number;
  /** Processor time (user and system) of the serving process for a request, in microseconds; NaN without a `pid`. */
  readonly processorUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Replies that were not 2xx, and connections that failed. */
  readonly errors: number;
}

export interface LoadOptions {
  readonly seconds?: number;
  readonly connections?: number;
  /** The cores that wrk may use, as taskset(1) names them. */
  readonly cores?: string;
  /** How many requests a second are wanted of all connections together, where it is not as many as there can be. */
  readonly perSecond?: number;
}

/** Runs once against one target. */
export async function load(target: Target, options: LoadOptions = {}): Promise<Load> {
  const used = () => (target.trees === undefined ? processorSeconds(target.pid) : treeSeconds(target.trees));
  const before = used();
  const { requests, ...rest } = await withWrk(target, options);
  return { ...rest, processorUs: ((used() - before) / requests) * 1e6 };
}

/** User and system time of processes and all their threads (fields 14 and 15 of proc(5)'s stat, in ticks of 10 ms). */
export function processorSeconds(pid: Target['pid']): number {
  if (pid === undefined) return Number.NaN;
  if (typeof pid !== 'number') return pid.reduce((sum, each) => sum + processorSeconds(each), 0);
  return ticks(pid, [11, 12]) / 100;
}

/** The same with processes that have ended, and were waited for (fields 16 and 17). */
function treeSeconds(roots: readonly number[]): number {
  return roots.flatMap(withChildren).reduce((sum, each) => sum + ticks(each, [11, 12, 13, 14]), 0) / 100;
}

function ticks(pid: number, fields: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, each) => sum + Number(values[each]), 0);
}

/** Returns the ids of a process and of all that it has started, as far as they run. */
export function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => withChildren(Number(child)))];
}

type Run = Omit<Load, 'processorUs'> & { readonly requests: number };

/** Runs against all targets in turn, several times, so that disturbances affect all; returns the medians. */
export async function interleaved(
  targets: readonly Target[],
  { rounds = 5, ...options }: LoadOptions & { readonly rounds?: number } = {},
): Promise<Map<string, Load>> {
  const runs = new Map<string, Load[]>(targets.map(({ name }) => [name, []]));
  for (const target of targets) await load(target, { ...options, seconds: 1 }); // warm-up, not counted
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) runs.get(target.name)?.push(await load(target, options));
  return new Map([...runs].map(([name, list]) => [name, middle(list)]));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
}

export function describeLoad(name: string, { requestsPerSecond, processorUs, p50Ms, p99Ms, errors }: Load): string {
  const processor = Number.isNaN(processorUs) ? '' : `   ${processorUs.toFixed(2)} µs`;
  return `${name.padEnd(28)} ${Math.round(requestsPerSecond).toString().padStart(8)} req/s${processor}   p50 ${p50Ms.toFixed(3)} ms   p99 ${p99Ms.toFixed(3)} ms${errors > 0 ? `   ${errors} ERRORS` : ''}`;
}

function middle(runs: readonly Load[]): Load {
  return {
    requestsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    processorUs: median(runs.map((run) => run.processorUs)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    errors: runs.reduce((sum, run) => sum + run.errors, 0),
  };
}

async function withWrk(
  { url, token, host }: Target,
  { seconds = 3, connections = 50, cores, perSecond }: LoadOptions,
): Promise<Run> {
  const header = [
    ...(token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]),
    ...(host === undefined ? [] : ['-H', `Host: ${host}`]),
  ];
  const paced = perSecond === undefined ? [] : ['-s', pacing(connections / perSecond)];
  const [program = '', ...pinned] = [...(cores === undefined ? [] : ['taskset', '--cpu-list', cores]), 'wrk'];
  const { stdout } = await promisify(execFile)(
    program,
    [...pinned, '-t1', `-c${connections}`, `-d${seconds}`, '--latency', ...header, ...paced, url],
    { maxBuffer: 1 << 20 },
  );
  const errors = [/Non-2xx or 3xx responses: (\d+)/, /connect (\d+)/, /read (\d+)/, /timeout (\d+)/].reduce(
    (sum, pattern) => sum + Number(pattern.exec(stdout)?.[1] ?? 0),
    0,
  );
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: wrkMs(stdout, '50%'),
    p99Ms: wrkMs(stdout, '99%'),
    errors,
  };
}

/** Writes a script that has each connection begin a request every so many seconds on average; returns its path. */
function pacing(everySeconds: number): string {
  const file = join(temporaryFolder(), 'pacing.lua');
  const everyMs = everySeconds * 1000;
  writeFileSync(file, `function delay() return math.random(0, ${Math.round(2 * everyMs)}) end\n`);
  return file;
}

function wrkMs(output: string, label: string): number {
  const [, value, unit = 'ms'] = new RegExp(`${label}\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
}
