import { spawn } from 'node:child_process';

interface RunOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly cwd?: string;
  onOutput(text: string): void;
}

export interface ProgramResult {
  readonly code: number | null;
  /** The signal that ended it; `SIGKILL` at the time limit. */
  readonly endedBy: NodeJS.Signals | null;
  /** The first 1000 characters of standard error. */
  readonly stderr: string;
}

const STDERR_CHARACTERS = 1000;

/**
 * Runs a program without a shell, in the C locale, and resolves when it has ended. Rejects when it cannot be started,
 * or with the abort reason of `signal`.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  { signal, timeoutMs, cwd, onOutput }: RunOptions,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(file, args, {
      signal,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
      ...(cwd === undefined ? {} : { cwd }),
    });
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', onOutput);
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr = `${stderr}${text}`.slice(0, STDERR_CHARACTERS)));
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error); // otherwise it is being killed, and `close` follows
    });
    child.on('close', (code, endedBy) =>
      signal.aborted ? reject(signal.reason as Error) : resolve({ code, endedBy, stderr }),
    );
  });
}
