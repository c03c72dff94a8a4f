/** The objects of a repository as files of the service: none ever changes, and all but `config` are called by the hash of their content. */
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { undefinedIfMissing } from '../files/if-missing.ts';
import { NAME, type ObjectName } from './questions.ts';

export interface RepositoryObject {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

export function objectPath(folder: string, { kind, name }: ObjectName): string {
  if (kind === 'config') return join(folder, 'config');
  return kind === 'data' ? join(folder, kind, name.slice(0, 2), name) : join(folder, kind, name);
}

/** Resolves with the objects of a kind other than `config`; with none where the repository lacks its folder. */
export async function listObjects(folder: string, kind: ObjectName['kind']): Promise<RepositoryObject[]> {
  const all = join(folder, kind);
  const names = async (path: string) => (await readdir(path).catch(undefinedIfMissing)) ?? [];
  const folders = kind === 'data' ? (await names(all)).map((each) => join(all, each)) : [all];
  const found: RepositoryObject[] = [];
  for (const each of folders)
    for (const name of (await names(each)).filter((one) => NAME.test(one))) {
      const size = (await stat(join(each, name)).catch(undefinedIfMissing))?.size;
      if (size !== undefined) found.push({ name, size });
    }
  return found;
}

/** Has the entry of a file in its folder survive a loss of power. */
export async function syncEntry(path: string): Promise<void> {
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
}
