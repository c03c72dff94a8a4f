import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { fail } from '../../../errors.ts';
import { clearly } from '../file-errors.ts';
import { isMissing, type FilesRoot } from '../files-root.ts';
import { inOwnFolder } from '../own-folder.ts';
import { entryPath } from '../safe-folder.ts';
import { fileEtag } from './file-etag.ts';
import { assertReplaceable, inFolder, placeIn, type EntryPlace } from './place.ts';

/** Conditions for a file to take its place: anything, nothing, or the file with this ETag is there. */
export type Expected = 'anything' | 'nothing' | { readonly etag: string };
/** Where a file is to be, and what may be there before. */
export interface UploadTarget {
  readonly components: readonly string[];
  readonly expected: Expected;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const MODE = 0o644;
const FOLDER = 'uploads';
/** Files that ended without a word, such as by a power failure, are removed when the account begins another. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Files that arrive, beside those of the account, by names that nobody can guess. One has its place when it is complete:
 * whoever reads there has the old content or the new one. Errors: 403 `permission_denied`, 404 `folder_not_found`,
 * 409 `file_exists`, 412 `file_changed`, 507 `no_space`.
 */
export class UnfinishedFiles {
  readonly #root: FilesRoot;

  constructor(root: FilesRoot) {
    this.#root = root;
  }

  begin(name: string, { components, expected }: UploadTarget): void {
    inFolder(this.#root, components, (place) => this.#assertExpected(place, expected));
    inOwnFolder(this.#root, FOLDER, (folder) => {
      removeForgotten(folder);
      const { path } = placeIn(folder, name);
      closeSync(clearly(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE), 'file'));
    });
  }

  /** Returns the size in bytes; `undefined` where there is no such file. */
  size(name: string): number | undefined {
    return inOwnFolder(this.#root, FOLDER, (folder) => {
      const stats = lstatSync(placeIn(folder, name).path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? stats.size : undefined;
    });
  }

  append(name: string, offset: number, bytes: Buffer): void {
    this.#open(name, (file) => {
      for (let written = 0; written < bytes.length;)
        written += clearly(() => writeSync(file, bytes, written, bytes.length - written, offset + written), 'file');
    });
  }

  truncate(name: string, sizeBytes: number): void {
    this.#open(name, (file) => ftruncateSync(file, sizeBytes));
  }

  /** Moves a file of this size to its place, and returns what `read` finds there. One that is there already stays. */
  finish<T>(
    name: string,
    { components, expected, sizeBytes }: UploadTarget & { readonly sizeBytes: number },
    read: (place: EntryPlace) => T,
  ): T {
    return inFolder(this.#root, components, (place) =>
      inOwnFolder(this.#root, FOLDER, (folder) => {
        const { path } = placeIn(folder, name);
        const isThere = this.#open(name, (file) => {
          const { size, ino, dev } = fstatSync(file, { bigint: true });
          if (size !== BigInt(sizeBytes)) throw fail.file_changed('the upload was changed by somebody else');
          const there = lstatSync(place.path, { bigint: true, throwIfNoEntry: false });
          if (there?.ino === ino && there.dev === dev) return true; // somebody stopped us between the link and the end
          const before = this.#assertExpected(place, expected);
          if (before !== undefined) fchmodSync(file, Number(before.mode) & 0o777);
          clearly(() => fsyncSync(file), 'file');
          return false;
        });
        // a link takes no place that is taken since, which a rename would
        if (expected !== 'nothing' && !isThere) clearly(() => renameSync(path, place.path), 'folder');
        else {
          if (!isThere) clearly(() => linkSync(path, place.path), 'folder');
          unlinkSync(path);
        }
        return read(place);
      }),
    );
  }

  /** Writes a file of which all is there, and returns what `read` finds in its place. */
  write<T>(name: string, target: UploadTarget, content: Buffer, read: (place: EntryPlace) => T): T {
    this.begin(name, target);
    try {
      this.append(name, 0, content);
      return this.finish(name, { ...target, sizeBytes: content.length }, read);
    } catch (error) {
      this.discard(name);
      throw error;
    }
  }

  /**
   * Replaces a file. All that can be refused is, before it waits for `before`; then the content takes its place at once. Errors: those of
   * `before`, and nothing is replaced then.
   */
  async replace(name: string, target: UploadTarget, content: Buffer, before: () => Promise<unknown>): Promise<void> {
    assertReplaceable(this.#root, target.components);
    this.begin(name, target);
    try {
      this.append(name, 0, content);
      await before();
      this.finish(name, { ...target, sizeBytes: content.length }, () => undefined);
    } catch (error) {
      this.discard(name);
      throw error;
    }
  }

  discard(name: string): void {
    inOwnFolder(this.#root, FOLDER, (folder) => removeFile(placeIn(folder, name).path));
  }

  #open<T>(name: string, use: (file: number) => T): T {
    return inOwnFolder(this.#root, FOLDER, (folder) => {
      const { path } = placeIn(folder, name);
      const file = clearly(() => openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK), 'file');
      try {
        if (!fstatSync(file).isFile()) throw fail.file_changed('the upload was changed by somebody else');
        return use(file);
      } finally {
        closeSync(file);
      }
    });
  }

  /** Returns what is at the place, if it is a file. */
  #assertExpected({ path }: EntryPlace, expected: Expected): BigIntStats | undefined {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile()) throw fail.file_exists('a folder, or something else, has this name');
    if (expected === 'nothing' && stats !== undefined) throw fail.file_exists('there is a file of this name');
    if (typeof expected === 'object' && (stats === undefined || fileEtag(stats) !== expected.etag))
      throw fail.file_changed('the file is not the one that the ETag names');
    return stats;
  }
}

function removeForgotten(folder: number): void {
  for (const name of readdirSync(entryPath(folder, ''))) {
    const { path } = placeIn(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > FORGOTTEN_MS) removeFile(path);
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
