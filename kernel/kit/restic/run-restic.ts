import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { JobContext } from '../jobs/job.ts';
import { lines } from '../programs/output-lines.ts';
import { killProgram, startProgram, type ChildProcess } from '../programs/start-program.ts';
import { writeAll } from '../waiting/byte-streams.ts';
import { escapeControl } from '../../log.ts';
import { AGAIN, resticFail, unlessMissing } from './errors.ts';
import { RepositoryServer } from './repository-server.ts';

/** How restic is run for an account. */
export interface ResticSetup {
  readonly program: string;
  /** The password of the repository. */
  readonly key: string;
}
interface Run {
  /** Its working directory. */
  readonly cwd?: string;
  /** The bytes that it reads; if they fail, it is killed, and reads no end. */
  readonly input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Exit codes that are no failure; 0 unless given. */
  readonly codes?: readonly number[];
  /** Takes what it prints, and may have it wait. */
  readonly onOutput: (output: Readable) => Promise<void>;
  /** Takes each line that it complains with. */
  readonly onComplaint?: (line: string) => void;
  /** The error for a run that fails; `backup_unreadable` unless given. */
  readonly failure?: 'backup_failed' | 'backup_unreadable';
  /** Gets the server before it begins. */
  readonly onStart?: (server: RepositoryServer) => void;
}

/**
 * restic speaks its REST protocol with a program that it starts, over that program's input and output: this one passes both on
 * to the descriptor that it inherits, and ends with restic. So nothing listens anywhere, and no network is needed.
 */
const PASS_ON = `rclone.program=sh -c 'cat <&3 & cat >&3; kill $!; true'`;
const OPTIONS = ['--no-cache', '--option', PASS_ON, '--option', 'rclone.args='];
/** How often it tells how far it is. */
const REPORTS_PER_SECOND = '2';
const COMPLAINT_CHARACTERS = 300;

/**
 * Runs restic against the repository that the service has. Errors: those of the service, 503 `backups_unavailable` if it is not
 * installed, 503 `failure` if it fails.
 */
export async function runRestic(
  { program, key }: ResticSetup,
  args: readonly string[],
  { ask }: Pick<JobContext, 'ask'>,
  { cwd, input, codes = [0], onOutput, onComplaint, failure = 'backup_unreadable', onStart }: Run,
): Promise<void> {
  let refusal: Error | undefined;
  const child = start(program, [...OPTIONS, ...args], key, cwd, input !== undefined);
  const stop = (error: Error) => {
    refusal ??= error;
    killProgram(child, {});
  };
  const server = new RepositoryServer(ask, stop);
  onStart?.(server);
  server.serve(child.stdio[3] as Duplex);
  if (input !== undefined) writeAll(child.stdin as Writable, input).catch(stop);
  let complaint = '';
  const ended = once(child, 'close');
  ended.catch(() => undefined); // it is awaited below
  const complaining = lines(child.stderr as Readable, (line) => {
    complaint ||= line.slice(0, COMPLAINT_CHARACTERS); // what follows is mostly where in the program it was
    onComplaint?.(line);
  });
  try {
    await onOutput(child.stdout as Readable);
    await complaining;
  } catch (error) {
    killProgram(child, {});
    throw refusal ?? error;
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  if (refusal !== undefined) throw refusal;
  if (code !== null && codes.includes(code)) return;
  throw resticFail[failure](`restic ended with ${code ?? signal}: ${escapeControl(complaint.trim())}`, AGAIN);
}

/** Returns a line of JSON; `undefined` for any other. */
export function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // a message for people
    return undefined;
  }
}

function start(
  program: string,
  args: readonly string[],
  key: string,
  cwd: string | undefined,
  hasInput: boolean,
): ChildProcess {
  try {
    return startProgram(program, args, {
      env: { RESTIC_REPOSITORY: 'rclone:account', RESTIC_PASSWORD: key, RESTIC_PROGRESS_FPS: REPORTS_PER_SECOND },
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
      diesWithParent: true,
      ...(cwd !== undefined && { cwd }),
    });
  } catch (error) {
    throw unlessMissing(program, error);
  }
}
