import { removeFromOwnFolder } from '../../../kernel/kit/files/own-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';

/** Removes what a restoration that was killed has made. */
export default async function work({ discard }: { readonly discard: string }, { root }: JobContext): Promise<null> {
  await removeFromOwnFolder(root, 'work', [discard]);
  return null;
}
