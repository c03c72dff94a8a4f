/**
 * The only access to files below an account's files root. Opens each component from its parent's descriptor without
 * following links (`/proc/self/fd/<n>/<name>`, `O_NOFOLLOW`), so that the file checked is the file used, even while
 * somebody swaps folders for links. Callers get descriptors, never paths.
 */
import { isUtf8 } from 'node:buffer';
import { constants, type Dirent, type Stats, type StatsFs } from 'node:fs';
import { lstat, mkdir, open, opendir, readdir, statfs, type FileHandle } from 'node:fs/promises';
import { HttpError, retryLater } from '../errors.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Flags for the files root. Links in its path are followed, because the operator sets it. */
export const ROOT_FLAGS = O_RDONLY | O_DIRECTORY;
/** Flags for a folder below it. */
export const FOLDER_FLAGS = ROOT_FLAGS | O_NOFOLLOW;
/** The longest name on Linux file systems, in bytes. */
const NAME_BYTES = 255;
const PATH_BYTES = 4096;
const CONTROL = /[\u0000-\u001f\u007f]/;
/** The number of entries that `scan` reads at a time. */
const SCANNED_AT_ONCE = 512;

/**
 * Splits a client's decoded path, absolute under `virtualRoot` or relative to it, into components. Errors:
 * 400 `invalid_path` for control characters, `..`, overlong names, and paths outside `virtualRoot`.
 */
export function componentsOf(path: string, virtualRoot: string): string[] {
  if (CONTROL.test(path)) throw new HttpError('invalid_path', 'a path must not contain control characters');
  if (Buffer.byteLength(path) > PATH_BYTES)
    throw new HttpError('invalid_path', `a path must not exceed ${PATH_BYTES} bytes`);
  const isInside = path === virtualRoot || path.startsWith(`${virtualRoot}/`);
  if (path.startsWith('/') && path !== '/' && !isInside)
    throw new HttpError('invalid_path', `an absolute path must begin with ${virtualRoot}`);
  const components = (isInside ? path.slice(virtualRoot.length) : path)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (components.includes('..')) throw new HttpError('invalid_path', 'a path must not contain .. components');
  if (components.some((name) => Buffer.byteLength(name) > NAME_BYTES))
    throw new HttpError('invalid_path', `a name must not exceed ${NAME_BYTES} bytes`);
  return components;
}

/** Returns the absolute path of components as clients see it. */
export function clientPath(components: readonly string[], virtualRoot: string): string {
  return [virtualRoot, ...components].join('/');
}

/**
 * Returns the name of an entry as clients see it; `undefined` if no client path can hold it, because it is not UTF-8 or
 * has control characters.
 */
export function entryName(bytes: Buffer): string | undefined {
  const name = isUtf8(bytes) ? bytes.toString() : undefined;
  return name === undefined || CONTROL.test(name) ? undefined : name;
}

/** An open folder at or below a files root. The caller that receives one must close it. */
export class Folder {
  readonly handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Opens the files root itself. Follows links in its path, because the operator sets it. */
  static async openRoot(filesRoot: string): Promise<Folder> {
    return new Folder(await open(filesRoot, ROOT_FLAGS));
  }

  /**
   * Opens a folder below the root. Rejects with the system's error: `ENOENT`, `ENOTDIR` or `ELOOP` if a component is
   * not a plain folder.
   */
  static async open(filesRoot: string, components: readonly string[]): Promise<Folder> {
    let folder = await Folder.openRoot(filesRoot);
    for (const name of components) {
      const parent = folder;
      try {
        folder = await parent.folder(name);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /**
   * Opens a folder for a client. Resolves with `undefined` for a root that does not exist yet. Errors:
   * 404 `folder_not_found` if there is no such plain folder, 503 `files_unavailable` if it cannot be opened.
   */
  static async find(filesRoot: string, components: readonly string[]): Promise<Folder | undefined> {
    try {
      return await Folder.open(filesRoot, components);
    } catch (cause) {
      if (!isMissing(cause))
        throw retryLater('files_unavailable', 'the folder cannot be opened at the moment', 30, cause);
      if (components.length > 0) throw new HttpError('folder_not_found', 'there is no such folder');
      return undefined;
    }
  }

  /** Opens a folder and creates what is missing, the root too. Folders below the root get the owner of their parent. */
  static async make(filesRoot: string, components: readonly string[]): Promise<Folder> {
    let folder = await Folder.#makeRoot(filesRoot);
    for (const name of components) {
      const parent = folder;
      try {
        folder = await parent.#makeFolder(name);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  static async #makeRoot(filesRoot: string): Promise<Folder> {
    try {
      return await Folder.openRoot(filesRoot);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(filesRoot, { recursive: true, mode: 0o750 });
      return Folder.openRoot(filesRoot);
    }
  }

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

  /** Resolves with all entries, their names as bytes, because names need not be UTF-8. */
  entries(): Promise<Dirent<Buffer>[]> {
    return readdir(this.#path(''), { withFileTypes: true, encoding: 'buffer' });
  }

  /** Yields entries as it reads them, for folders of any size; a caller that stops early leaves the rest unread. */
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

  async #makeFolder(name: string): Promise<Folder> {
    try {
      await mkdir(this.#path(name), { mode: 0o755 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return this.folder(name);
      throw error;
    }
    const made = await this.folder(name);
    try {
      const [owner, now] = await Promise.all([this.stat(), made.stat()]);
      if (owner.uid !== now.uid || owner.gid !== now.gid) await made.handle.chown(owner.uid, owner.gid);
      return made;
    } catch (error) {
      await made.close();
      throw error;
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
    throw new HttpError('invalid_path', 'a name must be a single path component');
  const path = `/proc/self/fd/${folder}/`;
  return typeof name === 'string' ? path + name : Buffer.concat([Buffer.from(path), name]);
}

/**
 * Returns whether an error means that there is no such plain file or folder: it is missing, a link, or another kind.
 */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}
