/** Reads below a files root, without following links. A missing or unreadable file or folder is `undefined`. */
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';

/** A file or folder that changed this recently can change again without getting a new time. */
const UNSETTLED_MS = 2000;

/** The caller closes the file. */
export function openFile(root: FilesRoot, path: readonly string[]): Promise<FileHandle | undefined> {
  return ifPresent(async () => {
    const folder = await Folder.open(root, path.slice(0, -1));
    try {
      return await folder.file(path.at(-1) ?? '');
    } finally {
      await folder.close();
    }
  });
}

/** Entries of one folder that are read; what an application is known by is not among a hundred thousand files. */
const MAX_ENTRIES = 100_000;

/** The names in a folder, and whether each is a folder itself. Links and names that are not UTF-8 are left out. */
export function listFolder(root: FilesRoot, path: readonly string[]): Promise<Map<string, boolean> | undefined> {
  return ifPresent(async () => {
    const folder = await Folder.open(root, path);
    try {
      const names = new Map<string, boolean>();
      let left = MAX_ENTRIES;
      for await (const entry of folder.scan()) {
        if ((left -= 1) < 0) break;
        if ((entry.isDirectory() || entry.isFile()) && isUtf8(entry.name))
          names.set(entry.name.toString(), entry.isDirectory());
      }
      return names;
    } finally {
      await folder.close();
    }
  });
}

/** The beginning of a file as text. */
export async function readHead(
  root: FilesRoot,
  path: readonly string[],
  maxBytes: number,
): Promise<string | undefined> {
  const handle = await openFile(root, path);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The time of a file, or of a folder where the path ends with `''`: 0 when it is missing, -1 when it is too recent. */
export async function modifiedTime(root: FilesRoot, path: readonly string[]): Promise<number> {
  const names = path.filter((name) => name !== '');
  const openFolder = async () => (await Folder.open(root, names)).handle;
  const handle = path.at(-1) === '' ? await ifPresent(openFolder) : await openFile(root, path);
  if (handle === undefined) return 0;
  try {
    const { mtimeMs, ctimeMs } = await handle.stat();
    const time = Math.max(mtimeMs, ctimeMs);
    return time > Date.now() - UNSETTLED_MS ? -1 : time;
  } finally {
    await handle.close();
  }
}

async function ifPresent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}
