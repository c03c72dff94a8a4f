import { fail } from '../../kernel/errors.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';

/** Rejects with 404 `folder_not_found` unless the path leads to a folder without a link. */
export default async function assertFolder(components: readonly string[], { root }: JobContext): Promise<void> {
  const folder = await Folder.find(root, components);
  if (folder === undefined) throw fail.folder_not_found('the account has no files yet');
  await folder.close();
}
