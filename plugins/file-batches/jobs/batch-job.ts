import { randomUUID } from 'node:crypto';
import { assertRoom } from '../../../kernel/contract/tasks/free-bytes.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { pathComponents } from '../../../kernel/kit/files/client-path.ts';
import { fileErrors } from '../../../kernel/kit/files/file-errors.ts';
import { UnfinishedFiles, type UploadTarget } from '../../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { BatchedFile, BatchResult } from '../schema.ts';
import { readParts } from './parts.ts';

export interface BatchInput {
  /** Of the request, whose body comes with the job. */
  readonly contentType: string;
  readonly virtualRoot: string;
  /** Bytes that the plan leaves free; `null` without a limit. */
  readonly freeBytes: number | null;
}

const { clearly } = fileErrors(fail);

/** Writes the files of a request, each as a whole. Errors: 400 for a body that has another form, 507 `no_space` for all together. */
export default async function writeBatch(
  { contentType, virtualRoot, freeBytes }: BatchInput,
  { root, bytes }: JobContext,
): Promise<BatchResult[]> {
  const { files, contents } = await readParts(bytes, contentType);
  const sizeBytes = contents.reduce((sum, { size }) => sum + size, 0);
  assertRoom(sizeBytes, freeBytes ?? undefined, fail.no_space);
  const unfinished = new UnfinishedFiles(root, { clearly, fail });
  const results: BatchResult[] = [];
  for (const [i, file] of files.entries()) {
    const content = Buffer.from((await contents[i]?.arrayBuffer()) ?? new ArrayBuffer(0));
    results.push(write(unfinished, file, content, virtualRoot));
  }
  return results;
}

function write(
  unfinished: UnfinishedFiles,
  { path, overwrite = true }: BatchedFile,
  content: Buffer,
  virtualRoot: string,
): BatchResult {
  try {
    const components = pathComponents(path, virtualRoot);
    writeWhole(unfinished, { components, expected: overwrite ? 'anything' : 'nothing' }, content);
    return { path, error: null, detail: null };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { path, error: error.code, detail: error.message };
  }
}

function writeWhole(unfinished: UnfinishedFiles, target: UploadTarget, content: Buffer): void {
  const name = randomUUID();
  unfinished.begin(name, target);
  try {
    unfinished.append(name, 0, content);
    unfinished.finish(name, { ...target, sizeBytes: content.length }, () => undefined);
  } catch (error) {
    unfinished.discard(name);
    throw error;
  }
}
