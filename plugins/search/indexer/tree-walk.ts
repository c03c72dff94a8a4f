import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { closeSync } from 'node:fs';
import { counts } from './counts.ts';
import type { FileTree, FolderState } from '../name-index/file-tree.ts';
import { fillFrom, WalkAhead } from './walk-ahead.ts';
import { readInode, listFolder, openFolder, openPath, stateAt, readState, type IndexRoom } from './folder-reader.ts';
import type { Watches } from './watches.ts';

/** How many levels a walk descends; each holds a descriptor. */
const MAX_DEPTH = 100;
const SLICE_MS = 4;
/** The number of the files root in a tree. */
const ROOT = 0;
/** Folders after which a second thread helps, and folders beside each other that are worth it. */
const LONG_WALK = 1000;
const FOLDERS_AHEAD = 4;

/** Lets the thread answer requests during long work. */
class TimeSlice {
  #since = performance.now();
  #usage = process.cpuUsage();
  #beforeMs = 0;

  /** Processor time of all slices so far. */
  get totalMs(): number {
    const { user, system } = process.cpuUsage(this.#usage);
    return this.#beforeMs + (user + system) / 1000;
  }

  get isUsed(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  async yield(): Promise<void> {
    this.#beforeMs = this.totalMs;
    await new Promise((resolve) => setImmediate(resolve));
    this.#usage = process.cpuUsage();
    this.#since = performance.now();
  }
}

export interface WalkOptions extends IndexRoom {
  /** Gets the folders that are listed, before they are. */
  readonly watches?: Watches;
  readonly shouldStop: () => boolean;
}

/** Fills an empty tree from the files root. */
export async function buildTree(tree: FileTree, root: FilesRoot, options: WalkOptions): Promise<void> {
  const descriptor = openPath(root, []);
  if (descriptor === undefined) return;
  let ahead: WalkAhead | undefined;
  let visited = 0;
  /** Starts the second thread once the walk is long. */
  const takeOver: TakeOver = async (levels, id) => {
    if ((visited += 1) === LONG_WALK) ahead = walkAhead(tree, levels, options);
    const listings = await ahead?.take(id);
    if (listings !== undefined && roomIn(tree, options) > 0) counts.foldersListed += fillFrom(tree, id, listings);
    return listings !== undefined;
  };
  try {
    await descend(tree, ROOT, descriptor, options, (folder, open) => listFirst(tree, folder, open, options), takeOver);
  } finally {
    await ahead?.close();
    closeSync(descriptor);
  }
}

/** Has a second thread list what is left of the uppermost folder that has several left. */
function walkAhead(tree: FileTree, levels: readonly Level[], options: WalkOptions): WalkAhead | undefined {
  const depth = levels.findIndex(({ folders, next }) => folders.length - next >= FOLDERS_AHEAD);
  const level = levels[depth];
  if (level === undefined) return undefined;
  const left = level.folders.slice(level.next).map((id) => [id, tree.folders.name(id)] as const);
  const room = { ...options, maxNames: roomIn(tree, options), maxBytes: options.maxBytes - tree.sizeBytes };
  return new WalkAhead(level.descriptor, left, MAX_DEPTH - depth - 1, room);
}

/**
 * Lists the folders whose inode or modification time changed. One without subfolders is not even opened if it did not.
 * Resolves to whether there were any, and to the processor time that this took, without that of other work in between.
 */
export async function compareTree(
  tree: FileTree,
  root: FilesRoot,
  options: WalkOptions,
): Promise<{ readonly hasChanged: boolean; readonly busyMs: number }> {
  const descriptor = openPath(root, []);
  if (descriptor === undefined) return { hasChanged: false, busyMs: 0 };
  let hasChanged = false;
  const isSame = (folder: number, now: FolderState | undefined): boolean => {
    const { inode, mtimeMs } = tree.state(folder);
    return now?.inode === inode && now.mtimeMs === mtimeMs;
  };
  const isWanted = (folder: number) => options.watches?.wants(folder, tree.state(folder).mtimeMs) === true;
  const compare = (folder: number, open: number): number[] => {
    if (isWanted(folder)) options.watches?.add(folder, open); // before the look, so that no change is missed
    if (isSame(folder, readState(open))) return tree.subfolders(folder);
    hasChanged = true;
    return (tree.state(folder).inode === 0 ? listFirst : listAgain)(tree, folder, open, options);
  };
  const skip: TakeOver = (levels, id) =>
    !tree.hasSubfolders(id) &&
    !isWanted(id) &&
    isSame(id, stateAt(levels.at(-1)?.descriptor ?? descriptor, tree.folders.name(id)));
  try {
    const busyMs = await descend(tree, ROOT, descriptor, options, compare, skip);
    return { hasChanged, busyMs };
  } finally {
    closeSync(descriptor);
  }
}

/** Lists one folder again, and walks through the folders that are new in it. */
export async function refreshFolder(
  tree: FileTree,
  root: FilesRoot,
  folder: number,
  options: WalkOptions,
): Promise<void> {
  const descriptor = openPath(root, tree.path(folder));
  if (descriptor === undefined) return;
  try {
    const known = new Set(tree.subfolders(folder));
    await descend(tree, folder, descriptor, options, (each, open) => {
      if (each !== folder) return listFirst(tree, each, open, options);
      return listAgain(tree, each, open, options).filter((sub) => !known.has(sub));
    });
  } finally {
    closeSync(descriptor);
  }
}

/** How many names the tree still takes. */
export function roomIn({ files, folders, sizeBytes }: FileTree, { maxNames, maxBytes }: IndexRoom): number {
  return sizeBytes > maxBytes ? 0 : Math.max(0, maxNames - files.count - folders.count);
}

function listFirst(tree: FileTree, folder: number, descriptor: number, options: WalkOptions): number[] {
  const room = roomIn(tree, options);
  if (room === 0) return [];
  options.watches?.add(folder, descriptor);
  counts.foldersListed += 1;
  const listed = listFolder(descriptor, Math.min(room, options.maxInFolder), folder === ROOT);
  if (listed === undefined) return [];
  tree.setState(folder, listed.state, listed.isCut);
  return tree.fill(folder, listed.listing);
}

/** Returns the subfolders. One with another inode than before is another folder of the same name. */
function listAgain(tree: FileTree, folder: number, descriptor: number, options: WalkOptions): number[] {
  const room = roomIn(tree, options);
  if (room === 0) return tree.subfolders(folder);
  options.watches?.add(folder, descriptor);
  counts.foldersListed += 1;
  const listed = listFolder(descriptor, Math.min(room + tree.countIn(folder), options.maxInFolder), folder === ROOT);
  if (listed === undefined) return [];
  tree.setState(folder, listed.state, listed.isCut);
  const { added, removed } = tree.update(folder, listed.listing);
  const isReplaced = (each: number) =>
    !added.includes(each) && ![0, readInode(descriptor, tree.folders.name(each))].includes(tree.state(each).inode);
  const replaced = tree
    .subfolders(folder)
    .filter(isReplaced)
    .flatMap((each) => tree.replaceFolder(each));
  options.watches?.remove([...removed, ...replaced]);
  return tree.subfolders(folder);
}

interface Level {
  readonly descriptor: number;
  folders: readonly number[];
  next: number;
}
/** Returns true for a folder that needs no visit, nor do those below it. */
type TakeOver = (levels: readonly Level[], id: number) => boolean | Promise<boolean>;

/**
 * Visits folders in the order of their paths, each opened from its parent. `visit` returns the subfolders to descend
 * into. The caller closes the first descriptor. Resolves with the processor time that it took, in milliseconds.
 */
async function descend(
  tree: FileTree,
  folder: number,
  descriptor: number,
  { shouldStop }: WalkOptions,
  visit: (folder: number, descriptor: number) => number[],
  takeOver?: TakeOver,
): Promise<number> {
  const slice = new TimeSlice();
  const levels: Level[] = [];
  const enter = (id: number, open: number) => {
    const level: Level = { descriptor: open, folders: [], next: 0 };
    levels.push(level); // before anything can fail, so that it is closed
    level.folders = visit(id, open);
  };
  const openNext = (parent: number, id: number) =>
    tree.folders.isRemoved(id) || levels.length >= MAX_DEPTH ? undefined : openFolder(parent, tree.folders.name(id));
  try {
    enter(folder, descriptor);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const id = level.folders[level.next++];
      if (id === undefined) {
        levels.pop();
        if (levels.length > 0) closeSync(level.descriptor);
        continue;
      }
      if (shouldStop()) break;
      if (slice.isUsed) await slice.yield();
      if (takeOver !== undefined && (await takeOver(levels, id))) continue;
      const open = openNext(level.descriptor, id);
      if (open === undefined) continue;
      enter(id, open);
    }
    return slice.totalMs;
  } finally {
    for (const level of levels.slice(1)) closeSync(level.descriptor);
  }
}
