import { mkdir, rename } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorMessage } from '../../errors.ts';
import { operatorsRoot, type FilesRoot } from '../files/files-root.ts';
import { undefinedIfMissing } from '../files/if-missing.ts';
import { removeTree, type Removal } from './remove-tree.ts';
import { entryPath, Folder } from '../files/safe-folder.ts';

/** The files of a removed account: where they were, and where they lie aside. */
export interface RemovedFiles {
  readonly root: FilesRoot;
  /** The folder for those of all removed accounts. */
  readonly aside: string;
  /** The name of this account's in it. */
  readonly name: string;
  /** The state that its jobs kept between processes. */
  readonly state: { readonly folder: string; readonly name: string };
}

type Input = RemovedFiles & ({ readonly task: 'set aside' } | { readonly task: 'remove'; readonly timeMs: number });

/** How long the removal of what jobs kept may take before the files are set aside. */
const STATE_MS = 5000;

/**
 * Moves the files out of the files root, or removes them wherever they are. Runs with the rights of the service, because the
 * owner may not remove what others have made there.
 */
export default async function removedFiles(input: Input): Promise<Removal> {
  if (input.task === 'remove') return removeAll(input, AbortSignal.timeout(input.timeMs));
  try {
    await removeState(input.state, AbortSignal.timeout(STATE_MS));
    return { removed: (await setAside(input)) ? 1 : 0, isComplete: true };
  } catch (error) {
    return { removed: 0, problem: errorMessage(error), isComplete: true };
  }
}

/** Resolves with whether there were files. */
async function setAside({ root, aside, name }: RemovedFiles): Promise<boolean> {
  const parent = await parentOf(root);
  if (parent === undefined) return false;
  try {
    const stat = await parent.statEntry(basename(root.path)).catch(undefinedIfMissing);
    if (stat === undefined) return false;
    if (!stat.isDirectory()) throw new Error(`${root.path} is not a folder`);
    const target = await openAside(aside);
    try {
      await rename(entryPath(parent.handle.fd, basename(root.path)), entryPath(target.handle.fd, name));
    } finally {
      await target.close();
    }
    return true;
  } finally {
    await parent.close();
  }
}

async function removeAll({ root, aside, name, state }: RemovedFiles, signal: AbortSignal): Promise<Removal> {
  let [removed, problem]: [number, string | undefined] = [0, undefined];
  await removeState(state, signal);
  const places = [
    { open: () => parentOf(root), entry: basename(root.path) },
    { open: () => Folder.openRoot(operatorsRoot(aside)).catch(undefinedIfMissing), entry: name },
  ];
  for (const { open, entry } of places) {
    const parent = await open();
    if (parent === undefined) continue;
    try {
      const removal = await removeTree(parent, entry, signal);
      removed += removal.removed;
      problem ??= removal.problem;
      if (!removal.isComplete) return { removed, problem, isComplete: false };
    } finally {
      await parent.close();
    }
  }
  return { removed, problem, isComplete: true };
}

/** Leaves files that the account's process still writes: they are removed with the account's files. */
async function removeState({ folder, name }: RemovedFiles['state'], signal: AbortSignal): Promise<void> {
  const parent = await Folder.openRoot(operatorsRoot(folder)).catch(undefinedIfMissing);
  if (parent === undefined) return;
  await removeTree(parent, name, signal).finally(() => parent.close());
}

/** Opens the folder that holds a files root; `undefined` if there is none. */
async function parentOf({ operatorPath, below }: FilesRoot): Promise<Folder | undefined> {
  const above = operatorPath.slice(0, operatorPath.lastIndexOf('/') + 1) || '.';
  const root = below.length === 0 ? operatorsRoot(above) : { path: '', operatorPath, below: below.slice(0, -1) };
  return Folder.openRoot(root).catch(undefinedIfMissing);
}

async function openAside(path: string): Promise<Folder> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const folder = await Folder.openRoot(operatorsRoot(path));
  if (((await folder.stat()).mode & 0o077) === 0) return folder;
  await folder.close();
  throw new Error(`${path} is open to others than its owner: chmod 700 it`);
}
