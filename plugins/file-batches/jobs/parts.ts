import { fail } from '../errors.ts';
import { MAX_FILES, type BatchedFile } from '../schema.ts';

interface FilePart extends BatchedFile {
  readonly content: Blob;
}

/** Resolves with the files of a request. Errors: 400 `invalid_request`. */
export async function readParts(bytes: Buffer, contentType: string): Promise<FilePart[]> {
  const form = await new Response(bytes, { headers: { 'Content-Type': contentType } })
    .formData()
    .catch((cause: unknown) => {
      throw fail.invalid_request('the body must be multipart/form-data', { cause });
    });
  const files = readFiles(form.get('files'));
  const contents = form.getAll('content').filter((part) => typeof part !== 'string');
  if (contents.length !== files.length)
    throw fail.invalid_request(`the body has ${contents.length} files, and ${files.length} paths`);
  return files.map((file, i) => ({ ...file, content: contents[i] as Blob }));
}

function readFiles(field: unknown): BatchedFile[] {
  const files = parsed(field);
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES || !files.every(isFile))
    throw fail.invalid_request(`files must be JSON: a list of 1 to ${MAX_FILES} objects with path and overwrite`);
  return files;
}

function parsed(field: unknown): unknown {
  try {
    return JSON.parse(String(field));
  } catch {
    return undefined; // refused as every other value that is no list
  }
}

function isFile(value: unknown): value is BatchedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { path, overwrite, ...rest } = value as Readonly<Record<string, unknown>>;
  const isKnown = overwrite === undefined || typeof overwrite === 'boolean';
  return typeof path === 'string' && isKnown && Object.keys(rest).length === 0;
}
