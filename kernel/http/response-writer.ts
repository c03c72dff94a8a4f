import { assertHeaders, writeEach, writeFixed, writeHeaders, type Headers } from './response-headers.ts';
import { STATUS_LINES } from './problem-details.ts';
import type { UwsResponse } from './uws-types.ts';

/** The content of an answer; a `Reply` is one. */
export interface Content {
  readonly type: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

/** How an answer is sent, independent of its content. */
export interface WriteOptions {
  readonly isHead: boolean;
  /** Headers that the configuration adds; `undefined` if it adds none. */
  readonly additions: Headers | undefined;
  /** Closes the connection after the answer. */
  readonly close: boolean;
}

/**
 * Writes a whole reply; nothing else does. Throws on control bytes in a header before writing anything, because
 * uWebSockets.js would send them.
 */
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

/** Writes the head of a stream; the stream itself writes the rest. */
export function writeStreamHead(
  res: UwsResponse,
  type: string,
  headers: Headers,
  additions: Headers | undefined,
): void {
  assertHeaders(headers);
  writeHead(res, 200, type, headers, additions);
}

/** Writes a 204 reply of headers alone. */
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
