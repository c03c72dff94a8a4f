/**
 * Runs files `*.test.ts` of this folder, in a few processes:
 * `node dist/test/index.js [--set fast|services|all] [--store postgres] [-t <part of a title>] [<part of a path>…]`. The set is
 * `fast` without parts of paths, and `all` with them. With `--store postgres`, or `HOSTKEEP_TEST_STORE=postgres`, the stores of
 * servers are in a PostgreSQL server of the run, instead of files.
 *
 * uvu alone exits with 0 when a suite forgets to run, when a `before` throws and when `.only` is left in, and never
 * exits when something stays open: so the totals are read, and a file has a time limit.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TEST_TIMES } from '../config/package/cache.ts';
import { replaceFileSync } from '../kernel/kit/files/atomic-file.ts';
import { TEST_RUN } from './support/made-once.ts';
import { Postgres, TEST_STORE_URL } from './support/postgres.ts';
import { idleShareSince, processorTimes } from './support/processors.ts';
import {
  endTestProcesses,
  findTestFiles,
  runTestFile,
  slowestFirst,
  TEST_SETS,
  type Result,
} from './support/test-file.ts';

/** How many files run at a time in any case. With more that compute, what they start has to wait too often. */
const LANES = 1 + Math.min(2, availableParallelism());
/** How many do while processors are idle: most files wait half of their time, and some nearly always. */
const MOST_LANES = 2 * LANES;
const IDLE_SHARE = 0.25;
/** How long processors are watched before another file is added. */
const WATCH_MS = 2000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: 'string' },
    store: { type: 'string', default: process.env['HOSTKEEP_TEST_STORE'] ?? 'sqlite' },
    title: { type: 'string', short: 't', default: '' },
  },
});
const { title, store } = values;
const wantedSet = values.set ?? (positionals.length === 0 ? 'fast' : 'all');
const set = TEST_SETS.find((each) => each === wantedSet);
if (set === undefined) throw new Error(`there is no set ${wantedSet}: ${TEST_SETS.join(', ')}`);
if (store !== 'sqlite' && store !== 'postgres') throw new Error(`there is no store ${store}: sqlite or postgres`);
const timesMs = readTimes();
const queue = slowestFirst(findTestFiles({ paths: positionals, title, set }), timesMs);
const results: Result[] = [];
const run = mkdtempSync(join(tmpdir(), 'hostkeep-run-'));
chmodSync(run, 0o755); // for programs that run as another user
process.env[TEST_RUN] = run;
process.once('exit', () => rmSync(run, { recursive: true, force: true }));
const postgres = store === 'postgres' ? Postgres.start(['fsync=off', 'max_connections=500']) : undefined;
if (postgres !== undefined) process.env[TEST_STORE_URL] = postgres.url;

let running = 0;
const added: Promise<void>[] = [];
void addWhileIdle();
await Promise.all(
  Array.from({ length: LANES }, async () => {
    while (queue.length > 0) await runNext();
  }),
);
await Promise.all(added);
await endTestProcesses();

postgres?.remove();
const reasons = results.flatMap((result) => result.skipped);
const skipped = reasons.length;
const passed = results.reduce((sum, result) => sum + result.passed, 0);
let failed = results.reduce((sum, result) => sum + result.failed, 0);
if (passed + failed + skipped === 0) {
  failed = 1;
  console.error(
    `no test${title === '' ? '' : ` has "${title}" in its title`} in ${positionals.join(', ') || 'any file'}`,
  );
}
if (title === '') writeTimes();
if (skipped > 0) console.log(['', ...new Set(reasons.map((reason) => `skipped: ${reason}`))].join('\n'));
console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = failed === 0 ? 0 : 1;

async function runNext(): Promise<void> {
  const file = queue.shift();
  if (file === undefined) return;
  running += 1;
  const result = await runTestFile(file, title);
  running -= 1;
  results.push(result);
  print(result);
}

/** Starts another file whenever those that run leave processors idle. */
async function addWhileIdle(): Promise<void> {
  for (let before = processorTimes(); queue.length > 0; before = processorTimes()) {
    await delay(WATCH_MS, undefined, { ref: false });
    if (running < MOST_LANES && idleShareSince(before) > IDLE_SHARE) added.push(runNext());
  }
}

function print({ file, passed, failed, skipped, problem, output, ms, processorSeconds }: Result): void {
  if (passed + failed + skipped.length === 0) return; // no test here has the wanted title
  const reason = problem === undefined ? '' : `: ${problem}`;
  const took = `${Math.round(ms)} ms, ${processorSeconds.toFixed(1)} s of processors`;
  console.log(`${failed === 0 ? 'ok  ' : 'FAIL'} ${file} (${passed} passed, ${took})${reason}`);
  if (failed > 0) console.log(`${output}\n${commandsOf(file, output)}\n`);
}

/** Lines of a shell that run what failed, and nothing else. */
function commandsOf(file: string, output: string): string {
  const titles = [...output.matchAll(/^"(.+)" failed: /gm)].map(([, each = '']) => ` -t ${quoted(each)}`);
  const where = store === 'sqlite' ? file : `--store ${store} ${file}`;
  return (titles.length === 0 ? [''] : titles)
    .map((which) => `again: node dist/test/index.js ${where}${which}`)
    .join('\n');
}

/** Returns a text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function readTimes(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(TEST_TIMES, 'utf8')) as Record<string, number>;
  } catch {
    return {}; // the first run here
  }
}

function writeTimes(): void {
  const measured = results.filter(({ failed }) => failed === 0).map(({ file, ms }) => [file, Math.round(ms)]);
  mkdirSync(dirname(TEST_TIMES), { recursive: true, mode: 0o700 });
  const all = { ...readTimes(), ...Object.fromEntries(measured) };
  replaceFileSync(TEST_TIMES, JSON.stringify(all), { mode: 0o600 });
}
