import { closeSync, fstatSync, lstatSync, type Dirent } from 'node:fs';
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { scanSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { Entry } from '../schema.ts';
import { toEntry } from './entry.ts';
import { placeIn } from '../../../kernel/kit/files/unfinished/place.ts';
import { openFolder, UNNAMEABLE } from './place.ts';

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

/** The first names of a folder that a request can name, in order. */
interface Listing {
  readonly names: readonly string[];
  readonly total: number;
  readonly isTruncated: boolean;
}
/** An entry with its size or time, unless the order is that by name. */
type Valued = Dirent & { value?: number };

/** A change of a folder that is no older may be followed by one at the same time of the system's clock. */
const SETTLED_MS = 2000;
/** The first pages by name are picked out of a folder together; to keep and sort all of its names takes three times as long. */
const PICKED = 2000;
/** The folder that was listed last by name: clients ask for page after page. */
let latest: { readonly state: string; readonly count: number; readonly listing: Listing } | undefined;

/** Returns a page of a folder: folders before all else, then in the wanted order. By name, only the page is looked at. */
export default function entries(input: EntriesInput, { root }: JobContext): Entries {
  const { components, sort, offset, limit } = input;
  const folder = openFolder(root, components);
  if (folder === undefined) return { entries: [], total: 0, isTruncated: false };
  try {
    const end = offset + limit;
    const { names, total, isTruncated } =
      sort === 'name' ? remembered(folder, input, end > PICKED ? Infinity : PICKED) : read(folder, input, end);
    const look = (name: string): Entry[] => {
      const stats = lstatSync(placeIn(folder, name).path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? [] : [toEntry(name, stats)]; // removed meanwhile
    };
    return { entries: names.slice(offset, end).flatMap(look), total, isTruncated };
  } finally {
    closeSync(folder);
  }
}

function remembered(folder: number, input: EntriesInput, count: number): Listing {
  const now = Date.now();
  const { dev, ino, ctimeMs, ctimeNs } = fstatSync(folder, { bigint: true });
  const state = [dev, ino, ctimeNs, input.components.length === 0, input.maxEntries, input.isDescending].join(' ');
  if (latest?.state === state && latest.count >= count) return latest.listing;
  latest = undefined; // two of the largest are more than the process may keep
  const listing = read(folder, input, count);
  latest = now - Number(ctimeMs) > SETTLED_MS ? { state, count, listing } : undefined;
  return listing;
}

/** Picks the first `count` entries as they come: nothing is kept of the others. */
function read(folder: number, { components, sort, isDescending, maxEntries }: EntriesInput, count: number): Listing {
  const value = (entry: Dirent): number => {
    if (sort === 'size' && !entry.isFile()) return 0;
    const stats = lstatSync(placeIn(folder, entry.name).path, { throwIfNoEntry: false });
    return (sort === 'size' ? stats?.size : stats?.mtimeMs) ?? 0;
  };
  const turn = isDescending ? -1 : 1;
  const compare = (a: Valued, b: Valued) =>
    Number(b.isDirectory()) - Number(a.isDirectory()) ||
    turn * ((a.value ?? 0) - (b.value ?? 0)) ||
    (a.name < b.name ? -1 : 1) * (sort === 'name' ? turn : 1);
  const picked: Valued[] = [];
  const cut = () => {
    picked.sort(compare);
    picked.length = Math.min(picked.length, count);
  };
  let last: Valued | undefined;
  let [left, total] = [maxEntries, 0];
  for (const entry of scanSync(folder, maxEntries + 1) as Iterable<Valued>) {
    left -= 1;
    if (left < 0 || UNNAMEABLE.test(entry.name) || (components.length === 0 && isOwnFolder([entry.name]))) continue;
    total += 1;
    if (sort !== 'name') entry.value = value(entry);
    if (last !== undefined && compare(entry, last) > 0) continue;
    if (picked.push(entry) < 2 * count) continue;
    cut();
    last = picked.at(-1);
  }
  cut();
  return { names: picked.map(({ name }) => name), total, isTruncated: left < 0 };
}
