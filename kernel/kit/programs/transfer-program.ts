/** Programs that write or read a whole database, as long as that takes. */
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { escapeControl } from '../../log.ts';
import { openNameless } from './nameless-file.ts';
import { killProgram, startProgram, type ChildProcess, type ProgramLimits } from './start-program.ts';

/** How long a program may say nothing: it may wait for a table that somebody changes. */
const SILENCE_MS = 900_000;
const STDERR_CHARACTERS = 1000;
/** The descriptor on which a program reads its login: no name of a file, argument or variable has it. */
export const LOGIN_FD = 3;

export interface TransferOptions {
  /** The text that the program reads from `LOGIN_FD`. */
  readonly login: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: ProgramLimits | undefined;
  /** Returns the error of a program that failed; `said` is the end of what it said. */
  readonly failure: (message: string, said: string) => Error;
}

export interface TransferRun {
  readonly child: ChildProcess;
  /** Rejects with the failure, and with the reason of the signal. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Starts a program, which ends with `signal`. */
export function startTransfer(
  program: string,
  args: readonly string[],
  { login, env, limits, failure }: TransferOptions,
  signal: AbortSignal,
): TransferRun {
  signal.throwIfAborted();
  const descriptor = openNameless(login);
  try {
    const child = startProgram(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', descriptor],
      diesWithParent: true,
      ...(env && { env }),
      ...(limits && { limits }),
    });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-STDERR_CHARACTERS)));
    const stop = () => {
      signal.removeEventListener('abort', stop);
      if (child.exitCode === null && child.signalCode === null) killProgram(child, {});
    };
    signal.addEventListener('abort', stop);
    const ended = once(child, 'close').then(([code, by]) => {
      signal.throwIfAborted();
      if (code === 0) return;
      said = said.trim();
      throw failure(`${program} ended with ${String(by ?? code)}: ${escapeControl(said)}`, said);
    });
    ended.catch(() => undefined); // for the caller
    return { child, ended, stop };
  } finally {
    closeSync(descriptor);
  }
}

/** The output of a program, until it ends. Rejects as `ended` does. */
export async function* readOutput({ child, ended, stop }: TransferRun): AsyncGenerator<Buffer> {
  const hang = () => setTimeout(stop, SILENCE_MS); // then its end is the error
  let hanging = hang();
  try {
    child.stdin?.end();
    for await (const chunk of child.stdout ?? []) {
      clearTimeout(hanging);
      yield chunk as Buffer;
      hanging = hang();
    }
    await ended;
  } finally {
    clearTimeout(hanging);
    stop();
  }
}
