import { closeSync, fstatSync } from 'node:fs';
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { entriesSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { Entry } from '../schema.ts';
import { readEntry } from './entry.ts';
import { openFolder, placeIn, UNNAMEABLE } from './place.ts';

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

/** The names of a folder that a request can name, in order. */
interface Names {
  readonly folders: readonly string[];
  readonly others: readonly string[];
  readonly isTruncated: boolean;
}

/** A change of a folder that is no older may be followed by one at the same time of the system's clock. */
const SETTLED_MS = 2000;
/** The folder that was listed last: clients ask for page after page, and to read and sort 100,000 names takes long. */
let latest: { readonly state: string; readonly names: Names } | undefined;

/** Returns a page of a folder: folders before all else, then in the wanted order. By name, only the page is looked at. */
export default function entries(input: EntriesInput, { root }: JobContext): Entries {
  const { components, sort, isDescending, offset, limit, maxEntries } = input;
  const folder = openFolder(root, components);
  if (folder === undefined) return { entries: [], total: 0, isTruncated: false };
  try {
    const { folders, others, isTruncated } = namesIn(folder, components.length === 0, maxEntries);
    const look = (name: string): Entry[] => {
      try {
        return [readEntry(name, placeIn(folder, name).path)];
      } catch (error) {
        if (isMissing(error)) return []; // removed meanwhile
        throw error;
      }
    };
    const names = isDescending ? [...folders.toReversed(), ...others.toReversed()] : [...folders, ...others];
    const page = { total: names.length, isTruncated };
    if (sort === 'name') return { ...page, entries: names.slice(offset, offset + limit).flatMap(look) };
    const all = names.flatMap(look);
    const turn = isDescending ? -1 : 1;
    const value = (entry: Entry) => (sort === 'size' ? entry.size_bytes : Date.parse(entry.modified_at));
    const isFolder = ({ kind }: Entry) => Number(kind === 'folder');
    all.sort((a, b) => isFolder(b) - isFolder(a) || turn * (value(a) - value(b)) || (a.name < b.name ? -1 : 1));
    return { ...page, entries: all.slice(offset, offset + limit) };
  } finally {
    closeSync(folder);
  }
}

function namesIn(folder: number, isTop: boolean, maxEntries: number): Names {
  const now = Date.now();
  const { dev, ino, ctimeMs, ctimeNs } = fstatSync(folder, { bigint: true });
  const state = [dev, ino, ctimeNs, isTop, maxEntries].join(' ');
  if (latest?.state === state) return latest.names;
  latest = undefined; // two of the largest are more than the process may keep
  const found = entriesSync(folder, maxEntries + 1);
  const named = found
    .slice(0, maxEntries)
    .filter(({ name }) => !UNNAMEABLE.test(name) && !(isTop && isOwnFolder([name])));
  const [folders, others] = [true, false].map((isFolder) =>
    named.flatMap((entry) => (entry.isDirectory() === isFolder ? [entry.name] : [])).toSorted(),
  ) as [string[], string[]];
  const names = { folders, others, isTruncated: found.length > maxEntries };
  latest = now - Number(ctimeMs) > SETTLED_MS ? { state, names } : undefined;
  return names;
}
