import { closeSync, lstatSync } from 'node:fs';
import { fileErrors } from '../../../kernel/kit/files/file-errors.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import { fail } from '../errors.ts';

export const { clearError, clearly } = fileErrors(fail);

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
