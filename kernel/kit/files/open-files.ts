import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isOwnFolder } from './client-path.ts';
import { isMissing } from './files-root.ts';
import type { Folder } from './safe-folder.ts';

/** A file that is open. */
export interface OpenFile {
  /** The names of the folders below the files root, and its own. */
  readonly names: readonly Buffer[];
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Deeper folders are left out. */
const MAX_DEPTH = 100;
/** The machine has too little of something, which says nothing about the file. */
const SCARCE = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Which files are opened. */
interface Wanted {
  /** Larger ones are left out. */
  readonly maxBytes: number;
  /** Whether a file of this name is wanted; all are unless given. */
  readonly isWanted?: (name: Buffer) => boolean;
  /** Asked at each name whether to stop there. */
  readonly isOver?: () => boolean;
  /** Told of each file and folder that cannot be read, or that is too large or too deep. */
  readonly leaveOut: () => void;
}

/** Yields the files of a folder and of all in it, open; the caller closes them. Links are not followed. `names` are of the folder. */
export async function* openFiles(
  folder: Folder,
  names: readonly Buffer[],
  wanted: Wanted,
): AsyncGenerator<OpenFile, void> {
  const { maxBytes, isWanted = () => true, isOver = () => false, leaveOut } = wanted;
  for await (const { name } of folder.scan()) {
    if (isOver()) return;
    const path = [...names, name];
    if (isOwnFolder(path.map(String))) continue;
    try {
      const stats = await folder.statEntry(name);
      if (stats.isDirectory()) yield* below(folder, path, wanted);
      else if (!stats.isFile() || !isWanted(name)) continue;
      else if (stats.size > maxBytes) leaveOut();
      else yield await openFile(folder, path);
    } catch (error) {
      const { code = '', syscall } = error as NodeJS.ErrnoException;
      if (syscall === undefined || SCARCE.has(code)) throw error;
      if (!isMissing(error)) leaveOut();
    }
  }
}

async function* below(parent: Folder, path: readonly Buffer[], wanted: Wanted): AsyncGenerator<OpenFile, void> {
  if (path.length > MAX_DEPTH) return wanted.leaveOut();
  const folder = await parent.folder(path.at(-1) as Buffer);
  try {
    yield* openFiles(folder, path, wanted);
  } finally {
    await folder.close();
  }
}

async function openFile(folder: Folder, names: readonly Buffer[]): Promise<OpenFile> {
  const handle = await folder.file(names.at(-1) as Buffer);
  try {
    return { names, handle, stats: await handle.stat({ bigint: true }) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
