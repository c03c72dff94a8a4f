/**
 * Runs every `*.test.js` below this folder, or those whose path contains one of the arguments, each in a process of
 * its own. uvu alone exits with 0 when a suite forgets to run, when a `before` throws and when `.only` is left in,
 * and never exits when something stays open: so the totals are read, and a file has a time limit.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';

const LIMIT_MS = 180_000;
const root = import.meta.dirname;
const wanted = process.argv.slice(2);

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
  readonly problem: string | undefined;
  readonly ms: number;
}

function findFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? findFiles(path) : entry.name.endsWith('.test.js') ? [path] : [];
  });
}

function run(path: string): Promise<Result> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', path], {
      env: { ...process.env, FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isLate = false;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ file: relative(root, path), ms: performance.now() - started, output, ...judge(output, code, isLate) });
    });
  });
}

function judge(output: string, code: number | null, isLate: boolean): Pick<Result, 'passed' | 'failed' | 'problem'> {
  const sum = (label: string) =>
    [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))].reduce(
      (total, match) => total + Number(match[1]),
      0,
    );
  const [total, passed, skipped] = [sum('Total'), sum('Passed'), sum('Skipped')];
  const suites = [...output.matchAll(/^\s*Total:/gm)].length;
  const problem = isLate
    ? `still running after ${LIMIT_MS / 1000} s`
    : suites === 0 || total === 0
      ? 'no test ran'
      : skipped > 0
        ? `${skipped} tests left out by .only or .skip`
        : code !== 0 && passed === total
          ? `exit code ${code}`
          : undefined;
  return { passed, failed: Math.max(total - passed, problem === undefined ? 0 : 1), problem };
}

const queue = findFiles(root)
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
  .toSorted();
const results: Result[] = [];
await Promise.all(
  Array.from({ length: Math.min(2, availableParallelism()) }, async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const result = await run(path);
      results.push(result);
      const isGood = result.failed === 0;
      console.log(
        `${isGood ? 'ok  ' : 'FAIL'} ${result.file} (${result.passed} passed, ${Math.round(result.ms)} ms)${result.problem === undefined ? '' : `: ${result.problem}`}`,
      );
      if (!isGood) console.log(result.output);
      else for (const line of result.output.split('\n')) if (line.startsWith('skipped: ')) console.log(`     ${line}`);
    }
  }),
);

const failed = results.reduce((sum, result) => sum + result.failed, results.length === 0 ? 1 : 0);
console.log(`\n${results.reduce((sum, result) => sum + result.passed, 0)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
