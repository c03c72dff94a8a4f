/**
 * `safe-folder.ts` without promises, for threads that walk through many folders: each folder is opened from its
 * parent's descriptor without following links. The caller closes the descriptors. Errors are those of the system.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readFileSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import type { FilesRoot } from './files-root.ts';
import { entryPath, FOLDER_FLAGS, ROOT_FLAGS } from './safe-folder.ts';

/** Missing in Node.js, and the same on all its processors; see open(2). */
const O_PATH = 0o10_000_000;

/** Opens the files root and returns its descriptor. Follows links only in the operator's part of its path. */
export function openRootSync(root: FilesRoot): number {
  return descendSync(openSync(root.operatorPath, ROOT_FLAGS), root.below);
}

/** Opens a folder in an open one and returns its descriptor. */
export function openFolderSync(parent: number, name: string | Buffer): number {
  return openSync(entryPath(parent, name), FOLDER_FLAGS);
}

/** Opens a folder below the files root and returns its descriptor. */
export function openPathSync(root: FilesRoot, components: readonly (string | Buffer)[]): number {
  return descendSync(openRootSync(root), components);
}

/** Opens a folder below an open one, and closes that one. */
function descendSync(from: number, components: readonly (string | Buffer)[]): number {
  let folder = from;
  for (const name of components) {
    const parent = folder;
    try {
      folder = openFolderSync(parent, name);
    } finally {
      closeSync(parent);
    }
  }
  return folder;
}

/** A folder that takes more on disk is read in slices; others at once, which is faster for them. */
const SMALL_BYTES = 64 * 1024;
const SLICE = 512;

/**
 * Yields the entries, at most `max`. Bytes that are not UTF-8 become U+FFFD in the names. `sizeBytes` is that of the
 * folder, if the caller knows it.
 */
export function* scanSync(folder: number, max: number, sizeBytes = fstatSync(folder).size): Generator<Dirent, void> {
  const path = entryPath(folder, '');
  if (sizeBytes <= SMALL_BYTES)
    return yield* readdirSync(path, { withFileTypes: true, encoding: 'utf8' }).slice(0, max);
  const directory = opendirSync(path as string, { bufferSize: SLICE });
  try {
    for (let left = max; left > 0; left -= 1) {
      const entry = directory.readSync();
      if (entry === null) return;
      yield entry;
    }
  } finally {
    directory.closeSync();
  }
}

/** Returns what `scanSync` yields. */
export const entriesSync = (...args: Parameters<typeof scanSync>): Dirent[] => [...scanSync(...args)];

/** Stats an entry without opening it or following a link. */
export function statEntrySync(folder: number, name: string): Stats {
  return lstatSync(entryPath(folder, name));
}

/**
 * Calls back with a descriptor of an entry itself, be it a link or a device, which is not opened. What is done to
 * `/proc/self/fd/<descriptor>` is done to it, whatever has its name by then.
 */
export function withEntrySync<T>(path: string | Buffer, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the id of the mount of a descriptor: that of a bind mount differs, although the device is the same. */
export function mountSync(descriptor: number): string {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  return /^mnt_id:\s*(\d+)$/m.exec(info)?.[1] ?? '';
}
