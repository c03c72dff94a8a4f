import { isMissing } from '../../../../kernel/kit/files/files-root.ts';
import { Folder } from '../../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../../kernel/kit/jobs/job.ts';
import { writeAll } from '../../../../kernel/kit/waiting/byte-streams.ts';
import { CREATE, ownNames, startTar } from './tar.ts';

/** `tar` goes on after a file that it cannot read, and complains of it. */
const ANY_ERROR = 2;

/** Hands the files of an account to the caller, as a tar archive. Resolves with what could not be read; empty if all was. */
export default async function pack(_: null, { root, ask }: JobContext): Promise<string> {
  const folder = await Folder.openRoot(root).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (folder === undefined) return '';
  try {
    const names = (await ownNames(folder)).map((name) => Buffer.concat([name, Buffer.from([0])]));
    const tar = startTar(folder, CREATE, ANY_ERROR);
    if (tar.stdin === null || tar.stdout === null) throw new Error('tar has no pipes');
    try {
      const named = writeAll(tar.stdin, names);
      for await (const bytes of tar.stdout as AsyncIterable<Buffer>) await ask(null, bytes);
      await named;
      return await tar.ended;
    } finally {
      tar.stop();
    }
  } finally {
    await folder.close();
  }
}
