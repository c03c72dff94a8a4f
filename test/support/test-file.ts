/** The files of tests: which there are, which of them are wanted and in which order, and what came of running one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { readProcessorTime } from '../../kernel/kit/programs/processor-time.ts';
import { ENDED, type FileRequest } from './file-request.ts';
import { inSources } from './source-places.ts';

const LIMIT_MS = 900_000;
/** How many files a process runs. What they leave in memory adds up. */
const FILES_OF_PROCESS = 20;
/** How long a file that is told to end may take to remove what its tests made. */
const END_MS = 60_000;
const SOURCES = join(projectDir, 'test');
const COMPILED = join(import.meta.dirname, '..');
const RUNNER = join(import.meta.dirname, 'file-runner.js');
/** Where Node.js, since 22.1, keeps what it compiles: hundreds of processes load the same files. */
const NODE_COMPILE_CACHE = join(projectDir, 'node_modules/.cache/node-compile');

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
  /** Processor time of it and of the programs that it ran and waited for. */
  readonly processorSeconds: number;
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

/** A process that runs files one after another. */
class TestProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<string>;
  /** What it has printed for this file. Each has a line that ends the file, as one may be read before what the other had before it. */
  readonly #outputs = { stdout: '', stderr: '' };
  #ended: ((code: string) => void) | undefined;
  #files = 0;

  constructor(title: string) {
    this.#child = spawn(process.execPath, [RUNNER], {
      env: { ...process.env, FORCE_COLOR: '0', NODE_COMPILE_CACHE, HOSTKEEP_TEST_TITLE: title },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const name of ['stdout', 'stderr'] as const)
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => this.#read(name, text));
    this.#closed = once(this.#child, 'close').then(([code, signal]) => String(code ?? signal));
  }

  /** Runs a file, and resolves with what it printed, and how it ended where it did not end well. */
  async run(file: string): Promise<{ readonly output: string; readonly end: string | undefined }> {
    this.#files += 1;
    Object.assign(this.#outputs, { stdout: '', stderr: '' });
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.#child.kill('SIGUSR2'); // it says what keeps it alive, and ends
      setTimeout(() => this.#child.kill('SIGKILL'), END_MS).unref();
    }, LIMIT_MS);
    const ended = new Promise<string>((resolve) => (this.#ended = resolve));
    this.#send({ path: join(COMPILED, `${file}.js`) });
    const code = await Promise.race([ended, this.#closed]);
    clearTimeout(limit);
    const output = Object.values(this.#outputs)
      .map((text) => text.split(ENDED)[0])
      .join('');
    if (isLate) return { output, end: `still running after ${LIMIT_MS / 1000} s` };
    return {
      output,
      end: code === '0' ? undefined : [`ended with ${code}`, lastError(output)].filter(Boolean).join(': '),
    };
  }

  get processorSeconds(): number {
    return readProcessorTime(this.#child.pid).seconds;
  }

  /** Whether it may run another file. */
  get isFresh(): boolean {
    return this.#child.connected && this.#files < FILES_OF_PROCESS;
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#send({});
    await this.#closed;
  }

  #send(request: FileRequest): void {
    this.#child.send(request);
  }

  #read(name: 'stdout' | 'stderr', text: string): void {
    this.#outputs[name] += text;
    const codes = Object.values(this.#outputs).map((output) => /^(\S+)\n/.exec(output.split(ENDED)[1] ?? '')?.[1]);
    if (codes.every((code) => code !== undefined)) this.#ended?.(codes[0] ?? '');
  }
}

const idle: TestProcess[] = [];

/** Runs a file, and resolves with what its output says. */
export async function runTestFile(file: string, title: string): Promise<Result> {
  const started = performance.now();
  let runner = idle.pop();
  while (runner?.isFresh === false) runner = idle.pop(); // it has ended
  runner ??= new TestProcess(title);
  const before = runner.processorSeconds;
  const { output, end } = await runner.run(file);
  const processorSeconds = Math.max(0, runner.processorSeconds - before);
  const judged = judge(output, end, title !== '');
  if (judged.failed === 0 && runner.isFresh) idle.push(runner);
  else await runner.close();
  const told = judged.failed > 0 ? inSources(output) : '';
  return { file, ms: performance.now() - started, processorSeconds, output: told, ...judged };
}

/** Ends the processes that ran files. */
export async function endTestProcesses(): Promise<void> {
  await Promise.all(idle.splice(0).map((each) => each.close()));
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

/** Whether a title may stand in a file: literally, or because the file computes titles, or leaves it to others to add tests. */
function mayHold(file: string, title: string): boolean {
  const added = source(file).match(/(?<!\.)\btest\(\s*./g) ?? [];
  return source(file).includes(title) || added.length === 0 || added.some((each) => !/['"]$/.test(each));
}

const sources = new Map<string, string>();
function source(file: string): string {
  let text = sources.get(file);
  if (text === undefined) sources.set(file, (text = readFileSync(join(SOURCES, `${file}.ts`), 'utf8')));
  return text;
}
