import { closeSync, constants, fstatSync, fsyncSync, openSync } from 'node:fs';
import { openPathSync } from '../../../kernel/kit/files/safe-folder-sync.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { assertThere } from '../jobs/place.ts';
import { Tally, type TallyLimits } from '../jobs/tally.ts';
import { inWork } from '../jobs/work.ts';
import type { Format } from './formats.ts';
import { startPacking } from './packing.ts';

interface CompressInput {
  readonly folder: readonly string[];
  readonly names: readonly string[];
  readonly to: readonly string[];
  readonly format: Format;
  readonly work: string;
  readonly limits: TallyLimits;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Packs entries of a folder into an archive of a name that nothing has. Errors: 404 `file_not_found`, `folder_not_found`, 409
 * `file_exists`, 422 `task_too_large`, 507 `no_space`.
 */
export default async function compress(input: CompressInput, { root, report }: JobContext) {
  const { names, to, format, work, limits } = input;
  const tally = new Tally(limits, report);
  const folder = clearly(() => openPathSync(root, input.folder), 'folder');
  try {
    for (const name of names) {
      assertThere(folder, name);
      await tally.addName(1);
    }
    return await inWork(root, { work, to }, async ({ path }) => {
      const file = clearly(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644), 'file');
      try {
        const count = (bytes: number) => tally.addBytes(bytes, fstatSync(file).size);
        await startPacking(folder, names, format, { count, stdout: file }).ended;
        clearly(() => fsyncSync(file), 'file');
        return tally.counted;
      } finally {
        closeSync(file);
      }
    });
  } finally {
    closeSync(folder);
  }
}
