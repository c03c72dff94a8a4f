import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fail } from '../../errors.ts';
import { escapeControl } from '../../log.ts';
import { killProgram, startProgram } from './start-program.ts';

interface PipedOptions {
  /** Descriptors that the program inherits, as 3 and those after it. */
  readonly inherited?: readonly number[];
  /** A descriptor instead of a pipe. */
  readonly stdin?: number;
  readonly stdout?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The largest exit code that is no failure; 0 unless given. */
  readonly worst?: number;
}

/** A program whose input and output are pipes, and which ends with this process. */
export interface PipedProgram {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** Resolves at its end with what it complained of. Rejects with 503 `files_unavailable` if it failed. */
  readonly ended: Promise<string>;
  stop(): unknown;
}

const STDERR_CHARACTERS = 1000;
const BUFFER_BYTES = 1 << 20;
const RETRY_SECONDS = 30;

/** Starts a program between two pipes. */
export function startPiped(
  program: string,
  args: readonly string[],
  { inherited = [], stdin, stdout, env, worst = 0 }: PipedOptions = {},
): PipedProgram {
  const child = startProgram(program, args, {
    ...(env && { env }),
    stdio: [stdin ?? 'pipe', stdout ?? 'pipe', 'pipe', ...inherited],
    diesWithParent: true,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(0, STDERR_CHARACTERS)));
  child.stdin?.on('error', () => undefined); // its end says why
  const ended = once(child, 'close').then(([code, signal]) => {
    const complaint = escapeControl(said.trim());
    if (typeof code === 'number' && code <= worst) return complaint;
    const problem = `${program} ended with ${String(signal ?? code)}: ${complaint}`;
    throw fail.files_unavailable(problem, { retryAfterSeconds: RETRY_SECONDS });
  });
  ended.catch(() => undefined); // for whoever asks
  return {
    stdin: child.stdin,
    // at the end of a program Node.js drops what nobody has asked for yet
    stdout: child.stdout?.pipe(new PassThrough({ highWaterMark: BUFFER_BYTES })) ?? null,
    ended,
    stop: () => child.exitCode === null && child.signalCode === null && killProgram(child, {}),
  };
}

/** Resolves with some bytes, at least `wantedBytes` if they are there; with none after `waitMs`, and `undefined` at the end. */
export async function readSome(stdout: Readable, wantedBytes: number, waitMs: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for (let bytes = 0; bytes < wantedBytes;) {
    const chunk = stdout.read() as Buffer | null;
    if (chunk !== null) {
      bytes += chunks.push(chunk) && chunk.length;
      continue;
    }
    if (chunks.length > 0) break;
    if (stdout.readableEnded) return undefined;
    const waited = new AbortController();
    const late = delay(waitMs, 'late', waited).catch(() => 'late'); // aborted, because there was something in time
    const more = await Promise.race([once(stdout, 'readable', waited), once(stdout, 'end', waited), late]);
    waited.abort();
    if (more === 'late') break;
  }
  return Buffer.concat(chunks);
}
