import { rm } from 'node:fs/promises';
import { entryPath, Folder } from '../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { OWN_FOLDER, type Recipe } from './recipes.ts';

/**
 * Makes the folder of a service that does not run, which nobody else can enter, whoever may enter those above. Removes what
 * lies at the path of its socket: one that a killed program left, or what the customer has put there.
 */
export default async function makeFolder(
  { name, socket }: Pick<Recipe, 'name' | 'socket'>,
  { root }: JobContext,
): Promise<void> {
  const folder = await Folder.make(root, [OWN_FOLDER, name]);
  try {
    await folder.handle.chmod(0o700);
    await rm(entryPath(folder.handle.fd, socket), { recursive: true, force: true });
  } finally {
    await folder.close();
  }
}
