import { UnfinishedFiles, type UploadTarget } from '../../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';

/** A step of uploads; `id` is the name of the file. */
export type UploadInput =
  | ({ readonly step: 'begin'; readonly id: string } & UploadTarget)
  | { readonly step: 'sizes'; readonly ids: readonly string[] }
  | { readonly step: 'append'; readonly id: string; readonly offset: number }
  | { readonly step: 'truncate'; readonly id: string; readonly sizeBytes: number }
  | ({ readonly step: 'finish'; readonly id: string; readonly sizeBytes: number } & UploadTarget)
  | { readonly step: 'discard'; readonly id: string };

/**
 * Returns the sizes in bytes for which `sizes` asks, `null` where there is no file. Errors: 409 `offset_mismatch`, and those
 * of `UnfinishedFiles`.
 */
export default function upload(input: UploadInput, { root, bytes }: JobContext): (number | null)[] {
  const files = new UnfinishedFiles(root);
  switch (input.step) {
    case 'begin':
      files.begin(input.id, input);
      break;
    case 'sizes':
      return input.ids.map((id) => files.size(id) ?? null);
    case 'append':
      if (files.size(input.id) !== input.offset)
        throw fail.offset_mismatch('somebody else changed the upload: ask where it is');
      files.append(input.id, input.offset, bytes);
      break;
    case 'truncate':
      files.truncate(input.id, input.sizeBytes);
      break;
    case 'finish':
      files.finish(input.id, input, () => null);
      break;
    case 'discard':
      files.discard(input.id);
      break;
  }
  return [];
}
