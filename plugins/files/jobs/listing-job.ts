import { closeSync } from 'node:fs';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { clientPath, isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import { listFolders } from './listing.ts';
import { openFolder } from './place.ts';
import type { FilesConfig, FolderList } from '../schema.ts';

interface ListingInput {
  readonly components: readonly string[];
  readonly virtualRoot: string;
  readonly limits: Pick<FilesConfig, 'max_folders' | 'max_entries'>;
}

/** Errors: 404 `folder_not_found`. */
export default function list({ components, virtualRoot, limits }: ListingInput, { root }: JobContext): FolderList {
  const path = clientPath(components, virtualRoot);
  const folder = openFolder(root, components);
  if (folder === undefined) return { path, folders: [], truncated: false };
  try {
    const { folders, truncated } = listFolders(folder, path, limits);
    return { path, folders: folders.filter(({ name }) => !isOwnFolder([...components, name])), truncated };
  } finally {
    closeSync(folder);
  }
}
