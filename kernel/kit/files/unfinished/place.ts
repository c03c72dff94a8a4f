import { accessSync, closeSync, constants, fstatSync, linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { fail } from '../../../errors.ts';
import { clearly } from '../file-errors.ts';
import type { FilesRoot } from '../files-root.ts';
import { entryPath } from '../safe-folder.ts';
import { openPathSync, openRootSync } from '../safe-folder-sync.ts';

/** An entry of an open folder. `path` stays right while somebody moves the folder. */
export interface EntryPlace<Name extends string | Buffer = string> {
  readonly folder: number;
  readonly name: Name;
  readonly path: Name;
}
type AnyPlace = EntryPlace<string | Buffer>;

/** Calls back with the place of a path, whose folder is open meanwhile. Errors: 404 `folder_not_found`, 400 for the root. */
export function inFolder<T, Name extends string | Buffer>(
  root: FilesRoot,
  components: readonly Name[],
  use: (place: EntryPlace<Name>) => T,
): T {
  const name = components.at(-1);
  if (name === undefined) throw fail.invalid_path('the root of the account cannot be changed');
  const folder = clearly(() => openPathSync(root, components.slice(0, -1)), 'folder');
  try {
    return use(placeIn(folder, name));
  } finally {
    closeSync(folder);
  }
}

export const placeIn = <Name extends string | Buffer>(folder: number, name: Name): EntryPlace<Name> => ({
  folder,
  name,
  path: entryPath(folder, name) as Name,
});

/** Errors: 409 `file_exists`. */
export function assertFree({ name, path }: AnyPlace): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw fail.file_exists(`${String(name)} exists already`);
}

/** Moves without taking the place of anything. Errors: 404 `file_not_found`, 409 `file_exists`. */
export function moveEntry(from: AnyPlace, to: AnyPlace): void {
  const stats = clearly(() => lstatSync(from.path), 'file');
  assertFree(to);
  clearly(() => {
    // a folder takes the place of an empty one at most, and a link to a file that of nothing
    if (stats.isDirectory()) return renameSync(from.path, to.path);
    linkSync(from.path, to.path);
    unlinkSync(from.path);
  }, 'file');
}

/** Fails where the system would not let a finished file take this place: its folder refuses it, or is on another file system. */
export function assertReplaceable(root: FilesRoot, components: readonly string[]): void {
  const top = openRootSync(root);
  try {
    inFolder(root, components, ({ folder }) =>
      clearly(() => {
        accessSync(entryPath(folder, ''), constants.W_OK);
        if (fstatSync(folder).dev !== fstatSync(top).dev)
          throw Object.assign(new Error('another file system'), { code: 'EXDEV' });
      }, 'folder'),
    );
  } finally {
    closeSync(top);
  }
}
