import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { removeTree } from '../../../kernel/kit/jobs/remove-tree.ts';
import { fail } from '../errors.ts';

/** Removes what a restoration that was killed has made. */
export default async function work({ discard }: { readonly discard: string }, { root }: JobContext): Promise<null> {
  await discardWork(root, discard);
  return null;
}

/** Errors: 503 `files_unavailable` if something stays. */
export async function discardWork(root: FilesRoot, name: string): Promise<void> {
  let folder: Folder;
  try {
    folder = await Folder.open(root, [OWN_FOLDER, 'work']);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const { problem } = await removeTree(folder, name).finally(() => folder.close());
  if (problem !== undefined) throw fail.files_unavailable(`not all could be removed: ${problem}`);
}
