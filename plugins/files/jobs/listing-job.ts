import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { clientPath, isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { listFolders } from './listing.ts';
import type { FilesConfig, FolderList } from '../schema.ts';

interface ListingInput {
  readonly components: readonly string[];
  readonly virtualRoot: string;
  readonly limits: Pick<FilesConfig, 'max_folders' | 'max_entries'>;
}

export default async function list(
  { components, virtualRoot, limits }: ListingInput,
  { root }: JobContext,
): Promise<FolderList> {
  const path = clientPath(components, virtualRoot);
  const folder = await Folder.find(root, components);
  if (folder === undefined) return { path, folders: [], truncated: false };
  try {
    const { folders, truncated } = await listFolders(folder, path, limits);
    return { path, folders: folders.filter(({ name }) => !isOwnFolder([...components, name])), truncated };
  } finally {
    await folder.close();
  }
}
