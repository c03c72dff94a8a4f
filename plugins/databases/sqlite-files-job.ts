import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { entryName } from '../../kernel/kit/files/client-path.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import { isMissing } from '../../kernel/kit/files/files-root.ts';
import type { Database } from './account-databases.ts';

const FILE = /\.(sqlite3?|db)(-wal)?$/i;
/** SQLite's write-ahead log beside a file counts as part of the database. */
const WAL = '-wal';
/** Further files of an account are not listed. */
const MAX_FILES = 10_000;

/** Returns the SQLite files in a folder, in no particular order; none if there is no such folder. */
export default async function listFiles(folderName: string, { root }: JobContext): Promise<Database[]> {
  try {
    const folder = await Folder.open(root, [folderName]);
    try {
      return await readFiles(folder);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readFiles(folder: Folder): Promise<Database[]> {
  const names = new Set<string>();
  for await (const entry of folder.scan()) {
    const name = entryName(entry.name);
    if (name !== undefined && FILE.test(name)) names.add(name);
    if (names.size === MAX_FILES) break;
  }
  const found: Database[] = [];
  for (const name of names) {
    if (name.endsWith(WAL)) continue;
    const sizeBytes = await sizeOf(folder, name);
    const walBytes = names.has(name + WAL) ? await sizeOf(folder, name + WAL) : 0;
    if (sizeBytes !== undefined) found.push({ name, sizeBytes: sizeBytes + (walBytes ?? 0) });
  }
  return found;
}

/** Returns `undefined` for a file that is gone, and for anything but a regular file. */
async function sizeOf(folder: Folder, name: string): Promise<number | undefined> {
  try {
    const stats = await folder.statEntry(name);
    return stats.isFile() ? stats.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
