import { close, inodeBelow, list, openBelow, openPath, openRoot, stateOf } from './folder-reader.ts';
import type { FileTree } from '../name-index/file-tree.ts';

/** How deep it goes; each level holds a descriptor. */
const DEPTH = 100;
const SLICE_MS = 8;

/** Lets questions in between, every few milliseconds of work. */
export class TimeSlice {
  #since = performance.now();

  async yieldWhenUsed(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}

export interface WalkOptions {
  /** Told of each folder while it is open, before it is compared or listed. */
  opened?(folder: number, descriptor: number): void;
  /** Told of folders that went. */
  removed?(folders: readonly number[]): void;
  readonly shouldStop: () => boolean;
  /** A tree with so many takes no more; what is beyond is not found. */
  readonly maxNames: number;
}

/** Folders listed since the thread started; a restart that reads its indexes from disk lists none. */
export const walkCount = { listed: 0 };

/** Fills an empty tree from its root. */
export async function build(tree: FileTree, filesRoot: string, walked: WalkOptions): Promise<void> {
  const root = openRoot(filesRoot);
  if (root === undefined) return;
  try {
    await descend(tree, 0, root, new TimeSlice(), walked, (folder, descriptor) =>
      first(tree, folder, descriptor, walked),
    );
  } finally {
    close(root);
  }
}

/** Compares a folder and all below it with the tree, and lists again what changed. Resolves to whether anything had. */
export async function compare(tree: FileTree, filesRoot: string, walked: WalkOptions): Promise<boolean> {
  const root = openRoot(filesRoot);
  if (root === undefined) return false;
  let hasChanged = false;
  try {
    await descend(tree, 0, root, new TimeSlice(), walked, (folder, descriptor) => {
      const { inode, mtimeMs } = tree.state(folder);
      const now = stateOf(descriptor);
      if (now.inode === inode && now.mtimeMs === mtimeMs) return tree.subfolders(folder);
      hasChanged = true;
      if (inode === 0) return first(tree, folder, descriptor, walked);
      return again(tree, folder, descriptor, walked);
    });
  } finally {
    close(root);
  }
  return hasChanged;
}

/** Lists one folder again, and walks through what is new in it. */
export async function refresh(tree: FileTree, filesRoot: string, folder: number, walked: WalkOptions): Promise<void> {
  const descriptor = openPath(filesRoot, tree.path(folder));
  if (descriptor === undefined) return;
  try {
    const pace = new TimeSlice();
    const known = new Set(tree.subfolders(folder));
    await descend(tree, folder, descriptor, pace, walked, (each, open) => {
      if (each !== folder) return first(tree, each, open, walked);
      return again(tree, each, open, walked).filter((sub) => !known.has(sub));
    });
  } finally {
    close(descriptor);
  }
}

function isFull({ files, folders }: FileTree, { maxNames }: WalkOptions): boolean {
  return files.count + folders.count >= maxNames;
}

function first(tree: FileTree, folder: number, descriptor: number, walked: WalkOptions): number[] {
  if (isFull(tree, walked)) return [];
  walkCount.listed += 1;
  const state = stateOf(descriptor);
  const listing = list(descriptor);
  if (listing === undefined) return [];
  tree.setState(folder, state);
  return tree.fill(folder, listing);
}

/** The subfolders after a new listing. One that has another inode now is another folder. */
function again(tree: FileTree, folder: number, descriptor: number, walked: WalkOptions): number[] {
  if (isFull(tree, walked)) return tree.subfolders(folder);
  walkCount.listed += 1;
  const state = stateOf(descriptor);
  const listing = list(descriptor);
  if (listing === undefined) return [];
  tree.setState(folder, state);
  const { added, removed } = tree.update(folder, listing);
  const replaced = tree
    .subfolders(folder)
    .filter(
      (each) =>
        !added.includes(each) && ![0, inodeBelow(descriptor, tree.folders.name(each))].includes(tree.state(each).inode),
    )
    .map((each) => tree.replaceFolder(each));
  walked.removed?.([...removed, ...replaced.flatMap((each) => each.removed)]);
  return tree.subfolders(folder);
}

interface Level {
  readonly descriptor: number;
  folders: readonly number[];
  next: number;
}

/** Goes through folders in the order of their paths, each opened from its parent. `visit` returns the subfolders to go into. */
async function descend(
  tree: FileTree,
  folder: number,
  descriptor: number,
  pace: TimeSlice,
  walked: WalkOptions,
  visit: (folder: number, descriptor: number) => number[],
): Promise<void> {
  const levels: Level[] = [];
  const enter = (id: number, open: number) => {
    const level: Level = { descriptor: open, folders: [], next: 0 };
    levels.push(level); // before anything can fail, so that it is closed
    walked.opened?.(id, open);
    level.folders = visit(id, open);
  };
  try {
    enter(folder, descriptor);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const id = level.folders[level.next++];
      if (id === undefined) {
        levels.pop();
        if (levels.length > 0) close(level.descriptor);
        continue;
      }
      if (walked.shouldStop()) return;
      const open =
        tree.folders.isRemoved(id) || levels.length >= DEPTH
          ? undefined
          : openBelow(level.descriptor, tree.folders.name(id));
      if (open === undefined) continue;
      enter(id, open);
      await pace.yieldWhenUsed();
    }
  } finally {
    for (const level of levels.slice(1)) close(level.descriptor);
  }
}
