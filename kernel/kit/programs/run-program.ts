import type { Readable } from 'node:stream';
import { killProgram, startProgram, type ProgramOptions } from './start-program.ts';

/** How a program is started, and the limits of its run. */
export interface RunOptions extends Omit<ProgramOptions, 'stdio'> {
  /** Ends the program, and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Ends the program with SIGKILL. */
  readonly timeoutMs: number;
  /** The program is killed when it prints more; 64 KiB unless given. */
  readonly stdoutBytes?: number;
  /** How much of standard error is kept, from its beginning; 1000 unless given. The rest is dropped. */
  readonly stderrCharacters?: number;
  /** Standard input; the program may end before it has read all. */
  readonly input?: Readable;
  /** Takes standard output in pieces; `stdout` stays empty then. */
  readonly onOutput?: (text: string) => void;
}

/** How a program ended, and what it printed. */
export interface ProgramResult {
  readonly code: number | null;
  /** The signal that ended it; `SIGKILL` at the time limit. */
  readonly endedBy: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const STDOUT_BYTES = 64 << 10;
const STDERR_CHARACTERS = 1000;
/** How long a killed program may take to end; one that waits for a hung file system never does. */
const END_MS = 1000;

/**
 * Runs a program in a process group of its own, which is killed as a whole, and resolves when it has ended. Rejects when
 * it cannot be started, when it prints too much, or with the reason of `signal`. A program that cannot be killed is
 * abandoned, and counts as ended by SIGKILL.
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<ProgramResult> {
  const {
    signal,
    timeoutMs,
    stdoutBytes = STDOUT_BYTES,
    stderrCharacters = STDERR_CHARACTERS,
    onOutput,
    input,
    ...rest
  } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = startProgram(program, args, {
      diesWithParent: true,
      ...rest,
      ...(input !== undefined && { stdio: 'pipe' as const }),
      isGroup: true,
    });
    if (child.stdin !== null) input?.on('error', (error) => kill(error)).pipe(child.stdin.on('error', () => undefined)); // its end says why
    const output = { stdout: '', stderr: '' };
    let failure: Error | undefined;
    let abandoning: NodeJS.Timeout | undefined;
    const settle = (code: number | null, endedBy: NodeJS.Signals | null) => {
      clearTimeout(timer);
      clearTimeout(abandoning);
      signal?.removeEventListener('abort', abort);
      input?.destroy();
      if (failure === undefined) resolve({ code, endedBy, ...output });
      else reject(failure);
    };
    const kill = (reason?: Error) => {
      failure ??= reason;
      killProgram(child, { isGroup: true });
      abandoning ??= setTimeout(() => {
        for (const stream of [child.stdout, child.stderr]) stream?.destroy();
        child.unref();
        settle(null, 'SIGKILL');
      }, END_MS);
    };
    const abort = () => kill(signal?.reason as Error);
    const timer = setTimeout(kill, timeoutMs);
    signal?.addEventListener('abort', abort);
    let bytes = 0;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      bytes += Buffer.byteLength(text);
      if (bytes > stdoutBytes) kill(new Error(`${program} printed more than ${stdoutBytes} bytes`));
      else if (onOutput === undefined) output.stdout += text;
      else onOutput(text);
    });
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (output.stderr = `${output.stderr}${text}`.slice(0, stderrCharacters)));
    child.once('error', (error) => {
      failure ??= error;
      if (child.pid === undefined) settle(null, null);
    });
    child.once('close', settle);
  });
}
