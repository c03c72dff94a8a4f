import { rename } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { isMissing } from '../files/files-root.ts';
import { entryPath, Folder } from '../files/safe-folder.ts';

type Name = string | Buffer;
/** An entry of an open folder. */
export interface FolderEntry {
  readonly folder: Folder;
  readonly name: Name;
}

/**
 * Moves restored files to where others may be: folders become one, anything else takes the place of what is there by one rename.
 * Folders are opened from their parents and links are never followed: one that somebody puts in the way is replaced itself. What
 * is interrupted can be repeated.
 */
export class Merge {
  readonly #aside: Folder;
  #moved = 0;

  /** `aside` takes folders in whose place something else comes; the caller removes it. */
  constructor(aside: Folder) {
    this.#aside = aside;
  }

  async move(from: FolderEntry, to: FolderEntry): Promise<void> {
    const [source, target] = await Promise.all([from.folder.statEntry(from.name), statIfThere(to)]);
    if (source.isDirectory() && target?.isDirectory() === true) return this.#moveEntries(from, to);
    if (target !== undefined && source.isDirectory() !== target.isDirectory()) await this.#putAside(to);
    await rename(pathAt(from), pathAt(to));
  }

  async #moveEntries(from: FolderEntry, to: FolderEntry): Promise<void> {
    const source = await from.folder.folder(from.name);
    try {
      const target = await to.folder.folder(to.name);
      await this.moveAll(source, target).finally(() => target.close());
    } finally {
      await source.close();
    }
  }

  /** Moves all entries of a folder into another one. */
  async moveAll(source: Folder, target: Folder): Promise<void> {
    for await (const { name } of source.scan()) await this.move({ folder: source, name }, { folder: target, name });
  }

  async #putAside(place: FolderEntry): Promise<void> {
    await rename(pathAt(place), pathAt({ folder: this.#aside, name: `replaced-${this.#moved++}` }));
  }
}

export async function statIfThere({ folder, name }: FolderEntry): Promise<Stats | undefined> {
  try {
    return await folder.statEntry(name);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const pathAt = ({ folder, name }: FolderEntry): string | Buffer => entryPath(folder.handle.fd, name);
