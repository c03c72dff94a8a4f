import { entryName } from '../../../kernel/kit/files/client-path.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import type { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { FilesConfig, SubFolder } from '../schema.ts';

/** Concurrent system calls: as many as the process has threads for files. */
const CONCURRENCY = 4;
/**
 * File systems on which a folder's link count is 2 plus the number of its subfolders, by their `statfs` magic numbers:
 * ext2/3/4, XFS, tmpfs. Others count differently (btrfs: always 1; overlayfs: 1 for merged folders).
 */
const COUNTING = new Set([0xef53, 0x58465342, 0x01021994]);

interface Listing {
  readonly folders: SubFolder[];
  readonly truncated: boolean;
}

/** Lists the subfolders of `folder`; `path` is its path as clients see it. */
export async function listFolders(
  folder: Folder,
  path: string,
  limits: Pick<FilesConfig, 'max_folders' | 'max_entries'>,
): Promise<Listing> {
  const scanner = new FolderScanner(folder, limits.max_entries, COUNTING.has((await folder.fileSystem()).type));
  const names = await scanner.names(limits.max_folders);
  const folders: SubFolder[] = [];
  let next = 0;
  const worker = async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      const has_subfolders = await scanner.hasFolders(name);
      if (has_subfolders !== undefined) folders.push({ name, path: `${path}/${name}`, has_subfolders });
    }
  };
  // Wait for all, also when one fails: the caller closes the folder next.
  const results = await Promise.allSettled(
    Array.from({ length: CONCURRENCY }, () => worker().finally(() => (next = names.length))),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  folders.sort((a, b) => (a.name < b.name ? -1 : 1)); // results come in any order
  return { folders, truncated: scanner.isTruncated };
}

/** Scans one folder and, where the link count is not conclusive, its subfolders; limits the number of entries read. */
export class FolderScanner {
  isTruncated = false;
  readonly #folder: Folder;
  readonly #isCounting: boolean;
  #entriesLeft: number;
  #device: number | undefined;

  constructor(folder: Folder, maxEntries: number, isCounting: boolean) {
    this.#folder = folder;
    this.#entriesLeft = maxEntries;
    this.#isCounting = isCounting;
  }

  /** Returns the names of the subfolders in the order of the file system. */
  async names(limit: number): Promise<string[]> {
    const names: string[] = [];
    for await (const entry of this.#folder.scan()) {
      if (this.#isSpent()) break;
      const name = entry.isDirectory() ? entryName(entry.name) : undefined;
      if (name === undefined) continue;
      if (names.length === limit) {
        this.isTruncated = true;
        break;
      }
      names.push(name);
    }
    return names;
  }

  /** Whether the subfolder `name` has subfolders; `undefined` when it is no longer a folder. */
  async hasFolders(name: string): Promise<boolean | undefined> {
    try {
      const [stats, device] = [await this.#folder.statEntry(name), await this.#deviceId()];
      if (!stats.isDirectory()) return undefined;
      // Another file system mounted there may count differently.
      if (this.#isCounting && stats.dev === device && stats.nlink >= 2) return stats.nlink > 2;
      return await this.#findFolder(name);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return false; // listed, but cannot be opened
      throw error;
    }
  }

  async #findFolder(name: string): Promise<boolean> {
    const child = await this.#folder.folder(name);
    try {
      for await (const entry of child.scan()) {
        if (entry.isDirectory()) return true;
        if (this.#isSpent()) return true;
      }
      return false;
    } finally {
      await child.close();
    }
  }

  async #deviceId(): Promise<number> {
    this.#device ??= (await this.#folder.stat()).dev;
    return this.#device;
  }

  #isSpent(): boolean {
    this.#entriesLeft -= 1;
    if (this.#entriesLeft >= 0) return false;
    this.isTruncated = true;
    return true;
  }
}
