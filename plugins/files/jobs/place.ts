import { lstatSync } from 'node:fs';
import { clearError, clearly } from '../../../kernel/kit/files/file-errors.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import { placeIn } from '../../../kernel/kit/files/unfinished/place.ts';

/** Not UTF-8, or with control characters: no request can name it. */
export const UNNAMEABLE = /[\uFFFD\u0000-\u001f\u007f]/;

/** Returns the descriptor of a folder; `undefined` for the root of an account that has no files yet. Errors: 404 `folder_not_found`. */
export function openFolder(root: FilesRoot, components: readonly string[]): number | undefined {
  try {
    return openPathSync(root, components);
  } catch (error) {
    if (components.length === 0 && isMissing(error)) return undefined;
    throw clearError(error, 'folder');
  }
}

/** Errors: 404 `file_not_found`. */
export function assertThere(folder: number, name: string): void {
  clearly(() => lstatSync(placeIn(folder, name).path), 'file');
}
