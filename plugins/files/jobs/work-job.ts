import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { discardWork } from './work.ts';

/** Removes what a task that did not end well has made. */
export default async function work({ discard }: { readonly discard: string }, { root }: JobContext): Promise<null> {
  await discardWork(root, [discard]);
  return null;
}
