import { rename } from 'node:fs/promises';
import { assertRoom, type Room } from '../../../kernel/areas/files/free-room.ts';
import type { Counted } from '../../../kernel/areas/tasks/account-tasks.ts';
import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { removeFromOwnFolder } from '../../../kernel/kit/files/own-folder.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Merge, pathAt, statIfThere, type FolderEntry } from '../../../kernel/kit/restic/merge.ts';
import { fail } from '../errors.ts';
import { restoreInto, type SnapshotPath } from '../../../kernel/kit/restic/snapshot.ts';
import { measure } from './snapshot-entries.ts';

interface RestoreInput extends SnapshotPath {
  /** The name of its work. */
  readonly work: string;
  /** A path that nothing has; `null` to put all in its place. */
  readonly to: readonly string[] | null;
  /** Within the plan. */
  readonly free: Room;
}

/**
 * Restores a path of a snapshot into a folder that nobody looks at, and moves it to its place from there. Errors: 404
 * `file_not_found`, `folder_not_found`, 409 `file_exists`, 507 `no_space`, those of `runRestic`.
 */
export default async function restore(input: RestoreInput, context: JobContext): Promise<Counted> {
  const { components, to, work, free } = input;
  const { root } = context;
  const { isThere, files, bytes } = await measure(input, context);
  if (!isThere) throw fail.file_not_found('the backup has no such file or folder');
  assertRoom({ bytes, names: files }, free, fail.no_space);
  if (to !== null) await inPlace(root, to, assertFree);
  const folder = await Folder.make(root, [OWN_FOLDER, 'work', work]);
  try {
    const restored = await Folder.make(root, [OWN_FOLDER, 'work', work, 'restored']);
    try {
      await restoreInto(folder, input, components.length === 0 ? [] : [components], context);
      await put(restored, components, { folder, root, to });
    } finally {
      await restored.close();
    }
  } finally {
    await folder.close();
    await removeFromOwnFolder(root, 'work', [work]);
  }
  return { files, bytes, leftOut: 0 };
}

interface Target {
  /** Of the work. */
  readonly folder: Folder;
  readonly root: FilesRoot;
  readonly to: readonly string[] | null;
}

async function put(restored: Folder, components: readonly string[], { folder, root, to }: Target): Promise<void> {
  const merge = new Merge(folder);
  const [name, above] = [components.at(-1), components.slice(0, -1)];
  if (name === undefined && to === null) {
    const top = await Folder.make(root, []);
    return merge.moveAll(restored, top).finally(() => top.close());
  }
  const source = name === undefined ? folder : await descend(restored, above);
  const from = { folder: source, name: name ?? 'restored' };
  try {
    if (to !== null) {
      await inPlace(root, to, async (place) => {
        await assertFree(place);
        await rename(pathAt(from), pathAt(place));
      });
    } else {
      const target = await makeFolder(root, above);
      await merge.move(from, { folder: target, name: from.name }).finally(() => target.close());
    }
  } finally {
    if (source !== folder) await source.close();
  }
}

async function descend(from: Folder, components: readonly string[]): Promise<Folder> {
  let folder = await from.folder('');
  for (const name of components) {
    const parent = folder;
    folder = await parent.folder(name).finally(() => parent.close());
  }
  return folder;
}

/** Calls back with the place of a path, in a folder that exists. Errors: 404 `folder_not_found`. */
async function inPlace(
  root: FilesRoot,
  path: readonly string[],
  work: (place: FolderEntry) => Promise<void>,
): Promise<void> {
  const folder = await Folder.find(root, path.slice(0, -1));
  if (folder === undefined) throw fail.folder_not_found('the account has no files');
  await work({ folder, name: path.at(-1) ?? '' }).finally(() => folder.close());
}

/** Errors: 404 `folder_not_found` if something else than a folder is in the way. */
async function makeFolder(root: FilesRoot, path: readonly string[]): Promise<Folder> {
  return Folder.make(root, path).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause;
    throw fail.folder_not_found('something else is where a folder was', { cause });
  });
}

async function assertFree(place: FolderEntry): Promise<void> {
  if ((await statIfThere(place)) !== undefined) throw fail.file_exists('there is something of this name');
}
