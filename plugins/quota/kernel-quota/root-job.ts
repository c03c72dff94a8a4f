import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';

interface RootOwner {
  /** The file system's device number. */
  readonly dev: number;
  readonly uid: number;
}

/** Returns file system and owner of the files root, or of its nearest existing parent. */
export default async function rootOwner(_: null, { root }: JobContext): Promise<RootOwner> {
  try {
    const folder = await Folder.openRoot(root);
    const { dev, uid } = await folder.stat().finally(() => folder.close());
    return { dev, uid };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { dev: await deviceOf(dirname(root.path)), uid: 0 }; // a parent's owner is not this account
  }
}

async function deviceOf(path: string): Promise<number> {
  try {
    return (await stat(path)).dev;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return deviceOf(dirname(path));
  }
}
