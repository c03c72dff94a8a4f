import { closeSync, fstatSync, statfsSync, type Dirent } from 'node:fs';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { entriesSync, openFolderSync, statEntrySync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { FilesConfig, SubFolder } from '../schema.ts';
import { UNNAMEABLE } from './place.ts';

/**
 * File systems on which a folder's link count is 2 plus the number of its subfolders, by their `statfs` magic numbers:
 * ext2/3/4, XFS, tmpfs. Others count differently (btrfs: always 1; overlayfs: 1 for merged folders).
 */
const COUNTING = new Set([0xef53, 0x58465342, 0x01021994]);

interface Listing {
  readonly folders: SubFolder[];
  readonly truncated: boolean;
}

/** Lists the subfolders of an open folder; `path` is its path as clients see it. */
export function listFolders(
  folder: number,
  path: string,
  limits: Pick<FilesConfig, 'max_folders' | 'max_entries'>,
): Listing {
  const scanner = new FolderScanner(folder, limits.max_entries);
  const folders = scanner.names(limits.max_folders).flatMap((name) => {
    const has_subfolders = scanner.hasFolders(name);
    return has_subfolders === undefined ? [] : [{ name, path: `${path}/${name}`, has_subfolders }];
  });
  folders.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { folders, truncated: scanner.isTruncated };
}

/** Scans one folder and, where the link count is not conclusive, its subfolders; limits the number of entries read. */
export class FolderScanner {
  isTruncated = false;
  readonly #folder: number;
  readonly #isCounting: boolean;
  readonly #device: number;
  #entriesLeft: number;

  constructor(folder: number, maxEntries: number, isCounting?: boolean) {
    this.#folder = folder;
    this.#entriesLeft = maxEntries;
    this.#device = fstatSync(folder).dev;
    this.#isCounting = isCounting ?? COUNTING.has(statfsSync(entryPath(folder, '')).type);
  }

  /** Returns the names of the subfolders in the order of the file system. */
  names(limit: number): string[] {
    const folders = this.#read(this.#folder).filter((entry) => entry.isDirectory() && !UNNAMEABLE.test(entry.name));
    this.isTruncated ||= folders.length > limit;
    return folders.slice(0, limit).map(({ name }) => name);
  }

  /** Whether the subfolder `name` has subfolders; `undefined` when it is no longer a folder. */
  hasFolders(name: string): boolean | undefined {
    try {
      const stats = statEntrySync(this.#folder, name);
      if (!stats.isDirectory()) return undefined;
      // Another file system mounted there may count differently.
      if (this.#isCounting && stats.dev === this.#device && stats.nlink >= 2) return stats.nlink > 2;
      const child = openFolderSync(this.#folder, name);
      try {
        const isFolder = (entry: Dirent) => entry.isDirectory();
        return this.#read(child).some(isFolder) || this.#entriesLeft < 0;
      } finally {
        closeSync(child);
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return false; // listed, but cannot be opened
      throw error;
    }
  }

  /** Returns the entries that may still be read; then fewer than none are left if there are more. */
  #read(folder: number): Dirent[] {
    const left = Math.max(0, this.#entriesLeft);
    const entries = entriesSync(folder, left + 1);
    this.#entriesLeft = left - entries.length;
    this.isTruncated ||= this.#entriesLeft < 0;
    return entries.slice(0, left);
  }
}
