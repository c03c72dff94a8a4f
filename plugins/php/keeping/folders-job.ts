import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';

/** Makes folders below the files root that PHP writes to. */
export default async function makeFolders(
  folders: readonly (readonly string[])[],
  { root }: JobContext,
): Promise<void> {
  for (const components of folders) await (await Folder.make(root, components)).close();
}
