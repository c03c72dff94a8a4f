import { OWN_FOLDER } from '../../../../kernel/kit/files/client-path.ts';
import type { Folder } from '../../../../kernel/kit/files/safe-folder.ts';
import { startPiped, type PipedProgram } from '../../../../kernel/kit/programs/piped-program.ts';

/** In a folder that the process inherits: its own path may lead through folders that its user cannot enter. */
const INHERITED = 3;
const COMMON = ['--file=-', '--acls', '--xattrs', '--numeric-owner', `--directory=/proc/self/fd/${INHERITED}`];

/** Only the format of POSIX keeps names, times and sizes as they are. Files that come and go are no failure. */
export const CREATE = [
  ...['--create', '--format=posix', '--pax-option=delete=atime,delete=ctime', '--one-file-system', '--sparse'],
  ...['--owner=0', '--group=0', '--mode=ug-s', '--warning=no-file-changed', '--warning=no-file-removed'],
  ...['--warning=no-file-ignored', ...COMMON, '--null', '--verbatim-files-from', '--files-from=-'],
];
/** Prints a line for each entry before it is made. Names that climb are failures, and links that lead elsewhere are made last. */
export const EXTRACT = [
  ...['--extract', '--preserve-permissions', '--no-same-owner', '--delay-directory-restore'],
  ...['--warning=no-timestamp', '--verbose', '--verbose', '--full-time', '--quoting-style=escape', ...COMMON],
];

/** Starts `tar` in an open folder. `worst` is the largest exit code that is no failure. */
export const startTar = (folder: Folder, args: readonly string[], worst: number): PipedProgram =>
  startPiped('tar', args, { inherited: [folder.handle.fd], worst });

/** Resolves with the names in the files root of an account, without that of our own folder. */
export async function ownNames(folder: Folder): Promise<Buffer[]> {
  const names: Buffer[] = [];
  for await (const { name } of folder.scan()) if (name.toString() !== OWN_FOLDER) names.push(name);
  return names;
}
