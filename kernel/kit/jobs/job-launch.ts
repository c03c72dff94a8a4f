import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killProgram, startProgram, type ChildProcess, type ProgramUser } from '../programs/start-program.ts';
import { JOB_START, LEAN_ENV, type JobOwner, type JobStart } from './job.ts';
import { readProcessorTime, type ProcessorTime } from '../programs/processor-time.ts';

/** Limits that the system enforces for one process. */
export interface JobLimits {
  /** Private memory. */
  readonly memoryMib: number;
  readonly openFiles: number;
  /** The largest file that it may write. */
  readonly fileMib: number;
  /** The longest reply. */
  readonly replyMib: number;
}

/** How a process ended. */
export interface JobEnd {
  /** Its exit code or signal, and what it printed last. */
  readonly text: string;
  /** Whether somebody killed it, so that it did not end because of what it did. */
  readonly isKilled: boolean;
}

/** A process of jobs, started by this process or by the broker. */
export interface LaunchedJob {
  /** Resolves with the connection to it, a socket that nothing else reads. */
  readonly connection: Promise<Duplex>;
  /** Resolves when it has ended, which a dead file system can delay for ever. */
  readonly ended: Promise<JobEnd>;
  processorTime(): Promise<ProcessorTime>;
  /** Kills the process and all that it started. */
  kill(): void;
  /** Keeps this process from ending while the job's process runs, or not. */
  ref(isKept: boolean): void;
}

/** Starts a process that serves one owner. */
export type JobLauncher = (owner: JobOwner, limits: JobLimits) => LaunchedJob;

/** A process that keeps no rights of this one. */
export interface BareProcess {
  /** User and group to run as; `undefined` if this process may not switch. */
  readonly user: ProgramUser | undefined;
}

const MIB = 2 ** 20;
const PROGRAM = fileURLToPath(
  new URL(`./job-process${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
);
/** Characters of what a process printed last that are kept for the log. */
const PRINTED = 1000;

/** For little memory: a small space for young objects, and `gc()` for jobs that know when they left much garbage. */
const LEAN = ['--max-semi-space-size=1', '--expose-gc'];

/** Smaller writable mappings for code are filled. */
const RESERVED_BYTES = 64 * MIB;
let codeRange: number | undefined;

/**
 * Returns what a process of this Node.js maps writable for machine code when it starts, and never fills: from V8 13 on
 * 512 MiB, which the system counts as data.
 */
export function codeBytes(): number {
  if (codeRange !== undefined) return codeRange;
  const ranges = readFileSync('/proc/self/maps', 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm);
  const sizes = [...ranges].map(([, from = '', to = '']) => parseInt(to, 16) - parseInt(from, 16));
  codeRange = Math.max(0, ...sizes.filter((size) => size >= RESERVED_BYTES));
  return codeRange;
}

/** Starts the program of jobs, with `connection` as its descriptor 3. */
export function startJobProcess(
  start: JobStart,
  { memoryMib, openFiles, fileMib }: Omit<JobLimits, 'replyMib'>,
  {
    bare,
    connection = 'pipe',
    group,
  }: {
    readonly bare?: BareProcess | undefined;
    readonly connection?: Duplex | 'pipe';
    readonly group?: string | undefined;
  } = {},
): ChildProcess {
  return startProgram(process.execPath, [...LEAN, PROGRAM], {
    env: { [JOB_START]: JSON.stringify(start), ...LEAN_ENV },
    stdio: ['ignore', 'ignore', 'pipe', connection],
    ...(bare === undefined ? { exception: 'job' } : bare.user && { user: bare.user }),
    limits: { dataBytes: memoryMib * MIB + codeBytes(), openFiles, fileBytes: fileMib * MIB },
    group,
    isOffline: true,
    isGroup: true,
  });
}

/** Resolves when the process has ended, or could not be started. */
export async function jobEnd(child: ChildProcess): Promise<JobEnd> {
  let printed = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-PRINTED)));
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    const isKilled = signal === 'SIGKILL' || signal === 'SIGTERM';
    return { text: `the process ended with ${signal ?? code} ${printed}`.trim(), isKilled };
  } catch (error) {
    return { text: (error as Error).message, isKilled: true };
  }
}

/** Starts a process as a child of this one. */
export function launchHere(start: JobStart, limits: JobLimits, bare?: BareProcess): LaunchedJob {
  const child = startJobProcess(start, limits, { bare });
  return {
    connection: Promise.resolve(child.stdio[3] as Duplex),
    ended: jobEnd(child),
    processorTime: async () => readProcessorTime(child.pid),
    kill: () => killProgram(child, { isGroup: true }),
    ref: (isKept) => (isKept ? child.ref() : child.unref()),
  };
}
