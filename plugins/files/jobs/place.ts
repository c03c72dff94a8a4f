import { lstatSync } from 'node:fs';
import { fileErrors } from '../../../kernel/kit/files/file-errors.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import * as places from '../../../kernel/kit/files/unfinished/place.ts';
import { fail } from '../errors.ts';

export { placeIn, type EntryPlace as Place } from '../../../kernel/kit/files/unfinished/place.ts';

export const { clearError, clearly } = fileErrors(fail);
const errors = { clearly, fail };

/** Not UTF-8, or with control characters: no request can name it. */
export const UNNAMEABLE = /[\uFFFD\u0000-\u001f\u007f]/;

/** Calls back with the place of a path, whose folder is open meanwhile. Errors: 404 `folder_not_found`, 400 for the root. */
export const inFolder = <T>(root: FilesRoot, components: readonly string[], use: (place: places.EntryPlace) => T): T =>
  places.inFolder(root, components, clearly, use);

/** Returns the descriptor of a folder; `undefined` for the root of an account that has no files yet. Errors: 404 `folder_not_found`. */
export function openFolder(root: FilesRoot, components: readonly string[]): number | undefined {
  try {
    return openPathSync(root, components);
  } catch (error) {
    if (components.length === 0 && isMissing(error)) return undefined;
    throw clearError(error, 'folder');
  }
}

/** Errors: 409 `file_exists`. */
export const assertFree = (place: places.EntryPlace): void => places.assertFree(place, errors);

export const move = (from: places.EntryPlace, to: places.EntryPlace): void => places.moveEntry(from, to, errors);

/** Errors: 404 `file_not_found`. */
export function assertThere(folder: number, name: string): void {
  clearly(() => lstatSync(places.placeIn(folder, name).path), 'file');
}
