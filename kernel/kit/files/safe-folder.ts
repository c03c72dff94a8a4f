/**
 * The only access to files below an account's files root. Opens each component from its parent's descriptor without
 * following links (`/proc/self/fd/<n>/<name>`, `O_NOFOLLOW`), so that the file checked is the file used, even while
 * somebody swaps folders for links. Callers get descriptors, never paths.
 */
import { constants, type Dirent, type Stats, type StatsFs } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, open, opendir, rename, rm, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail } from '../../errors.ts';
import { isMissing, type FilesRoot } from './files-root.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Flags for the operator's part of a files root. */
export const ROOT_FLAGS = O_RDONLY | O_DIRECTORY;
/** Flags for a folder below it. */
export const FOLDER_FLAGS = ROOT_FLAGS | O_NOFOLLOW;
const MADE_MODE = 0o755;
/** Codes of `mkdir` and `rename` where something exists already. */
const EXISTS = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);
/** The number of entries that `scan` reads at a time. */
const SCANNED_AT_ONCE = 512;

/** An open folder at or below a files root. The caller that receives one must close it. */
export class Folder {
  readonly handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Opens the files root itself. Follows links only in the operator's part of its path. */
  static async openRoot(root: FilesRoot): Promise<Folder> {
    return Folder.#descend(new Folder(await open(root.operatorPath, ROOT_FLAGS)), root.below);
  }

  /**
   * Opens a folder below the root. Rejects with the system's error: `ENOENT`, `ENOTDIR` or `ELOOP` if a component is
   * not a plain folder.
   */
  static async open(root: FilesRoot, components: readonly string[]): Promise<Folder> {
    return Folder.#descend(await Folder.openRoot(root), components);
  }

  /**
   * Opens a folder for a client. Resolves with `undefined` for a root that does not exist yet. Errors:
   * 404 `folder_not_found` if there is no such plain folder, 503 `files_unavailable` if it cannot be opened.
   */
  static async find(root: FilesRoot, components: readonly string[]): Promise<Folder | undefined> {
    try {
      return await Folder.open(root, components);
    } catch (cause) {
      if (!isMissing(cause))
        throw fail.files_unavailable('the folder cannot be opened at the moment', { retryAfterSeconds: 30, cause });
      if (components.length > 0) throw fail.folder_not_found('there is no such folder');
      return undefined;
    }
  }

  /** Opens a folder and creates what is missing, the root too. */
  static async make(root: FilesRoot, components: readonly string[]): Promise<Folder> {
    try {
      return await Folder.#descend(await Folder.openRoot(root), components, root);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(root.path, { recursive: true, mode: 0o750 });
      return Folder.#descend(await Folder.openRoot(root), components, root);
    }
  }

  /** Opens a folder below an open one, and closes that one; `made` is the root of folders to create where they are missing. */
  static async #descend(from: Folder, components: readonly string[], made?: FilesRoot): Promise<Folder> {
    let folder = from;
    for (const name of components) {
      const parent = folder;
      try {
        if (made !== undefined) await parent.#makeFolder(name, made);
        folder = await parent.folder(name);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /** Opens a folder in this one. Rejects with `ELOOP` or `ENOTDIR` for anything else. */
  async folder(name: string | Buffer): Promise<Folder> {
    return new Folder(await open(this.#path(name), FOLDER_FLAGS));
  }

  /** Opens a regular file for reading. Rejects with `ELOOP` for a link and `EINVAL` for a device, pipe or folder. */
  async file(name: string | Buffer): Promise<FileHandle> {
    const handle = await open(this.#path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if ((await handle.stat()).isFile()) return handle;
      throw Object.assign(new Error(`${String(name)} is not a regular file`), { code: 'EINVAL' });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Yields entries as it reads them, so that a folder may have any size. Names are bytes, because they need not be UTF-8. A
   * caller that stops early leaves the rest unread.
   */
  async *scan(): AsyncGenerator<Dirent<Buffer>, void> {
    const directory = await opendir(this.#path(''), {
      encoding: 'buffer' as BufferEncoding,
      bufferSize: SCANNED_AT_ONCE,
    });
    yield* directory as unknown as AsyncIterable<Dirent<Buffer>>;
  }

  stat(): Promise<Stats> {
    return this.handle.stat();
  }

  /** Resolves with the size and the free space of the file system that the folder is on. */
  fileSystem(): Promise<StatsFs> {
    return statfs(this.#path(''));
  }

  /** Stats an entry without opening it or following a link. */
  statEntry(name: string | Buffer): Promise<Stats> {
    return lstat(this.#path(name));
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  async #makeFolder(name: string, { path }: FilesRoot): Promise<void> {
    const { uid, gid } = await this.stat();
    try {
      if (uid === process.geteuid?.()) await mkdir(this.#path(name), { mode: MADE_MODE });
      else await this.#moveIn(name, dirname(path), uid, gid);
    } catch (error) {
      if (!EXISTS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  /**
   * Makes a folder for another user beside the root, out of everybody's reach, and moves it in: a folder that is made
   * where it belongs could be exchanged for another one before it is given away.
   */
  async #moveIn(name: string, beside: string, uid: number, gid: number): Promise<void> {
    const workshop = await mkdtemp(join(beside, '.hostkeep-'));
    const made = join(workshop, 'made');
    try {
      await mkdir(made, { mode: MADE_MODE });
      await chown(made, uid, gid);
      await rename(made, this.#path(name));
    } finally {
      await rm(workshop, { recursive: true });
    }
  }

  #path(name: string | Buffer): string | Buffer {
    return entryPath(this.handle.fd, name);
  }
}

/**
 * Returns the path of an entry in an open folder, or of the folder itself for an empty name. It goes through the
 * descriptor, so it stays valid when the folder is moved. Errors: 400 `invalid_path` for `.`, `..` and more than one
 * component.
 */
export function entryPath(folder: number, name: string | Buffer): string | Buffer {
  const text = typeof name === 'string' ? name : name.toString('latin1');
  if (text.includes('/') || text === '.' || text === '..')
    throw fail.invalid_path('a name must be a single path component');
  const path = `/proc/self/fd/${folder}/`;
  return typeof name === 'string' ? path + name : Buffer.concat([Buffer.from(path), name]);
}
