import { removeFromOwnFolder } from '../../kit/files/own-folder.ts';
import type { JobContext } from '../../kit/jobs/job.ts';

/** Removes what a task that did not end well has made; see `discardWork`. */
export default async function discard({ task }: { readonly task: string }, { root }: JobContext): Promise<null> {
  await removeFromOwnFolder(root, 'work', [task]);
  return null;
}
