import { fail, type HttpError } from '../../../kernel/errors.ts';
import type { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { runProgram, type ProgramResult } from '../../../kernel/kit/programs/run-program.ts';

export interface DuOptions {
  readonly command: string;
  readonly timeoutMs: number;
  /** Gets what `du` says of files that it could not measure. */
  onSkipped(text: string): void;
}

/** `du` sometimes aborts when a folder that it is in is moved. */
const ATTEMPTS = 3;
/** Room for the folders of one folder: some 300,000. */
const STDOUT_BYTES = 16 << 20;
/** Flags by unit. */
const UNITS = { bytes: '--block-size=1', inodes: '--inodes' } as const;
export type Unit = keyof typeof UNITS;

/**
 * Returns the disk usage in bytes, or the number of files and folders, of a folder and all below it on its file system;
 * hard links count once.
 *
 * `du` does the walk: the result must equal that of `du`, a million files take it two seconds where lstat calls from
 * JavaScript take several, and a process can be killed at any moment. A customer who swaps folders for links during the
 * walk cannot redirect it: `du` starts in the opened folder, because its working directory is that descriptor
 * (`/proc/self/fd/<n>` resolves to the folder even after a rename), and it descends as `Folder` does, opening each
 * name from its parent without following links.
 *
 * Errors: 503 `overloaded` when it takes too long, 503 `files_unavailable` when `du` fails.
 */
export function measure(folder: Folder, unit: Unit, options: DuOptions): Promise<number> {
  return attempted(folder, ['-s', UNITS[unit]], options, (stdout) => {
    const [, total] = /^(\d+)\t/.exec(stdout) ?? [];
    return total === undefined ? undefined : Number(total);
  });
}

/** Returns the same of each folder in a folder, by name, and of the folder itself by the empty name. */
export function measureEach(folder: Folder, unit: Unit, options: DuOptions): Promise<ReadonlyMap<string, number>> {
  return attempted(folder, ['-0', '-d', '1', UNITS[unit]], options, (stdout) => {
    const rows = stdout.split('\0').flatMap((row) => {
      const [, size, name = ''] = /^(\d+)\t\.\/?(.*)$/s.exec(row) ?? [];
      return size === undefined ? [] : [[name, Number(size)] as const];
    });
    const all = new Map(rows);
    return all.has('') ? all : undefined; // the folder itself comes last
  });
}

async function attempted<T>(
  folder: Folder,
  args: readonly string[],
  { command, timeoutMs, onSkipped }: DuOptions,
  read: (stdout: string) => T | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { stdout, code, endedBy, stderr } = await run(folder, [command, '-x', ...args, '--', '.'], timeoutMs);
    if (endedBy === 'SIGKILL') throw tooSlow(timeoutMs);
    if (endedBy === 'SIGABRT' && attempt < ATTEMPTS) continue;
    const total = read(stdout);
    if (total === undefined) throw unavailable(new Error(`${command} ended with ${endedBy ?? code}: ${stderr}`));
    // A file removed during the walk is harmless; an unreadable one is missing from the total, as with any du.
    if (/Permission denied|Input\/output error/.test(stderr)) onSkipped(stderr);
    return total;
  }
}

async function run(folder: Folder, command: readonly string[], timeoutMs: number): Promise<ProgramResult> {
  const cwd = `/proc/self/fd/${folder.handle.fd}`; // resolved in the new process, which inherits the descriptor
  try {
    return await runProgram('nice', ['-n', '10', '--', ...command], {
      cwd,
      timeoutMs,
      stdoutBytes: STDOUT_BYTES,
      exception: 'du',
    });
  } catch (error) {
    throw unavailable(error);
  }
}

function tooSlow(timeoutMs: number): HttpError {
  const detail = `the folder is too large, or the server too busy, to measure it within ${timeoutMs / 1000} s`;
  return fail.overloaded(detail, { retryAfterSeconds: 60 });
}

function unavailable(cause: unknown): HttpError {
  return fail.files_unavailable('the folder cannot be measured at the moment', { retryAfterSeconds: 30, cause });
}
