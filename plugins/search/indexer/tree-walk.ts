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
  let ahead: WalkAhead | undefined;
  let visited = 0;
  /** Starts the second thread once the walk is long. */
  const takeOver: TakeOver = async (levels, id) => {
    if ((visited += 1) === LONG_WALK) ahead = walkAhead(tree, levels, options);
    const listings = await ahead?.take(id);
    if (listings !== undefined && roomIn(tree, options) > 0) counts.foldersListed += fillFrom(tree, id, listings);
    return listings !== undefined;
  };
  const visit: Visit = (folder, open) => listFirst(tree, folder, open, options);
  await descend(tree, root, ROOT, options, { visit, takeOver, finish: () => ahead?.close() });
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
  let hasChanged = false;
  const isSame = (folder: number, now: FolderState | undefined): boolean => {
    const { inode, mtimeMs } = tree.state(folder);
    return now?.inode === inode && now.mtimeMs === mtimeMs;
  };
  const isWanted = (folder: number) => options.watches?.wants(folder, tree.state(folder).mtimeMs) === true;
  const visit: Visit = (folder, open) => {
    if (isWanted(folder)) options.watches?.add(folder, open); // before the look, so that no change is missed
    if (isSame(folder, readState(open))) return tree.subfolders(folder);
    hasChanged = true;
    return (tree.state(folder).inode === 0 ? listFirst : listAgain)(tree, folder, open, options);
  };
  const takeOver: TakeOver = (levels, id) => {
    const parent = levels.at(-1)?.descriptor;
    const isLeaf = parent !== undefined && !tree.hasSubfolders(id) && !isWanted(id);
    return isLeaf && isSame(id, stateAt(parent, tree.folders.name(id)));
  };
  const busyMs = await descend(tree, root, ROOT, options, { visit, takeOver });
  return { hasChanged, busyMs };
}

/** Lists one folder again, and walks through the folders that are new in it. */
export async function refreshFolder(
  tree: FileTree,
  root: FilesRoot,
  folder: number,
  options: WalkOptions,
): Promise<void> {
  const known = new Set(tree.subfolders(folder));
  const visit: Visit = (each, open) =>
    each === folder
      ? listAgain(tree, each, open, options).filter((sub) => !known.has(sub))
      : listFirst(tree, each, open, options);
  await descend(tree, root, folder, options, { visit });
}

/** How many names the tree still takes. */
export function roomIn({ files, folders, sizeBytes }: FileTree, { maxNames, maxBytes }: IndexRoom): number {
  return sizeBytes > maxBytes ? 0 : Math.max(0, maxNames - files.count - folders.count);
}

/** Lists a folder of which the tree has `known` names. Returns `undefined` if it cannot be listed, or the tree is full. */
function list(tree: FileTree, folder: number, descriptor: number, options: WalkOptions, known = 0) {
  const room = roomIn(tree, options);
  if (room === 0) return undefined;
  options.watches?.add(folder, descriptor);
  counts.foldersListed += 1;
  const listed = listFolder(descriptor, Math.min(room + known, options.maxInFolder), folder === ROOT);
  if (listed !== undefined) tree.setState(folder, listed.state, listed.isCut);
  return listed?.listing;
}

function listFirst(tree: FileTree, folder: number, descriptor: number, options: WalkOptions): number[] {
  const listing = list(tree, folder, descriptor, options);
  return listing === undefined ? [] : tree.fill(folder, listing);
}

/** Returns the subfolders. One with another inode than before is another folder of the same name. */
function listAgain(tree: FileTree, folder: number, descriptor: number, options: WalkOptions): number[] {
  if (roomIn(tree, options) === 0) return tree.subfolders(folder);
  const listing = list(tree, folder, descriptor, options, tree.countIn(folder));
  if (listing === undefined) return [];
  const { added, removed } = tree.update(folder, listing);
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
/** Looks at an open folder. Returns the subfolders to descend into. */
type Visit = (folder: number, descriptor: number) => number[];
/** Returns true for a folder that needs no visit, nor do those below it. */
type TakeOver = (levels: readonly Level[], id: number) => boolean | Promise<boolean>;
interface Steps {
  readonly visit: Visit;
  readonly takeOver?: TakeOver;
  /** Ends what else uses the descriptors, which are closed then. */
  readonly finish?: () => Promise<void> | undefined;
}

/**
 * Visits a folder and those below it in the order of their paths, each opened from its parent. Resolves with the processor time
 * that it took, in milliseconds; 0 if there is no such folder.
 */
async function descend(
  tree: FileTree,
  root: FilesRoot,
  folder: number,
  { shouldStop }: WalkOptions,
  { visit, takeOver, finish }: Steps,
): Promise<number> {
  const first = openPath(root, tree.path(folder));
  if (first === undefined) return 0;
  const slice = new TimeSlice();
  const levels: Level[] = [];
  const enter = (id: number, descriptor: number) => {
    const level: Level = { descriptor, folders: [], next: 0 };
    levels.push(level); // before anything can fail, so that it is closed
    level.folders = visit(id, descriptor);
  };
  try {
    enter(folder, first);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const id = level.folders[level.next++];
      if (id === undefined) {
        levels.pop();
        closeSync(level.descriptor);
        continue;
      }
      if (shouldStop()) break;
      if (slice.isUsed) await slice.yield();
      if (takeOver !== undefined && (await takeOver(levels, id))) continue;
      if (tree.folders.isRemoved(id) || levels.length >= MAX_DEPTH) continue;
      const open = openFolder(level.descriptor, tree.folders.name(id));
      if (open !== undefined) enter(id, open);
    }
    return slice.totalMs;
  } finally {
    await finish?.();
    for (const level of levels) closeSync(level.descriptor);
  }
}
