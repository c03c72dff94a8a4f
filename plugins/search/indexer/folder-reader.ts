/**
 * The safe way to a path (as `kernel/files.ts`), without promises, for the thread that walks: each folder is opened
 * from its parent's descriptor without following links, so that what is listed is what was opened.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs';
import type { FolderState, FolderListing } from '../name-index/file-tree.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** A folder that changed this recently can change again without its time telling. */
const UNSETTLED_MS = 50;

/** A descriptor of the files root, whose own path is the operator's; `undefined` when it is not there. */
export function openRoot(filesRoot: string): number | undefined {
  return attempt(() => openSync(filesRoot, O_RDONLY | O_DIRECTORY));
}

/** A descriptor of a folder in an open one; `undefined` when there is no such plain folder, or it may not be read. */
export function openBelow(parent: number, name: string): number | undefined {
  return attempt(() => openSync(below(parent, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
}

/** A descriptor of a folder further down. */
export function openPath(filesRoot: string, path: readonly string[]): number | undefined {
  let folder = openRoot(filesRoot);
  for (const name of path) {
    if (folder === undefined) return undefined;
    const next = openBelow(folder, name);
    closeSync(folder);
    folder = next;
  }
  return folder;
}

/** What lies in an open folder, in the order of the names. Names that are not UTF-8 are left out. */
export function list(folder: number): FolderListing | undefined {
  const entries = attempt(() => readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true }));
  if (entries === undefined) return undefined;
  const [files, folders]: [string[], string[]] = [[], []];
  for (const entry of entries) {
    if (entry.name.includes('\ufffd')) continue;
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isDirectory()) folders.push(entry.name);
  }
  return { files: files.toSorted(), folders: folders.toSorted() };
}

/** As it is now, before it is listed. */
export function stateOf(folder: number): FolderState {
  const { ino, mtimeMs } = fstatSync(folder);
  return { inode: ino, mtimeMs: mtimeMs > Date.now() - UNSETTLED_MS ? Number.NaN : mtimeMs };
}

/** The number of the inode of an entry. */
export function inodeBelow(parent: number, name: string): number | undefined {
  return attempt(() => lstatSync(below(parent, name)).ino);
}

/** Size and time of a regular file in an open folder; `undefined` for everything else. */
export function fileBelow(parent: number, name: string): { sizeBytes: number; mtimeMs: number } | undefined {
  const stats = attempt(() => lstatSync(below(parent, name)));
  return stats?.isFile() === true ? { sizeBytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
}

export function close(folder: number): void {
  closeSync(folder);
}

/** `undefined` where the system refuses: what is gone, foreign or broken is not found. Too few descriptors is no such answer. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENAMETOOLONG'].includes(code))
      return undefined;
    throw error;
  }
}

function below(folder: number, name: string): string {
  if (name.includes('/') || name === '..' || name === '.') throw new Error('a name is one component of a path');
  return `/proc/self/fd/${folder}/${name}`;
}
