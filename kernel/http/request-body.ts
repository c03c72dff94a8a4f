import { fail } from '../errors.ts';
import type { UwsRequest, UwsResponse } from './uws.ts';

const CONTENT_LENGTH = Buffer.from('content-length');
const TRANSFER_ENCODING = Buffer.from('transfer-encoding');

/** Whether a request has a body, as far as its headers say. */
export type Framing = 'none' | 'body' | 'ambiguous';

/**
 * Returns `ambiguous` if two parsers could disagree on where the body ends, which allows request smuggling (RFC 9112, 6.3): for
 * two lengths, a length and a transfer coding, or a coding other than `chunked`. uWebSockets.js takes the first length, and any
 * coding that ends in `chunked`.
 */
export function readFraming(req: UwsRequest): Framing {
  const length = req.getHeader(CONTENT_LENGTH);
  if (length === '' && req.getHeader(TRANSFER_ENCODING) === '') return 'none';
  const framings: string[] = [];
  req.forEach((name, value) => {
    if (name === 'content-length') framings.push('length');
    if (name === 'transfer-encoding') framings.push(value.toLowerCase());
  });
  if (framings.length > 1 || (framings[0] !== 'length' && framings[0] !== 'chunked')) return 'ambiguous';
  return length === '0' ? 'none' : 'body';
}

/** Resolves with the body. Errors: 413 `body_too_large` once its announced or received size exceeds the limit. */
export function collect(
  res: UwsResponse,
  signal: AbortSignal,
  limitBytes: number,
  announcedBytes: number,
): Promise<Uint8Array> {
  const body = new Promise<Uint8Array>((resolve, reject) => {
    const tooLarge = () => reject(fail.body_too_large(`the body exceeds the limit of ${limitBytes} bytes`));
    const chunks: Buffer[] = [];
    let size = 0;
    if (announcedBytes > limitBytes) tooLarge();
    signal.addEventListener('abort', () => reject(new Error('the client disconnected')), { once: true });
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > limitBytes || announcedBytes > limitBytes) return tooLarge();
      chunks.push(Buffer.from(chunk.slice(0))); // uWS reuses its memory once this handler returns
      if (isLast) resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
  });
  body.catch(() => undefined); // nobody awaits the body of a rejected request; its failure must not end the process
  return body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body. Errors: 400 `invalid_json` for anything but UTF-8 JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    throw fail.invalid_json('the body could not be read as UTF-8 JSON', { cause });
  }
}
