import { randomUUID } from 'node:crypto';
import { assertRoom, type Room } from '../../../kernel/areas/files/free-room.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { pathComponents } from '../../../kernel/kit/files/client-path.ts';
import { UnfinishedFiles } from '../../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { fail } from '../errors.ts';
import type { BatchedFile, BatchResult } from '../schema.ts';
import { readParts } from './parts.ts';

export interface BatchInput {
  /** Of the request, whose body comes with the job. */
  readonly contentType: string;
  readonly virtualRoot: string;
  /** Within the plan. */
  readonly free: Room;
}

/** Writes the files of a request, each as a whole. Errors: 400 for a body that has another form, 507 `no_space` for all together. */
export default async function writeBatch(
  { contentType, virtualRoot, free }: BatchInput,
  { root, bytes: body }: JobContext,
): Promise<BatchResult[]> {
  const files = await readParts(body, contentType);
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0);
  assertRoom({ bytes, names: files.length }, free, fail.no_space);
  const unfinished = new UnfinishedFiles(root);
  const results: BatchResult[] = [];
  for (const { content, ...file } of files)
    results.push(write(unfinished, file, Buffer.from(await content.arrayBuffer()), virtualRoot));
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
    const target = { components, expected: overwrite ? 'anything' : 'nothing' } as const;
    unfinished.write(randomUUID(), target, content, () => undefined);
    return { path, error: null, detail: null };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { path, error: error.code, detail: error.message };
  }
}
