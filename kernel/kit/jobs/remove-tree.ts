/**
 * Removes a folder whose owner may still be running: each component is opened from its parent's descriptor without
 * following links, and removed through it, so that a link that is swapped in is removed itself and never followed.
 */
import { randomUUID } from 'node:crypto';
import { rename, rmdir, unlink } from 'node:fs/promises';
import { entryPath, type Folder } from '../files/safe-folder.ts';
import { mountSync } from '../files/safe-folder-sync.ts';

/** The result of a removal. */
export interface Removal {
  /** How many files and folders were removed. */
  readonly removed: number;
  /** Why something is left; `undefined` if nothing is. */
  readonly problem?: string | undefined;
  /** Whether the signal let it come to an end; a later call continues. */
  readonly isComplete: boolean;
}

/** Folders further down are moved up first, so that no tree needs many descriptors. */
const MAX_DEPTH = 64;
/** How often a folder is read again, because its owner adds to it or its file system skipped entries. */
const ROUNDS = 20;
/** Folders that were moved up lie in the uppermost one, which is read as long as that helps. */
const TOP_ROUNDS = 100_000;
const MOVED = '.hostkeep-removing-';
/** How much of a path a problem shows. */
const SHOWN = 200;

/**
 * Removes an entry of an open folder with all that is in it; without such an entry nothing. Mounted file systems stay,
 * and so does what the system refuses to remove. Stops when the signal is aborted. `onRemoved` gets the path of each
 * file and folder that is gone, as it was found.
 */
export async function removeTree(
  parent: Folder,
  name: string,
  signal?: AbortSignal,
  onRemoved?: (path: readonly string[]) => void,
): Promise<Removal> {
  const remover = new Remover(signal, onRemoved);
  const isComplete = await remover.remove(parent, name);
  return { removed: remover.removed, problem: remover.problem, isComplete };
}

class Remover {
  removed = 0;
  readonly #signal: AbortSignal | undefined;
  readonly #onRemoved: ((path: readonly string[]) => void) | undefined;
  #top: Folder | undefined;
  #mount = '';
  readonly #prefix = `${MOVED}${randomUUID()}-`;
  #moved = 0;
  #first: { readonly path: string; readonly why: string } | undefined;
  #hasMore = false;

  constructor(signal: AbortSignal | undefined, onRemoved: ((path: readonly string[]) => void) | undefined) {
    this.#signal = signal;
    this.#onRemoved = onRemoved;
  }

  get problem(): string | undefined {
    if (this.#first === undefined) return undefined;
    const { path, why } = this.#first;
    return `${JSON.stringify(path.slice(-SHOWN))}: ${why}${this.#hasMore ? ', among others' : ''}`;
  }

  /** Returns false if the signal ended it. */
  async remove(parent: Folder, name: string): Promise<boolean> {
    try {
      await this.#removeEntry(parent, { name: Buffer.from(name), isFolder: true }, []);
      return true;
    } catch (error) {
      if (this.#signal?.aborted !== true) throw error;
      return false;
    }
  }

  /** Returns whether the entry is gone, also if somebody else removed it. */
  async #removeEntry(parent: Folder, { name, isFolder }: Entry, path: readonly string[]): Promise<boolean> {
    this.#signal?.throwIfAborted();
    const below = [...path, name.toString()];
    try {
      return isFolder ? await this.#removeFolder(parent, name, below) : await this.#unlink(parent, name, below);
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (code === undefined || syscall === undefined) throw error; // the signal's reason
      if (code === 'ENOENT') return true;
      this.#refuse(below, code);
      return false;
    }
  }

  async #unlink(parent: Folder, name: Buffer, path: readonly string[]): Promise<boolean> {
    try {
      await unlink(entryPath(parent.handle.fd, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
      return this.#removeFolder(parent, name, path); // it was swapped, or the listing did not say what it is
    }
    this.#count(path);
    return true;
  }

  async #removeFolder(parent: Folder, name: Buffer, path: readonly string[]): Promise<boolean> {
    const folder = await this.#open(parent, name);
    if (folder === undefined) return this.#unlink(parent, name, path);
    try {
      if (!this.#mayEnter(folder, path)) return false;
      if (path.length > MAX_DEPTH && this.#top !== undefined) return await this.#moveUp(this.#top, parent, name);
      const rounds = folder === this.#top ? TOP_ROUNDS : ROUNDS;
      for (let round = 1; ; round += 1) {
        const mayHelp = (await this.#removeEntries(folder, path)) && round < rounds;
        if (!(await this.#rmdir(parent, name, mayHelp))) continue;
        this.#count(path);
        return true;
      }
    } finally {
      if (this.#top === folder) this.#top = undefined;
      await folder.close();
    }
  }

  /** Returns whether anything was removed. */
  async #removeEntries(folder: Folder, path: readonly string[]): Promise<boolean> {
    let gone = 0;
    for await (const entry of folder.scan())
      if (await this.#removeEntry(folder, { name: entry.name, isFolder: entry.isDirectory() }, path)) gone += 1;
    return gone > 0;
  }

  /** Returns false if the folder is not empty and `mayHelp` says that another round may change that. */
  async #rmdir(parent: Folder, name: Buffer, mayHelp: boolean): Promise<boolean> {
    try {
      await rmdir(entryPath(parent.handle.fd, name));
    } catch (error) {
      if (mayHelp && (error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
      throw error;
    }
    return true;
  }

  /** Returns `undefined` for what is no folder any more. */
  async #open(parent: Folder, name: Buffer): Promise<Folder | undefined> {
    try {
      return await parent.folder(name);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'ELOOP' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  /** A folder of another mount is somewhere else too, where its files are still in use. */
  #mayEnter(folder: Folder, path: readonly string[]): boolean {
    const mount = mountSync(folder.handle.fd);
    if (this.#top === undefined) {
      this.#top = folder;
      this.#mount = mount;
    }
    if (mount === this.#mount) return true;
    this.#refuse(path, 'is a mounted file system');
    return false;
  }

  async #moveUp(top: Folder, parent: Folder, name: Buffer): Promise<boolean> {
    this.#moved += 1;
    await rename(entryPath(parent.handle.fd, name), entryPath(top.handle.fd, `${this.#prefix}${this.#moved}`));
    return true;
  }

  #count(path: readonly string[]): void {
    this.removed += 1;
    this.#onRemoved?.(path);
  }

  #refuse(path: readonly string[], why: string): void {
    const refused = { path: path.join('/'), why };
    this.#first ??= refused;
    this.#hasMore ||= refused.path !== this.#first.path;
  }
}

interface Entry {
  readonly name: Buffer;
  /** As the listing says, which may be out of date. */
  readonly isFolder: boolean;
}
