import type { EntryPlace } from '../../../kernel/kit/files/unfinished/place.ts';
import { UnfinishedFiles, type UploadTarget } from '../../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import type { Entry } from '../schema.ts';
import { readEntry } from './entry.ts';

type Step =
  | ({ readonly step: 'whole' } & UploadTarget)
  | ({ readonly step: 'begin' } & UploadTarget)
  | { readonly step: 'append'; readonly offset: number }
  | ({ readonly step: 'finish'; readonly sizeBytes: number } & UploadTarget)
  | { readonly step: 'discard' };
/** A step of an upload; `upload` is its name, which nobody can guess. */
export type WriteInput = Step & { readonly upload: string };

/** Takes an upload beside the account's files, and moves it to its place when it is complete. Errors: those of `UnfinishedFiles`. */
export default function write(input: WriteInput, { root, bytes }: JobContext): Entry | null {
  const files = new UnfinishedFiles(root);
  const read = ({ name, path }: EntryPlace) => readEntry(name, path);
  switch (input.step) {
    case 'whole':
      return files.write(input.upload, input, bytes, read);
    case 'begin':
      files.begin(input.upload, input);
      return null;
    case 'append':
      files.append(input.upload, input.offset, bytes);
      return null;
    case 'finish':
      return files.finish(input.upload, input, read);
    case 'discard':
      files.discard(input.upload);
      return null;
  }
}
