import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import { measureEach } from './du.ts';

interface Input {
  readonly components: readonly string[];
  readonly command: string;
  readonly timeoutMs: number;
  /** The most folders by bytes, and as many by names. */
  readonly most: number;
}
/** The size on disk, and the number of files and folders. */
export interface FolderUsage {
  readonly bytes: number;
  readonly inodes: number;
}
interface Measurement {
  /** Zeros for the root of an account that has no files yet. */
  readonly total: FolderUsage;
  readonly folders: readonly (FolderUsage & { readonly name: string })[];
  /** Complaints of `du` about files that it could not measure. */
  readonly skipped: string;
}

/**
 * Measures a folder and the folders in it, of which the largest are returned, and those with the most names. Errors: 404
 * `folder_not_found`, 503.
 */
export default async function measureFolders(
  { components, command, timeoutMs, most }: Input,
  { root }: JobContext,
): Promise<Measurement> {
  const folder = await Folder.find(root, components);
  if (folder === undefined) return { total: { bytes: 0, inodes: 0 }, folders: [], skipped: '' };
  let skipped = '';
  const options = { command, timeoutMs, onSkipped: (text: string) => (skipped = text) };
  try {
    const bytes = await measureEach(folder, 'bytes', options);
    const inodes = await measureEach(folder, 'inodes', options);
    const usage = (name: string) => ({ bytes: bytes.get(name) ?? 0, inodes: inodes.get(name) ?? 0 });
    const first = (of: ReadonlyMap<string, number>) =>
      [...of.keys()]
        .filter((name) => isNamed(name, components))
        .toSorted((a, b) => (of.get(b) ?? 0) - (of.get(a) ?? 0))
        .slice(0, most);
    const names = new Set([...first(bytes), ...first(inodes)]);
    return { total: usage(''), folders: [...names].map((name) => ({ name, ...usage(name) })), skipped };
  } finally {
    await folder.close();
  }
}

/** Whether a client's path can lead to a folder; `du` prints what is not UTF-8 with replacement characters here. */
function isNamed(name: string, parent: readonly string[]): boolean {
  return name !== '' && !/[\u0000-\u001f\u007f\ufffd]/.test(name) && !isOwnFolder([...parent, name]);
}
