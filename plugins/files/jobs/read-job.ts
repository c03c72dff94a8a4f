import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { WithBytes, type JobContext } from '../../../kernel/kit/jobs/job.ts';
import type { Entry } from '../schema.ts';
import { fileEtag } from '../../../kernel/kit/files/unfinished/file-etag.ts';
import { toEntry } from './entry.ts';
import { fail } from '../errors.ts';
import { clearly } from '../../../kernel/kit/files/file-errors.ts';
import { inFolder } from '../../../kernel/kit/files/unfinished/place.ts';

interface ReadInput {
  readonly components: readonly string[];
  /** The bytes to read, of the file with this ETag; without it, none are read. */
  readonly part?: { readonly offset: number; readonly sizeBytes: number; readonly etag: string };
}

/** Blocks for no pipe, and follows no link. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Returns what a regular file is, or bytes of it. Errors: 404 `file_not_found`, 412 `file_changed` for another ETag. */
export default function read({ components, part }: ReadInput, { root }: JobContext): Entry | WithBytes {
  return inFolder(root, components, ({ name, path }) => {
    const file = clearly(() => openSync(path, FLAGS), 'file');
    try {
      const stats = fstatSync(file, { bigint: true });
      if (!stats.isFile()) throw fail.file_not_found('there is no such regular file');
      if (part === undefined) return toEntry(name, stats);
      if (fileEtag(stats) !== part.etag) throw fail.file_changed('the file was changed while it was read');
      const bytes = Buffer.allocUnsafe(part.sizeBytes);
      const length = readSync(file, bytes, 0, part.sizeBytes, part.offset);
      if (length < part.sizeBytes) throw fail.file_changed('the file became shorter while it was read');
      return new WithBytes(bytes, null);
    } finally {
      closeSync(file);
    }
  });
}
