import { chmodSync, fstatSync, mkdirSync } from 'node:fs';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import { withEntrySync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { Entry } from '../schema.ts';
import { readEntry } from './entry.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { inFolder, moveEntry, type EntryPlace } from '../../../kernel/kit/files/unfinished/place.ts';

export type ChangeInput =
  | { readonly change: 'make folder'; readonly components: readonly string[] }
  | { readonly change: 'move'; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly change: 'mode'; readonly components: readonly string[]; readonly mode: number };

const FOLDER_MODE = 0o755;

/** Errors: 404 `file_not_found`, `folder_not_found`, 409 `file_exists`, 507 `no_space`. */
export default function change(input: ChangeInput, { root }: JobContext): Entry {
  switch (input.change) {
    case 'make folder':
      return inFolder(root, input.components, ({ name, path }) => {
        clearly(() => mkdirSync(path, { mode: FOLDER_MODE }), 'folder');
        return readEntry(name, path);
      });
    case 'move':
      return inFolder(root, input.from, (from) =>
        inFolder(root, input.to, (to) => {
          moveEntry(from, to);
          return readEntry(to.name, to.path);
        }),
      );
    case 'mode':
      return inFolder(root, input.components, (place) => setMode(place, input.mode));
  }
}

/** Changes the entry itself: a link that takes its place is not followed. */
function setMode({ folder, name, path }: EntryPlace, mode: number): Entry {
  changeMode(path, mode);
  return readEntry(name, entryPath(folder, name) as string);
}

/** Errors: 404 `file_not_found`, also for a link, which has no mode. */
export function changeMode(path: string | Buffer, mode: number): void {
  const change = (descriptor: number) => {
    if (fstatSync(descriptor).isSymbolicLink()) throw fail.file_not_found('a link has no mode');
    chmodSync(`/proc/self/fd/${descriptor}`, mode);
  };
  clearly(() => withEntrySync(path, change), 'file');
}
