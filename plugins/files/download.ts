import { matched } from '../../kernel/areas/etag-reply.ts';
import { reply, streamed, type Reply, type Stream } from '../../kernel/contract/reply.ts';
import { savedHeaders } from '../../kernel/kit/net/attachment.ts';
import type { WithBytes } from '../../kernel/kit/jobs/job.ts';
import { fail } from './errors.ts';
import type { Entry } from './schema.ts';

/** Bytes that one job reads, while those before are sent. */
const PART_BYTES = 1 << 20;
const TYPE = 'application/octet-stream';

/** Reads bytes of the file that has this ETag. */
export type ReadPart = (offset: number, sizeBytes: number, etag: string) => Promise<WithBytes>;
interface Conditions {
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
}

/**
 * Returns a file as an attachment, because a page of a customer must not run at our address. `onEnd` is called once.
 * Errors: 416 `range_not_satisfiable`.
 */
export function download(entry: Entry, conditions: Conditions, read: ReadPart, onEnd: () => void): Stream | Reply {
  const { etag, size_bytes: size } = entry;
  const headers = {
    ETag: etag,
    'Last-Modified': new Date(entry.modified_at).toUTCString(),
    'Accept-Ranges': 'bytes',
    ...attachment(entry.name),
  };
  if (matched(conditions.ifNoneMatch, [etag]) !== undefined) {
    onEnd();
    return reply('', { type: TYPE, status: 304, headers });
  }
  const isSame = conditions.ifRange === '' || conditions.ifRange === etag;
  const range = isSame ? parseRange(conditions.range, size) : undefined;
  const { start, end } = range ?? { start: 0, end: size };
  const parts = readParts(start, end, (offset, sizeBytes) => read(offset, sizeBytes, etag));
  return streamed(TYPE, parts, {
    onEnd,
    sizeBytes: end - start,
    ...(range === undefined
      ? { headers }
      : { status: 206, headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${size}` } }),
  });
}

/** Returns the headers of what browsers save and never show. */
export function attachment(name: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'private, no-cache',
    ...savedHeaders(name),
  };
}

async function* readParts(
  start: number,
  end: number,
  read: (offset: number, sizeBytes: number) => Promise<WithBytes>,
): AsyncGenerator<Uint8Array> {
  const next = (offset: number) => (offset < end ? read(offset, Math.min(PART_BYTES, end - offset)) : undefined);
  for (let [part, offset] = [next(start), start]; part !== undefined;) {
    const { bytes } = await part;
    part = next((offset += PART_BYTES));
    part?.catch(() => undefined); // told when it is its turn, if it still is
    yield bytes;
  }
}

/**
 * Returns the one range that a client asks for (RFC 9110, section 14.1.2), `undefined` for the whole: for another unit, for
 * several ranges, and for what is no range. Errors: 416 `range_not_satisfiable`.
 */
export function parseRange(header: string, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= end)
    throw fail.range_not_satisfiable(`the file has ${size} bytes`, { headers: { 'Content-Range': `bytes */${size}` } });
  return { start, end };
}
