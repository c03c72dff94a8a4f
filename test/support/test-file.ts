/** The files of tests: which there are, which of them are wanted and in which order, and what came of running one. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

const LIMIT_MS = 900_000;
/** How long a file that is told to end may take to remove what its tests made. */
const END_MS = 60_000;
/** What a file marked `@slow` is thought to take where it does not say. */
const SLOW_SECONDS = 20;
const SOURCES = join(projectDir, 'test');
const COMPILED = join(import.meta.dirname, '..');

/** Which tests are wanted; all, unless said. */
export interface Wanted {
  /** Parts of paths, any one of which is in a file's path. */
  readonly paths: readonly string[];
  /** Part of a test's title. */
  readonly title: string;
  /** Leaves out the files that are marked `@slow`. */
  readonly isFast: boolean;
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

/** Folders that run apart, when they are named: what boots a system, and what starts a server for each plugin. */
const APART = ['node/', 'whole/modularity/'];

/** The files that are wanted, relative to `test/` and without ending. */
export function findTestFiles({ paths, title, isFast }: Wanted): string[] {
  return findFiles(['**/*.test.ts', '!**/node_modules'], SOURCES)
    .map((path) => path.slice(0, -'.ts'.length))
    .filter((file) =>
      APART.every((folder) => !file.startsWith(folder) || paths.some((part) => part.startsWith(`test/${folder}`))),
    )
    .filter((file) => paths.length === 0 || paths.some((part) => `test/${file}.ts`.includes(part)))
    .filter((file) => title === '' || mayHold(file, title))
    .filter((file) => !isFast || slowMs(file) === undefined);
}

/** Slow files first, so that all workers end together: by the times of the last run, else by mark and size. */
export function slowestFirst(files: readonly string[], timesMs: Readonly<Record<string, number>>): string[] {
  const guess = new Map(files.map((file) => [file, timesMs[file] ?? slowMs(file) ?? source(file).length / 10]));
  return files.toSorted((a, b) => (guess.get(b) ?? 0) - (guess.get(a) ?? 0));
}

/** Runs a file in a process of its own and resolves with what its output says. */
export function runTestFile(file: string, title: string): Promise<Result> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--enable-source-maps', join(COMPILED, `${file}.js`)], {
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
          : `ended with ${code ?? signal}`;
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
  return { passed, skipped, failed: Math.max(total - passed, problem === undefined ? 0 : 1), problem };
}

/** Whether a title may stand in a file: literally, or because the file computes titles. */
function mayHold(file: string, title: string): boolean {
  return source(file).includes(title) || /\btest\(`/.test(source(file));
}

/**
 * The time that a comment line `@slow 60 s: …` gives, in milliseconds; 20 s if it gives none, or if only a file of
 * `test/` that this one imports has such a line. `undefined` for files that are not slow.
 */
function slowMs(file: string, seen = new Set<string>()): number | undefined {
  seen.add(file);
  const mark = /^(?: \*|\/\*\*|\/\/) (?:.*\. )?@slow\b(?: (\d+) s:)?/m.exec(source(file));
  if (mark !== null) return Number(mark[1] ?? SLOW_SECONDS) * 1000;
  const imported = [...source(file).matchAll(/^(?:import|export|\}) .*from '(\.[^']+)\.ts'/gm)]
    .map(([, to = '']) => relative(SOURCES, join(SOURCES, dirname(file), to)))
    .filter((other) => !other.startsWith('..') && !seen.has(other));
  return imported.some((other) => slowMs(other, seen) !== undefined) ? SLOW_SECONDS * 1000 : undefined;
}

const sources = new Map<string, string>();
function source(file: string): string {
  let text = sources.get(file);
  if (text === undefined) sources.set(file, (text = readFileSync(join(SOURCES, `${file}.ts`), 'utf8')));
  return text;
}
