import type { Readable } from 'node:stream';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import { PART_BYTES } from '../../../kernel/kit/restic/questions.ts';
import { runRestic } from '../../../kernel/kit/restic/run-restic.ts';
import { pathIn, type SnapshotPath } from '../../../kernel/kit/restic/snapshot.ts';
import { findEntries } from './snapshot-entries.ts';

/** Tells the service about a file, and then sends it the content. Errors: 404 `file_not_found`, those of `findEntries`. */
export default async function read(at: SnapshotPath, { ask }: JobContext): Promise<null> {
  const { self } = await findEntries(at, { ask }, Infinity);
  if (self?.kind !== 'file') throw fail.file_not_found('the backup has no such file');
  await ask({ file: self });
  const send = async (output: Readable) => {
    for await (const chunk of output as AsyncIterable<Buffer>)
      for (let from = 0; from < chunk.length; from += PART_BYTES)
        await ask({ content: true }, chunk.subarray(from, from + PART_BYTES));
  };
  await runRestic(at.setup, ['dump', at.snapshot, pathIn(at.components)], { ask }, { onOutput: send });
  return null;
}
