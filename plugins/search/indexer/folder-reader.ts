/**
 * Reads of the indexing thread. Each returns `undefined` for a file or folder that is missing, a link, unreadable or
 * damaged, so that it is not found. Other errors, such as too few descriptors, are thrown.
 */
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { closeSync, fstatSync, type Stats } from 'node:fs';
import {
  entriesSync,
  openFolderSync,
  openPathSync,
  statEntrySync,
} from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { FolderListing, FolderState } from '../name-index/file-tree.ts';

/** A folder that changed this recently can change again without getting a new modification time. */
const UNSETTLED_MS = 50;
const REFUSALS = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENAMETOOLONG']);

/** How much of an account's files the index takes; names beyond it are not found. */
export interface IndexRoom {
  readonly maxNames: number;
  /** A folder is listed at once, and searches wait meanwhile. */
  readonly maxInFolder: number;
  /** Of the whole index; a folder that is listed may exceed it. */
  readonly maxBytes: number;
}

export interface ListedFolder {
  readonly state: FolderState;
  readonly listing: FolderListing;
  /** Whether the folder may have more names. */
  readonly isCut: boolean;
}

/** A descriptor of a plain folder in an open one; the caller closes it. */
export function openFolder(parent: number, name: string): number | undefined {
  return unlessRefused(() => openFolderSync(parent, name));
}

/** A descriptor of the files root, or of a folder below it; the caller closes it. */
export function openPath(root: FilesRoot, path: readonly string[]): number | undefined {
  return unlessRefused(() => openPathSync(root, path));
}

/** Returns what `work` returns of an open folder, which is closed then; `undefined` without one. */
export function inOpen<T>(folder: number | undefined, work: (folder: number) => T): T | undefined {
  if (folder === undefined) return undefined;
  try {
    return work(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Names in an open folder, at most `max`, sorted, without those that are not UTF-8; and its state from before, so that a
 * change during the listing is noticed later. The root lacks `OWN_FOLDER`, whose names are no customer's.
 */
export function listFolder(folder: number, max: number, isRoot = false): ListedFolder | undefined {
  const stats = fstatSync(folder);
  const state = stateIn(stats);
  const entries = unlessRefused(() => entriesSync(folder, max, stats.size));
  if (entries === undefined) return undefined;
  const [files, folders]: [string[], string[]] = [[], []];
  for (const entry of entries) {
    if (entry.name.includes('\ufffd') || (isRoot && isOwnFolder([entry.name]))) continue;
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isDirectory()) folders.push(entry.name);
  }
  const listing = { files: files.toSorted(), folders: folders.toSorted() };
  return { state, listing, isCut: entries.length >= max };
}

export function readState(folder: number): FolderState {
  return stateIn(fstatSync(folder));
}

function stateIn({ ino, mtimeMs }: Stats): FolderState {
  return { inode: ino, mtimeMs: mtimeMs > Date.now() - UNSETTLED_MS ? Number.NaN : mtimeMs };
}

/** The state of a folder in an open one, without opening it. */
export function stateAt(parent: number, name: string): FolderState | undefined {
  return unlessRefused(() => stateIn(statEntrySync(parent, name)));
}

export function readInode(parent: number, name: string): number | undefined {
  return unlessRefused(() => statEntrySync(parent, name).ino);
}

/** Size and modification time of a regular file in an open folder; `undefined` for everything else. */
export function fileStats(parent: number, name: string): { sizeBytes: number; mtimeMs: number } | undefined {
  const stats = unlessRefused(() => statEntrySync(parent, name));
  return stats?.isFile() === true ? { sizeBytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
}

function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (REFUSALS.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
