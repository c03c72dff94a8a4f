import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { inOwnFolder } from '../../../kernel/kit/files/own-folder.ts';
import { entryPath } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { Entry } from '../schema.ts';
import { etag, readEntry } from './entry.ts';
import { clearly, inFolder, placeIn, type Place } from './place.ts';

/** Conditions for an upload to take its place: anything, nothing, or the file with this ETag is there. */
export type Expected = 'anything' | 'nothing' | { readonly etag: string };
type Step =
  | { readonly step: 'begin'; readonly components: readonly string[]; readonly expected: Expected }
  | { readonly step: 'append'; readonly offset: number }
  | {
      readonly step: 'finish';
      readonly components: readonly string[];
      readonly expected: Expected;
      readonly sizeBytes: number;
    }
  | { readonly step: 'discard' };
/** A step of an upload; `upload` is its name, which nobody can guess. */
export type WriteInput = Step & { readonly upload: string };

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const MODE = 0o644;
/** Uploads that ended without a word, such as by a power failure, are removed when the account begins another. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * Takes an upload beside the account's files, and moves it to its place when it is complete: whoever reads there has the old
 * content or the new one. Errors: 404 `folder_not_found`, 409 `file_exists`, 412 `file_changed`, 507 `no_space`.
 */
export default function write(input: WriteInput, { root, bytes }: JobContext): Entry | null {
  return inOwnFolder(root, 'uploads', (uploads) => {
    const { path } = placeIn(uploads, input.upload);
    switch (input.step) {
      case 'begin':
        inFolder(root, input.components, (place) => assertExpected(place, input.expected));
        removeForgotten(uploads);
        closeSync(clearly(() => openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE), 'file'));
        return null;
      case 'append':
        return append(path, input.offset, bytes);
      case 'finish':
        return inFolder(root, input.components, (place) => finish(path, place, input));
      case 'discard':
        return removeUpload(path);
    }
  });
}

function append(path: string, offset: number, bytes: Buffer): null {
  const file = openSync(path, O_WRONLY | O_NOFOLLOW);
  try {
    for (let written = 0; written < bytes.length;)
      written += clearly(() => writeSync(file, bytes, written, bytes.length - written, offset + written), 'file');
    return null;
  } finally {
    closeSync(file);
  }
}

function finish(
  upload: string,
  place: Place,
  { expected, sizeBytes }: { readonly expected: Expected; readonly sizeBytes: number },
): Entry {
  const file = openSync(upload, O_WRONLY | O_NOFOLLOW);
  try {
    if (fstatSync(file).size !== sizeBytes) throw fail.file_changed('the upload was changed by somebody else');
    const before = assertExpected(place, expected);
    if (before !== undefined) fchmodSync(file, before.mode & 0o777);
    clearly(() => fsyncSync(file), 'file');
  } finally {
    closeSync(file);
  }
  clearly(() => {
    // a link takes no place that is taken since, which a rename would
    if (expected === 'nothing') linkSync(upload, place.path);
    else renameSync(upload, place.path);
  }, 'folder');
  if (expected === 'nothing') unlinkSync(upload);
  return readEntry(place.name, place.path);
}

/** Returns what is at the place, if it is a file. */
function assertExpected({ path }: Place, expected: Expected): { readonly mode: number } | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw fail.file_exists('a folder, or something else, has this name');
  if (expected === 'nothing' && stats !== undefined) throw fail.file_exists('there is a file of this name');
  if (typeof expected === 'object' && (stats === undefined || etag(stats) !== expected.etag))
    throw fail.file_changed('the file is not the one that If-Match names');
  return stats && { mode: Number(stats.mode) };
}

function removeForgotten(uploads: number): void {
  for (const name of readdirSync(entryPath(uploads, ''))) {
    const { path } = placeIn(uploads, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > FORGOTTEN_MS) removeUpload(path);
  }
}

function removeUpload(path: string): null {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return null;
}
