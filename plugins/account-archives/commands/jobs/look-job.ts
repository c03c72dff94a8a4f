import { Folder } from '../../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../../kernel/kit/jobs/job.ts';
import { ownNames } from './tar.ts';

/** Resolves with how many entries there are in the files root of an account. */
export default async function look(_: null, { root }: JobContext): Promise<number> {
  const folder = await Folder.openRoot(root);
  try {
    return (await ownNames(folder)).length;
  } finally {
    await folder.close();
  }
}
