import { lstatSync, renameSync } from 'node:fs';
import { pathComponents } from '../../../kernel/kit/files/client-path.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import type { FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { forEachKept, keptAt, KeptItems, type KeptOutcome } from '../../../kernel/kit/files/kept-items/kept-items.ts';
import { inFolder, moveEntry } from '../../../kernel/kit/files/unfinished/place.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import type { Removed } from '../schema.ts';

export type TrashInput =
  | { readonly act: 'remove'; readonly paths: readonly (readonly string[])[] }
  | { readonly act: 'list' }
  | { readonly act: 'expire'; readonly keptMs: number }
  | { readonly act: 'restore'; readonly ids: readonly string[] };
export interface TrashOutput {
  /** The id of each path or id, in the order in which they were given. */
  readonly done: readonly KeptOutcome[];
  readonly removed: readonly Removed[];
  /** When the oldest of what an expiry leaves was removed, in milliseconds since 1970. */
  readonly oldestAt?: number;
}
interface Note {
  /** Where the entry was. */
  readonly components: readonly string[];
}

export const trashAt = (root: FilesRoot) => new KeptItems<Note>(root, 'trash', readNote);

/** Moves entries into the account's trash, and back. */
export default async function trash(input: TrashInput, { root }: JobContext): Promise<TrashOutput> {
  const items = trashAt(root);
  switch (input.act) {
    case 'remove':
      return {
        done: forEachKept(input.paths, (components) =>
          inFolder(root, components, ({ path }) => {
            clearly(() => lstatSync(path), 'file');
            return items.put({ components }, (place) => renameSync(path, place.path));
          }),
        ),
        removed: [],
      };
    case 'expire': {
      await items.remove(items.ids().filter((id) => Date.now() - keptAt(id) > input.keptMs));
      const left = items.ids().map(keptAt);
      return { done: [], removed: [], ...(left.length > 0 && { oldestAt: Math.min(...left) }) };
    }
    case 'list':
      return { done: [], removed: items.list().map(toRemoved) };
    case 'restore': {
      const restore = (id: string) => {
        items.take(id, (item, { components }) => inFolder(root, components, (place) => moveEntry(item, place)));
        return id;
      };
      return { done: forEachKept(input.ids, restore), removed: [] };
    }
  }
}

/** Checks what the account may have changed as the path of a request. */
function readNote(json: unknown): Note | undefined {
  const components = (json as Partial<Note> | null)?.components;
  if (!Array.isArray(components) || !components.every((name) => typeof name === 'string')) return undefined;
  const checked = pathComponents(components.join('/'), '');
  return checked.length > 0 ? { components: checked } : undefined;
}

const toRemoved = ({ id, at, note, stats }: ReturnType<KeptItems<Note>['list']>[number]): Removed => ({
  id,
  path: `/${note.components.join('/')}`,
  kind: stats.isDirectory() ? 'folder' : 'file',
  size_bytes: stats.isFile() ? stats.size : 0,
  removed_at: at,
});
