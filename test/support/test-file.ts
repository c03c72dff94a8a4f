/** The files of tests: which there are, which of them are wanted and in which order, and what came of running one. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

const LIMIT_MS = 900_000;
/** How long a file that is told to end may take to remove what its tests made. */
const END_MS = 60_000;
const SOURCES = join(projectDir, 'test');
const COMPILED = join(import.meta.dirname, '..');
const RUNNER = join(import.meta.dirname, 'run/run-file.js');

/** `fast`: what runs in the test's own process. `services`: what starts programs, see `SERVICES`. */
export const TEST_SETS = ['fast', 'services', 'all'] as const;
export type TestSet = (typeof TEST_SETS)[number];

export interface Wanted {
  /** Parts of paths, any one of which is in a file's path. */
  readonly paths: readonly string[];
  /** Part of a test's title. */
  readonly title: string;
  readonly set: TestSet;
}

export interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  /** Reports of tests that cannot run here; each may stand for several. */
  readonly skipped: readonly string[];
  readonly output: string;
  readonly problem: string | undefined;
  readonly ms: number;
}

/** Folders of tests that start servers from outside, browsers, or commands and nodes of Hostkeep as processes. */
const SERVICES = /^(?:attack|pages)\/|(?:^|\/)services\//;
/** Folders that run apart, when they are named: what boots a system, and what starts a server for each plugin. */
const APART = ['node/', 'whole/modularity/'];

/** The files that are wanted, relative to `test/` and without ending. */
export function findTestFiles({ paths, title, set }: Wanted): string[] {
  return findFiles(['**/*.test.ts', '!**/node_modules'], SOURCES)
    .map((path) => path.slice(0, -'.ts'.length))
    .filter((file) =>
      APART.every((folder) => !file.startsWith(folder) || paths.some((part) => part.startsWith(`test/${folder}`))),
    )
    .filter((file) => paths.length === 0 || paths.some((part) => `test/${file}.ts`.includes(part)))
    .filter((file) => title === '' || mayHold(file, title))
    .filter((file) => set === 'all' || (set === 'services') === SERVICES.test(file));
}

/** Slow files first, so that all lanes end together: by the times of the last run, else those that start programs, by size. */
export function slowestFirst(files: readonly string[], timesMs: Readonly<Record<string, number>>): string[] {
  const guess = (file: string) => timesMs[file] ?? source(file).length * (SERVICES.test(file) ? 4 : 0.1);
  const guesses = new Map(files.map((file) => [file, guess(file)]));
  return files.toSorted((a, b) => (guesses.get(b) ?? 0) - (guesses.get(a) ?? 0));
}

/** Runs a file in a process of its own and resolves with what its output says. */
export function runTestFile(file: string, title: string): Promise<Result> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', RUNNER, join(COMPILED, `${file}.js`)], {
      env: { ...process.env, FORCE_COLOR: '0', HOSTKEEP_TEST_TITLE: title },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isLate = false;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGUSR2'); // it says what keeps it alive, and ends
      setTimeout(() => child.kill('SIGKILL'), END_MS).unref();
    }, LIMIT_MS);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      const end = isLate
        ? `still running after ${LIMIT_MS / 1000} s`
        : code === 0
          ? undefined
          : [`ended with ${code ?? signal}`, lastError(output)].filter(Boolean).join(': ');
      resolve({ file, ms: performance.now() - started, output, ...judge(output, end, title !== '') });
    });
  });
}

/** Reads uvu's totals. `end` says how the process ended where it did not end well. */
function judge(
  output: string,
  end: string | undefined,
  mayBeEmpty: boolean,
): Pick<Result, 'passed' | 'failed' | 'skipped' | 'problem'> {
  const sum = (label: string) =>
    [...output.matchAll(new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'gm'))].reduce((all, [, n]) => all + Number(n), 0);
  const [total, passed, leftOut] = [sum('Total'), sum('Passed'), sum('Skipped')];
  const notRun = [...output.matchAll(/^not run: /gm)].length;
  const skipped = [...output.matchAll(/^skipped: (.+)/gm)].map(([, reason = '']) => reason);
  const hasRun = /^\s*Total:/m.test(output) && (total > 0 || skipped.length > 0 || mayBeEmpty);
  const problem =
    end?.startsWith('still') === true
      ? end
      : !hasRun
        ? (end ?? 'no test ran')
        : leftOut > 0
          ? `${leftOut} tests left out by .only or .skip`
          : passed === total
            ? end
            : undefined;
  return { passed: passed - notRun, skipped, failed: Math.max(total - passed, problem === undefined ? 0 : 1), problem };
}

/** Returns what a process that an error ended said of it. */
const lastError = (output: string): string | undefined => output.match(/^\w*Error\b.*$/gm)?.at(-1);

/** Whether a title may stand in a file: literally, or because the file computes titles. */
function mayHold(file: string, title: string): boolean {
  return source(file).includes(title) || /\btest\(`/.test(source(file));
}

const sources = new Map<string, string>();
function source(file: string): string {
  let text = sources.get(file);
  if (text === undefined) sources.set(file, (text = readFileSync(join(SOURCES, `${file}.ts`), 'utf8')));
  return text;
}
