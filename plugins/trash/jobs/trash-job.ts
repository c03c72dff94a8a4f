import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { inOwnFolder, lookIntoOwnFolder, removeFromOwnFolder } from '../../../kernel/kit/files/own-folder.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { inFolder, moveEntry, placeIn } from '../../../kernel/kit/files/unfinished/place.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail, HttpError } from '../../../kernel/errors.ts';
import type { Removed } from '../schema.ts';

export type TrashInput =
  | { readonly act: 'remove'; readonly paths: readonly (readonly string[])[] }
  | { readonly act: 'list' | 'expire' }
  | { readonly act: 'restore'; readonly ids: readonly string[] }
  | { readonly act: 'empty'; readonly ids: readonly string[] | null };
/** The result for each path or id, in the order in which they were given. */
export interface TrashOutput {
  readonly done: readonly { readonly id: string; readonly error?: string; readonly detail?: string }[];
  readonly removed: readonly Removed[];
  /** When the oldest of what an expiry leaves was removed, in milliseconds since 1970. */
  readonly oldestAt?: number;
}
interface About {
  readonly components: readonly string[];
  readonly at: string;
}

const TRASH = 'trash';
const ABOUT = 'about.json';
const ITEM = 'item';
const LISTED = 1000;
const ID = /^[a-z0-9]+-[a-f0-9]{8}$/;

/**
 * Moves entries into the account's trash, where each has a folder of its own, and back. A folder without its item was left by
 * a crash, and goes with the next that are removed for good.
 */
export default async function trash(
  input: TrashInput & { readonly keptMs: number },
  { root }: JobContext,
): Promise<TrashOutput> {
  switch (input.act) {
    case 'remove':
      await removeFromOwnFolder(root, TRASH, expired(root, input.keptMs));
      return { done: each(input.paths, (path) => remove(root, path)), removed: [] };
    case 'expire': {
      await removeFromOwnFolder(root, TRASH, expired(root, input.keptMs));
      const left = idsIn(root).map(removalTime);
      return { done: [], removed: [], ...(left.length > 0 && { oldestAt: Math.min(...left) }) };
    }
    case 'list':
      return { done: [], removed: removedEntries(root).slice(0, LISTED) };
    case 'restore':
      return { done: each(input.ids, (id) => restore(root, id)), removed: [] };
    case 'empty': {
      const ids = input.ids ?? idsIn(root);
      ids.forEach(assertId);
      await removeFromOwnFolder(root, TRASH, ids);
      return { done: ids.map((id) => ({ id })), removed: [] };
    }
  }
}

function each<T>(all: readonly T[], act: (one: T) => string): TrashOutput['done'] {
  return all.map((one) => {
    try {
      return { id: act(one) };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { id: '', error: error.code, detail: error.message };
    }
  });
}

function remove(root: FilesRoot, components: readonly string[]): string {
  return inFolder(root, components, ({ path }) => {
    clearly(() => lstatSync(path), 'file');
    return inOwnFolder(root, TRASH, (folder) => {
      const id = `${Date.now().toString(36)}-${randomUUID().slice(0, 8)}`;
      const own = placeIn(folder, id).path;
      clearly(() => mkdirSync(own, { mode: 0o700 }), 'folder');
      const about: About = { components, at: new Date().toISOString() };
      clearly(() => writeFileSync(`${own}/${ABOUT}`, JSON.stringify(about), { flag: 'wx' }), 'file');
      clearly(() => renameSync(path, `${own}/${ITEM}`), 'file');
      return id;
    });
  });
}

function restore(root: FilesRoot, id: string): string {
  assertId(id);
  const restored = lookIntoOwnFolder(root, TRASH, (folder) => {
    const own = placeIn(folder, id).path;
    const about = aboutOf(own);
    if (about === undefined) throw missing();
    const item = { folder, name: ITEM, path: `${own}/${ITEM}` };
    inFolder(root, about.components, (place) => moveEntry(item, place));
    unlinkSync(`${own}/${ABOUT}`);
    rmdirSync(own);
    return id;
  });
  if (restored === undefined) throw missing();
  return restored;
}

function removedEntries(root: FilesRoot): Removed[] {
  const entries = lookIntoOwnFolder(root, TRASH, (folder) =>
    readIds(folder)
      .toSorted()
      .toReversed()
      .flatMap((id) => {
        const own = placeIn(folder, id).path;
        const about = aboutOf(own);
        if (about === undefined) return [];
        const stats = lstatSync(`${own}/${ITEM}`);
        return [
          {
            id,
            path: `/${about.components.join('/')}`,
            kind: stats.isDirectory() ? ('folder' as const) : ('file' as const),
            size_bytes: stats.isFile() ? stats.size : 0,
            removed_at: about.at,
          },
        ];
      }),
  );
  return entries ?? [];
}

/** Returns what is known of an item; `undefined` if the item or the note is missing, or if the note was changed. */
function aboutOf(own: string): About | undefined {
  try {
    lstatSync(`${own}/${ITEM}`);
    const about = JSON.parse(readFileSync(`${own}/${ABOUT}`, 'utf8')) as About;
    const isSound =
      Array.isArray(about.components) &&
      about.components.length > 0 &&
      about.components.every(
        (name) => typeof name === 'string' && !/[/\u0000]/.test(name) && !/^\.{0,2}$/.test(name),
      ) &&
      about.components[0] !== OWN_FOLDER &&
      typeof about.at === 'string';
    return isSound ? about : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const idsIn = (root: FilesRoot): string[] => lookIntoOwnFolder(root, TRASH, readIds) ?? [];

const readIds = (trash: number): string[] => readdirSync(entryPath(trash, '')).filter((name) => ID.test(name));

function expired(root: FilesRoot, keptMs: number): string[] {
  return idsIn(root).filter((id) => Date.now() - removalTime(id) > keptMs);
}

/** The first part of an id; see `remove`. */
const removalTime = (id: string): number => Number.parseInt(id, 36);

const missing = () => fail.file_not_found('the trash does not hold this any more');

function assertId(id: string): void {
  if (!ID.test(id)) throw fail.file_not_found('the trash has no such item');
}
