import { assertHeaders, writeEach, writeFixed, writeHeaders, type Headers } from './response-headers.ts';
import { STATUS_LINES } from './problem-details.ts';
import type { UwsResponse } from './uws-types.ts';

/** What an answer says; a `Reply` is one. */
export interface Content {
  readonly type: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

/** How it goes out, whatever is in it. */
export interface WriteOptions {
  readonly isHead: boolean;
  /** Headers that the configuration adds, where it does. */
  readonly additions: Headers | undefined;
  /** Ends the connection behind the answer. */
  readonly close: boolean;
}

/** The one writer of whole replies. A header that holds control bytes is refused, because uWebSockets.js would send them. */
export function write(
  res: UwsResponse,
  status: number,
  { type, headers, body }: Content,
  { isHead, additions, close }: WriteOptions,
): void {
  assertHeaders(headers);
  writeHead(res, status, type, headers, additions);
  if (isHead) {
    res.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    res.endWithoutBody();
  } else if (status === 304) res.endWithoutBody();
  else res.end(body, close);
}

/** The head of a stream, whose rest is written by the stream. */
export function writeStreamHead(
  res: UwsResponse,
  type: string,
  headers: Headers,
  additions: Headers | undefined,
): void {
  assertHeaders(headers);
  writeHead(res, 200, type, headers, additions);
}

/** An answer of headers alone. */
export function writeNothing(res: UwsResponse, headers: Headers): void {
  res.writeStatus(STATUS_LINES[204] ?? '204');
  writeHeaders(res, headers);
  res.endWithoutBody();
}

function writeHead(
  res: UwsResponse,
  status: number,
  type: string,
  headers: Headers,
  additions: Headers | undefined,
): void {
  if (status !== 200) res.writeStatus(STATUS_LINES[status] ?? String(status));
  res.writeHeader('Content-Type', type);
  if (headers.length === 0) writeFixed(res);
  else writeHeaders(res, headers);
  if (additions !== undefined) writeEach(res, additions);
}
