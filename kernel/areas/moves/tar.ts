/** How both ends of a move start `tar`. */
import { closeSync, constants, openSync } from 'node:fs';
import { startPiped, type PipedProgram } from '../../kit/programs/piped-program.ts';

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

/** Starts `tar` in a folder of the account. `worst` is the largest exit code that is no failure. */
export function startTar(folder: string, args: readonly string[], worst: number): PipedProgram {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return startPiped('tar', args, { inherited: [descriptor], worst });
  } finally {
    closeSync(descriptor);
  }
}
