import { closeSync, lstatSync, mkdirSync } from 'node:fs';
import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { openFolderSync, openPathSync, openRootSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import { fail } from '../errors.ts';

type OwnName = 'uploads' | 'trash' | 'work';
/** Nobody else may look into it, not even the web server. */
const OWN_MODE = 0o700;

/** Not UTF-8, or with control characters: no request can name it. */
export const UNNAMEABLE = /[\uFFFD\u0000-\u001f\u007f]/;

/** An entry of an open folder. `path` stays right while somebody moves the folder. */
export interface Place {
  readonly folder: number;
  readonly name: string;
  readonly path: string;
}

/** Calls back with the place of a path, whose folder is open meanwhile. Errors: 404 `folder_not_found`, 400 for the root. */
export function inFolder<T>(root: FilesRoot, components: readonly string[], use: (place: Place) => T): T {
  const name = components.at(-1);
  if (name === undefined) throw fail.invalid_path('the root of the account cannot be changed');
  const folder = clearly(() => openPathSync(root, components.slice(0, -1)), 'folder');
  try {
    return use(placeIn(folder, name));
  } finally {
    closeSync(folder);
  }
}

/** Returns what `look` finds in one of our own folders of the account; `undefined` where there is none. */
export function lookIntoOwnFolder<T>(root: FilesRoot, name: OwnName, look: (folder: number) => T): T | undefined {
  let folder: number;
  try {
    folder = openPathSync(root, [OWN_FOLDER, name]);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return look(folder);
  } finally {
    closeSync(folder);
  }
}

/** Calls back with one of our own folders of the account, open, which is made where it is missing. */
export function inOwnFolder<T>(root: FilesRoot, name: OwnName, use: (folder: number) => T): T {
  const folder = openOwnFolder(root, name);
  try {
    return use(folder);
  } finally {
    closeSync(folder);
  }
}

/** Returns the descriptor of one of our own folders of the account, which is made where it is missing. */
export function openOwnFolder(root: FilesRoot, name: OwnName): number {
  let folder = openRootSync(root);
  for (const each of [OWN_FOLDER, name]) {
    const parent = folder;
    try {
      makeOwn(placeIn(parent, each).path);
      folder = openFolderSync(parent, each);
    } finally {
      closeSync(parent);
    }
  }
  return folder;
}

function makeOwn(path: string): void {
  try {
    mkdirSync(path, { mode: OWN_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Errors: 409 `file_exists`. */
export function assertFree({ name, path }: Place): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw fail.file_exists(`${name} exists already`);
}

/** Errors: 404 `file_not_found`. */
export function assertThere(folder: number, name: string): void {
  clearly(() => lstatSync(placeIn(folder, name).path), 'file');
}

export const placeIn = (folder: number, name: string): Place => ({
  folder,
  name,
  path: entryPath(folder, name) as string,
});

/** Runs what opens or moves something. Errors: 403 for what permissions refuse, 404 for what is missing, 409 for what exists, 507 for what is full. */
export function clearly<T>(work: () => T, kind: 'file' | 'folder'): T {
  try {
    return work();
  } catch (error) {
    throw clearError(error, kind);
  }
}

/** Returns what `clearly` throws for an error of the system. */
export function clearError(error: unknown, kind: 'file' | 'folder'): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return fail.no_space('the disk, or the quota of the account, is full');
  if (code === 'EACCES' || code === 'EPERM')
    return fail.permission_denied('the permissions of the file, or of its folder, refuse this');
  if (code === 'EFBIG') return fail.no_space('no file may be so large');
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'EISDIR')
    return fail.file_exists('something of this name exists already');
  if (!isMissing(error)) return error;
  return kind === 'file'
    ? fail.file_not_found('there is no such file')
    : fail.folder_not_found('there is no such folder');
}
