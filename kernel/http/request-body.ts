import { HttpError } from '../errors.ts';
import type { UwsRequest, UwsResponse } from './uws-types.ts';

/**
 * Whether a request could be read by two readers as bodies of different lengths (RFC 9112 6.3): with two lengths, a length
 * beside a transfer coding, or another coding than `chunked`. uWebSockets.js takes the first length, and any coding that
 * ends in `chunked`.
 */
export function isAmbiguous(req: UwsRequest): boolean {
  if (req.getHeader('content-length') === '' && req.getHeader('transfer-encoding') === '') return false;
  const framings: string[] = [];
  req.forEach((name, value) => {
    if (name === 'content-length') framings.push('length');
    if (name === 'transfer-encoding') framings.push(value.toLowerCase());
  });
  return framings.length > 1 || (framings[0] !== 'length' && framings[0] !== 'chunked');
}

/** The body once it is complete; refused as soon as it is, or says that it will be, over the limit. */
export function collect(
  res: UwsResponse,
  signal: AbortSignal,
  limitBytes: number,
  announcedBytes: number,
): Promise<Uint8Array> {
  const body = new Promise<Uint8Array>((resolve, reject) => {
    const tooLarge = () => reject(new HttpError('body_too_large', `a body here has at most ${limitBytes} bytes`));
    const chunks: Buffer[] = [];
    let size = 0;
    if (announcedBytes > limitBytes) tooLarge();
    signal.addEventListener('abort', () => reject(new Error('the client went away')), { once: true });
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > limitBytes || announcedBytes > limitBytes) return tooLarge();
      chunks.push(Buffer.from(chunk.slice(0))); // uWS takes its memory back when this returns
      if (isLast) resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
  });
  body.catch(() => undefined); // a request that is refused by its gate never asks for its body, and must not end the process
  return body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body; anything that is not UTF-8 JSON is 400 `invalid_json`. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    throw new HttpError('invalid_json', 'the body could not be read as UTF-8 JSON', { cause });
  }
}
