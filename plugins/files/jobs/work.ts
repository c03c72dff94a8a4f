import { closeSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { openOwnFolder, removeFromOwnFolder } from '../../../kernel/kit/files/own-folder.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { clearError } from '../../../kernel/kit/files/file-errors.ts';
import {
  assertFree,
  inFolder,
  moveEntry,
  placeIn,
  type EntryPlace,
} from '../../../kernel/kit/files/unfinished/place.ts';

/** Work that ended without a word, such as by a power failure, is removed when the account begins another. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Calls back with the place of what a task makes, out of everybody's sight, and moves that to its own place when it is
 * complete. Errors: 404 `folder_not_found`, 409 `file_exists`, and those of `clearly`.
 */
export async function inWork<T>(
  root: FilesRoot,
  { work, to }: { readonly work: string; readonly to: readonly string[] },
  make: (place: EntryPlace) => Promise<T>,
): Promise<T> {
  inFolder(root, to, assertFree);
  const folder = openOwnFolder(root, 'work');
  try {
    await removeForgotten(root, folder);
    const place = placeIn(folder, work);
    const made = await make(place).catch((error: unknown) => Promise.reject(clearError(error, 'file')));
    inFolder(root, to, (target) => moveEntry(place, target));
    return made;
  } finally {
    closeSync(folder);
  }
}

async function removeForgotten(root: FilesRoot, folder: number): Promise<void> {
  const isForgotten = (name: string) => {
    const stats = lstatSync(placeIn(folder, name).path, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > FORGOTTEN_MS;
  };
  await removeFromOwnFolder(root, 'work', readdirSync(entryPath(folder, '')).filter(isForgotten));
}

/** Makes a folder that only its owner may enter until it has its mode. */
export function makeFolder(parent: number, name: string | Buffer): void {
  mkdirSync(entryPath(parent, name), { mode: 0o700 });
}
