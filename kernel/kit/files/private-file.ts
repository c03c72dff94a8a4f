/** Files and folders that only the user of this process may open, because they hold secrets or decide who holds them. */
import { closeSync, constants, lstatSync, openSync, statSync, type Stats } from 'node:fs';

const OTHERS_FILE = 0o077;
/** Others may pass through a folder, to files further down that are meant for them, but see nothing of it. */
const OTHERS_FOLDER = 0o066;

/** Creates a file, empty and closed to others. If it exists, it must pass `assertPrivate`. */
export function makePrivate(path: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants; // O_EXCL follows no link either
  try {
    closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    assertPrivate(path);
  }
}

/** Throws unless a file is regular, this user's own and closed to others. Passes if there is none. */
export function assertPrivate(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new Error(`${file} is not a regular file: links are not followed; remove it`);
  assertOwn(file, stats);
  if ((stats.mode & OTHERS_FILE) !== 0) throw new Error(`${file} is open to other users: run \`chmod go= ${file}\``);
}

/** Throws unless a folder is this user's own and closed to others. Passes if there is none. Follows a link to it. */
export function assertPrivateFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return;
  assertOwn(folder, stats);
  if ((stats.mode & OTHERS_FOLDER) !== 0)
    throw new Error(`${folder} is open to other users: run \`chmod go-rw ${folder}\``);
}

/** Modes that let others read a file, or its group replace it. The group may read it: an unprivileged server must. */
const OPEN_TO_OTHERS = 0o026;

/** Returns why others may read or replace a file of root's or this user's, and the remedy; `undefined` if they may not. */
export function findExposure(file: string): { readonly problem: string; readonly remedy: string } | undefined {
  const { mode, uid } = statSync(file);
  if (uid !== 0 && uid !== process.geteuid?.())
    return { problem: `belongs to the user id ${uid}`, remedy: `chown ${file}` };
  return (mode & OPEN_TO_OTHERS) === 0
    ? undefined
    : { problem: 'is open to other users', remedy: `chmod g-w,o= ${file}` };
}

function assertOwn(path: string, { uid }: Stats): void {
  if (uid !== process.geteuid?.())
    throw new Error(`${path} belongs to the user id ${uid}: run Hostkeep as that user, or \`chown\` it`);
}
