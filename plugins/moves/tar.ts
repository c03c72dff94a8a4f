/** How both ends of a move start `tar`. */
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { escapeControl } from '../../kernel/log.ts';
import { killProgram, startProgram } from '../../kernel/kit/programs/start-program.ts';
import { fail } from './errors.ts';

/** In a folder that the process inherits: its own path may lead through folders that its user cannot enter. */
const INHERITED = 3;
/** Leaves the set-user-ID and set-group-ID bits out: the broker's unit lets nobody set them, and files get another group there. */
const WITHOUT_IDS = '--mode=ug-s';
/**
 * With an incremental archive each folder has a list of what is in it, by which what was deleted or renamed since is
 * deleted or renamed, too. Only the format of POSIX keeps names, times and sizes as they are.
 */
const COMMON = [
  ...['--file=-', '--no-check-device', '--acls', '--xattrs', '--numeric-owner'],
  `--directory=/proc/self/fd/${INHERITED}`,
];
export const CREATE = ['--create', '--format=posix', '--one-file-system', '--sparse', WITHOUT_IDS, ...COMMON];
export const EXTRACT = [
  ...['--extract', '--listed-incremental=/dev/null', '--preserve-permissions', '--no-same-owner'],
  ...['--delay-directory-restore', '--warning=no-timestamp', ...COMMON],
];
const STDERR_CHARACTERS = 1000;
const BUFFER_BYTES = 1 << 20;

export interface Tar {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** Resolves at its end with what it complained of. Rejects with 503 `files_unavailable` if its exit code is above `worst`. */
  readonly ended: Promise<string>;
  stop(): unknown;
}

/** Starts `tar` in a folder of the account; what is read or written has its own end of a pipe. */
export function startTar(folder: string, args: readonly string[], worst: number): Tar {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const child = startProgram('tar', args, { stdio: ['pipe', 'pipe', 'pipe', descriptor], diesWithParent: true });
    let said = '';
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (said = `${said}${text}`.slice(0, STDERR_CHARACTERS)));
    child.stdin?.on('error', () => undefined); // its end says why
    const ended = once(child, 'close').then(([code, signal]) => {
      const complaint = escapeControl(said.trim());
      if (typeof code === 'number' && code <= worst) return complaint;
      throw fail.files_unavailable(`tar ended with ${String(signal ?? code)}: ${complaint}`);
    });
    ended.catch(() => undefined); // for whoever asks
    // at the end of a program Node.js drops what nobody has asked for yet
    const stdout = child.stdout?.pipe(new PassThrough({ highWaterMark: BUFFER_BYTES })) ?? null;
    const stop = () => child.exitCode === null && child.signalCode === null && killProgram(child, {});
    return { stdin: child.stdin, stdout, ended, stop };
  } finally {
    closeSync(descriptor);
  }
}
