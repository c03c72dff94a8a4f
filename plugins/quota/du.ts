import { fail, type HttpError } from '../../kernel/errors.ts';
import type { Folder } from '../../kernel/kit/files/safe-folder.ts';
import { runProgram, type ProgramResult } from '../../kernel/kit/programs/run-program.ts';

export interface DuOptions {
  readonly command: string;
  readonly timeoutMs: number;
  /** Gets what `du` says of files that it could not measure. */
  onSkipped(text: string): void;
}

/** `du` sometimes aborts when a folder that it is in is moved. */
const ATTEMPTS = 3;
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
export async function measure(
  folder: Folder,
  unit: Unit,
  { command, timeoutMs, onSkipped }: DuOptions,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const { stdout, code, endedBy, stderr } = await run(
      folder,
      [command, '-x', '-s', UNITS[unit], '--', '.'],
      timeoutMs,
    );
    if (endedBy === 'SIGKILL') throw tooSlow(timeoutMs);
    if (endedBy === 'SIGABRT' && attempt < ATTEMPTS) continue;
    const total = /^(\d+)\t/.exec(stdout)?.[1];
    if (total === undefined) throw unavailable(new Error(`${command} ended with ${endedBy ?? code}: ${stderr}`));
    // A file removed during the walk is harmless; an unreadable one is missing from the total, as with any du.
    if (/Permission denied|Input\/output error/.test(stderr)) onSkipped(stderr);
    return Number(total);
  }
}

async function run(folder: Folder, command: readonly string[], timeoutMs: number): Promise<ProgramResult> {
  const cwd = `/proc/self/fd/${folder.handle.fd}`; // resolved in the new process, which inherits the descriptor
  try {
    return await runProgram('nice', ['-n', '10', '--', ...command], { cwd, timeoutMs, exception: 'du' });
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
