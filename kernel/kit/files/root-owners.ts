import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing, resolveFilesRoot } from './files-root.ts';

/** A name that no account can have. */
const NOBODY = '\0';

export interface RootOwner {
  readonly name: string;
  readonly path: string;
  readonly uid: number;
}

/**
 * Resolves with what lies where accounts have their files roots, and the user id that owns each; nothing where all accounts
 * share one root. Links are not followed.
 */
export async function rootOwners(filesRoot: string): Promise<RootOwner[]> {
  if (!filesRoot.includes('{username}')) return [];
  const { operatorPath, below } = resolveFilesRoot(filesRoot, NOBODY);
  const above = dirname(operatorPath);
  const [prefix = '', suffix = ''] = operatorPath.slice(above.length + 1).split(NOBODY);
  const owners: RootOwner[] = [];
  for (const entry of await namesIn(above)) {
    if (!entry.startsWith(prefix) || !entry.endsWith(suffix)) continue;
    const path = join(above, entry, ...below);
    const uid = await ownerOf(path);
    if (uid !== undefined) owners.push({ name: entry.slice(prefix.length, entry.length - suffix.length), path, uid });
  }
  return owners;
}

/** Resolves with the names in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await unlessMissing(lstat(path)))?.uid;
}

/** Resolves with `undefined` where there is nothing, and where nothing can be: under a name that is too long for any file. */
async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}
