/** Reads and writes the headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload). */
import { isUtf8 } from 'node:buffer';
import { HttpError } from '../../kernel/errors.ts';
import { reply, type Reply } from '../../kernel/contract/reply.ts';
import type { Expected } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import { fail } from './errors.ts';
import { UPLOAD_TYPE, type Upload } from './schema.ts';

export const VERSION = '1.0.0';
const EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration', 'checksum'];
const ALGORITHMS = ['sha1', 'sha256'] as const;
/** All headers together have 4 KiB, if they arrive in parts. */
const METADATA_LENGTH = 2048;

/** The digest of a body, as its client announces it. */
export interface Checksum {
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly digest: Buffer;
}
/** The values that clients send with an upload. */
export interface Metadata {
  readonly path: string;
  readonly expected: Expected;
}

const RESUMABLE = { 'Tus-Resumable': VERSION };

export function options(maxBytes: number): Reply {
  const can = { 'Tus-Version': VERSION, 'Tus-Extension': EXTENSIONS.join(','), 'Tus-Max-Size': String(maxBytes) };
  return nothing({ ...can, 'Tus-Checksum-Algorithm': ALGORITHMS.join(',') });
}

/** Returns a reply of headers alone. */
export function nothing(headers: Readonly<Record<string, string>> = {}): Reply {
  return reply('', { status: 204, headers: { ...RESUMABLE, ...headers } });
}

/** Returns the headers that tell of an upload. `metadata` are told to those who ask, and not to those who send. */
export function headersFor({ offset_bytes: offset, size_bytes: size, expires_at: expires }: Upload, metadata?: string) {
  return {
    ...RESUMABLE,
    'Upload-Offset': String(offset),
    'Upload-Expires': new Date(expires).toUTCString(),
    ...(metadata !== undefined && { 'Upload-Length': String(size), 'Upload-Metadata': metadata }),
  };
}

/** Runs a handler, and names the version of the protocol with its errors. Errors: 412 `protocol_version`. */
export async function speaking<T>(version: string, handle: () => Promise<T>): Promise<T> {
  try {
    if (version !== VERSION)
      throw fail.protocol_version(`Tus-Resumable must be ${VERSION}`, { headers: { 'Tus-Version': VERSION } });
    return await handle();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { code, message, cause, headers, members } = error;
    throw new HttpError(code, message, { cause, headers: { ...RESUMABLE, ...headers }, ...(members && { members }) });
  }
}

/** Returns a number of bytes. Errors: 400 `invalid_request`. */
export function readCount(header: 'Upload-Length' | 'Upload-Offset', text: string): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(count)) throw fail.invalid_request(`${header} must be a number of bytes`);
  return count;
}

/** Errors: 415 `upload_type`. */
export function assertType(contentType: string): void {
  if (contentType.toLowerCase() !== UPLOAD_TYPE) throw fail.upload_type(`send the bytes as ${UPLOAD_TYPE}`);
}

/** Returns a checksum; `undefined` for none. Errors: 400 `invalid_request`. */
export function readChecksum(header: string): Checksum | undefined {
  if (header === '') return undefined;
  const [name, text = '', ...rest] = header.split(' ');
  const algorithm = ALGORITHMS.find((each) => each === name);
  const digest = Buffer.from(text, 'base64');
  const isWhole = digest.length === (algorithm === 'sha1' ? 20 : 32) && digest.toString('base64') === text;
  if (algorithm === undefined || !isWhole || rest.length > 0)
    throw fail.invalid_request(`Upload-Checksum must be ${ALGORITHMS.join(' or ')} and a digest in base64`);
  return { algorithm, digest };
}

/** Errors: 400 for what is no metadata, names nothing that we know how to hold, or names no path. */
export function readMetadata(header: string): Metadata {
  if (header.length > METADATA_LENGTH || /[^ -~]/.test(header))
    throw fail.invalid_request(`Upload-Metadata has at most ${METADATA_LENGTH} printable characters of ASCII`);
  const values = new Map<string, string>();
  for (const pair of header === '' ? [] : header.split(',')) {
    const [key = '', value = '', ...rest] = pair.trim().split(' ');
    const bytes = Buffer.from(value, 'base64');
    if (key === '' || rest.length > 0 || values.has(key) || bytes.toString('base64') !== value || !isUtf8(bytes))
      throw fail.invalid_request('Upload-Metadata must be keys, each once, with UTF-8 in base64');
    values.set(key, bytes.toString());
  }
  const path = values.get('path') ?? '';
  if (path === '') throw fail.invalid_request('Upload-Metadata must name the path of the file');
  return { path, expected: readExpected(values.get('overwrite')) };
}

function readExpected(overwrite = 'true'): Expected {
  if (overwrite === 'true') return 'anything';
  if (overwrite === 'false') return 'nothing';
  if (!/^"[!#-~]+"$/.test(overwrite)) throw fail.invalid_request('overwrite must be true, false or an ETag');
  return { etag: overwrite };
}
