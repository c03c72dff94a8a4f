import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Gives what plugins made in the files root of an account to the owner of that root. The account is new and nobody has
 * logged in, so that nobody exchanges a folder meanwhile.
 */
export async function giveFiles(root: string): Promise<void> {
  const owner = await lstat(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error; // no plugin made files
  });
  if (owner === undefined || owner.uid === process.geteuid?.()) return;
  for (const path of await readdir(root, { recursive: true })) await lchown(join(root, path), owner.uid, owner.uid);
}
