/** Folders of ours in the account's files root: for what is removed, unfinished or dangerous. */
import { closeSync, mkdirSync } from 'node:fs';
import { fail } from '../../errors.ts';
import { removeTree } from '../jobs/remove-tree.ts';
import { OWN_FOLDER } from './client-path.ts';
import { isMissing, type FilesRoot } from './files-root.ts';
import { entryPath, Folder } from './safe-folder.ts';
import { openFolderSync, openPathSync, openRootSync } from './safe-folder-sync.ts';

/** Nobody else may look into it, not even the web server. */
const OWN_MODE = 0o700;

/** Returns what `look` finds in one of our own folders of the account; `undefined` where there is none. */
export function lookIntoOwnFolder<T>(root: FilesRoot, name: string, look: (folder: number) => T): T | undefined {
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
export function inOwnFolder<T>(root: FilesRoot, name: string, use: (folder: number) => T): T {
  const folder = openOwnFolder(root, name);
  try {
    return use(folder);
  } finally {
    closeSync(folder);
  }
}

/** Returns the descriptor of one of our own folders of the account, which is made where it is missing. */
export function openOwnFolder(root: FilesRoot, name: string): number {
  let folder = openRootSync(root);
  for (const each of [OWN_FOLDER, name]) {
    const parent = folder;
    try {
      makeOwn(parent, each);
      folder = openFolderSync(parent, each);
    } finally {
      closeSync(parent);
    }
  }
  return folder;
}

function makeOwn(parent: number, name: string): void {
  try {
    mkdirSync(entryPath(parent, name), { mode: OWN_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Callbacks of a removal. */
interface Removing {
  /** Is called before an entry is removed, with the folder that is open. */
  readonly first?: (folder: number, entry: string) => void;
  /** See `removeTree`. */
  readonly onRemoved?: (path: readonly string[]) => void;
}

/** Removes entries of one of our own folders of the account for good. Errors: 503 `files_unavailable` if something stays. */
export async function removeFromOwnFolder(
  root: FilesRoot,
  name: string,
  entries: readonly string[],
  { first, onRemoved }: Removing = {},
): Promise<void> {
  let folder: Folder;
  try {
    folder = await Folder.open(root, [OWN_FOLDER, name]);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    for (const entry of entries) {
      first?.(folder.handle.fd, entry);
      const { problem } = await removeTree(folder, entry, undefined, onRemoved);
      if (problem !== undefined) throw fail.files_unavailable(`not all could be removed: ${problem}`);
    }
  } finally {
    await folder.close();
  }
}
