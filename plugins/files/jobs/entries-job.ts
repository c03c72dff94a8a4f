import { closeSync } from 'node:fs';
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { entriesSync, openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { Entry } from '../schema.ts';
import { readEntry } from './entry.ts';
import { clearError, placeIn, UNNAMEABLE } from './place.ts';

interface EntriesInput {
  readonly components: readonly string[];
  readonly sort: 'name' | 'size' | 'modified';
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
  readonly maxEntries: number;
}
interface Entries {
  readonly entries: Entry[];
  readonly total: number;
  readonly isTruncated: boolean;
}

/** Returns a page of a folder: folders before all else, then in the wanted order. By name, only the page is looked at. */
export default function entries(input: EntriesInput, { root }: JobContext): Entries {
  const { components, sort, isDescending, offset, limit, maxEntries } = input;
  let folder: number;
  try {
    folder = openPathSync(root, components);
  } catch (error) {
    if (components.length === 0 && isMissing(error)) return { entries: [], total: 0, isTruncated: false };
    throw clearError(error, 'folder');
  }
  try {
    const found = entriesSync(folder, maxEntries + 1);
    const names = found
      .slice(0, maxEntries)
      .filter(({ name }) => !UNNAMEABLE.test(name) && !isOwnFolder([...components, name]))
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    const look = (name: string): Entry[] => {
      try {
        return [readEntry(name, placeIn(folder, name).path)];
      } catch (error) {
        if (isMissing(error)) return []; // removed meanwhile
        throw error;
      }
    };
    const turn = isDescending ? -1 : 1;
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    const page = { total: names.length, isTruncated: found.length > maxEntries };
    if (sort === 'name') {
      names.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || turn * byName(a, b));
      return { ...page, entries: names.slice(offset, offset + limit).flatMap(({ name }) => look(name)) };
    }
    const all = names.flatMap(({ name }) => look(name));
    const value = (entry: Entry) => (sort === 'size' ? entry.size_bytes : Date.parse(entry.modified_at));
    const isFolder = ({ kind }: Entry) => Number(kind === 'folder');
    all.sort((a, b) => isFolder(b) - isFolder(a) || turn * (value(a) - value(b)) || byName(a, b));
    return { ...page, entries: all.slice(offset, offset + limit) };
  } finally {
    closeSync(folder);
  }
}
