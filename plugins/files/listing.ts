import { entryName, isMissing, type Folder } from '../../kernel/system/safe-folder.ts';
import type { FilesConfig, SubFolder } from './schema.ts';

/** System calls that one listing has under way; the others in the process share its four file threads. */
const AT_ONCE = 4;
/**
 * File systems on which a folder's link count is 2 + its folders, so that 2 says that there is none (`statfs`
 * magic numbers): ext2/3/4, XFS, tmpfs. Others count otherwise (btrfs: always 1; overlayfs: 1 where merged).
 */
const COUNTING = new Set([0xef53, 0x58465342, 0x01021994]);

interface Listing {
  readonly folders: SubFolder[];
  readonly truncated: boolean;
}

/** The plain folders in `folder`, whose client's path is `path`. Ends with the signal's reason when nobody waits any more. */
export async function listFolders(
  folder: Folder,
  path: string,
  limits: FilesConfig,
  signal: AbortSignal,
): Promise<Listing> {
  const scanner = new FolderScanner(folder, limits.max_entries, COUNTING.has((await folder.fileSystem()).type));
  const names = await scanner.names(limits.max_folders, signal);
  const folders: SubFolder[] = [];
  let next = 0;
  const take = async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) {
      signal.throwIfAborted();
      const has_subfolders = await scanner.hasFolders(name);
      if (has_subfolders !== undefined) folders.push({ name, path: `${path}/${name}`, has_subfolders });
    }
  };
  // All have ended before the folder is closed, also when one of them fails.
  const ends = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () => take().finally(() => (next = names.length))),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  folders.sort((a, b) => (a.name < b.name ? -1 : 1)); // they answered in any order
  return { folders, truncated: scanner.isTruncated };
}

/** Looks into one folder and, as far as it must, into those in it, and counts what it reads. */
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

  /** Names of the plain folders, as they come. */
  async names(limit: number, signal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    for await (const entry of this.#folder.scan()) {
      signal.throwIfAborted();
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

  /** `undefined` when `name` is no plain folder any more. */
  async hasFolders(name: string): Promise<boolean | undefined> {
    try {
      const [stats, device] = [await this.#folder.statEntry(name), await this.#deviceId()];
      if (!stats.isDirectory()) return undefined;
      // Something mounted there has a count of its own, by its own rules.
      if (this.#isCounting && stats.dev === device && stats.nlink >= 2) return stats.nlink > 2;
      return await this.#findFolder(name);
    } catch (error) {
      if (isMissing(error)) return undefined;
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return false; // listed, but nobody here could go on
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
