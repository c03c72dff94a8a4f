import { fail } from '../../errors.ts';
import { STATUS_LINES } from './problem-details.ts';
import type { Stream } from '../../contract/reply.ts';
import { nextRequestId, REQUEST_ID_BYTES, writeNextRequestId } from '../request-id.ts';
import type { UwsResponse } from '../uws.ts';

/** Names and values, in the order in which they are written. */
export type Headers = readonly (readonly [string, string])[];

/** The default Cache-Control: replies are private to their account, so no cache may store them. */
const NO_STORE = ['Cache-Control', 'no-store'] as const;
/** Names the request in problems and in the log, too. */
const REQUEST_ID = 'X-Request-Id';
/** Sent with every reply. */
const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'] as const;
/** uWebSockets.js would send control characters, and what a text beyond ASCII becomes depends on the version of Node.js. */
const NOT_ASCII = /[^ -~]/;
const CONTENT_TYPE = Buffer.from('Content-Type');
/** The most bytes of one reply, which the server holds as a whole. Routes page their lists or bound them otherwise. */
const REPLY_LIMIT_BYTES = 16 * 1024 * 1024;
/** The number of media types whose heads are cached; the product has about ten. */
const HEADS_KEPT = 64;

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
  /** The id of the request, if anybody knows it; otherwise it gets one. */
  readonly requestId: string | undefined;
}

/** Writes a whole reply. Throws before that on headers that are not printable ASCII, and 507 `reply_too_large`. */
export function write(
  res: UwsResponse,
  status: number,
  { type, headers, body }: Content,
  { isHead, additions, close, requestId }: WriteOptions,
): void {
  assertHeaders(type, headers);
  assertSize(body);
  writeHead(res, status, type, headers, additions, requestId);
  if (isHead) {
    res.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    res.endWithoutBody();
  } else if (status === 304 || (status === 204 && !close)) res.endWithoutBody();
  else res.end(utf8(body), close);
}

/** Writes the head of a stream, which nginx then does not buffer; the stream itself writes the rest. */
export function writeStreamHead(
  res: UwsResponse,
  { type, status, headers }: Stream,
  additions: Headers | undefined,
  requestId: string,
): void {
  assertHeaders(type, headers);
  writeHead(res, status, type, headers, additions, requestId);
  res.writeHeader('X-Accel-Buffering', 'no');
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
  requestId: string | undefined,
): void {
  if (status !== 200) res.writeStatus(STATUS_LINES[status] ?? String(status));
  if (headers.length === 0) res.writeHeader(CONTENT_TYPE, plainHead(type, requestId));
  else {
    if (status !== 204) res.writeHeader('Content-Type', type);
    writeHeaders(res, headers);
    res.writeHeader(REQUEST_ID, requestId ?? nextRequestId());
  }
  if (additions !== undefined) writeEach(res, additions);
}

const heads = new Map<string, Buffer>();

/**
 * Returns the value of Content-Type followed by the headers of every reply, of which the last one is the id of the request: one
 * call into uWebSockets.js, not four.
 */
function plainHead(type: string, requestId: string | undefined): Uint8Array {
  let head = heads.get(type);
  if (head === undefined) {
    const lines = [type, NO_STORE.join(': '), NO_SNIFF.join(': '), `${REQUEST_ID}: ${'0'.repeat(REQUEST_ID_BYTES)}`];
    head = Buffer.from(lines.join('\r\n'));
    if (heads.size < HEADS_KEPT) heads.set(type, head);
  }
  if (requestId === undefined) writeNextRequestId(head, head.length - REQUEST_ID_BYTES);
  else head.write(requestId, head.length - REQUEST_ID_BYTES, 'latin1');
  return head;
}

/** Writes a reply's own headers, and those of every reply. */
function writeHeaders(res: UwsResponse, headers: Headers): void {
  writeEach(res, headers);
  if (!headers.some(([name]) => name === NO_STORE[0])) res.writeHeader(NO_STORE[0], NO_STORE[1]);
  res.writeHeader(NO_SNIFF[0], NO_SNIFF[1]);
}

function writeEach(res: UwsResponse, headers: Headers): void {
  for (const [name, value] of headers) res.writeHeader(name, value);
}

function assertSize(body: string | Uint8Array): void {
  // A character has up to three bytes; only long texts are counted.
  if (body.length * 3 > REPLY_LIMIT_BYTES && Buffer.byteLength(body) > REPLY_LIMIT_BYTES)
    throw fail.reply_too_large(`the reply exceeds ${REPLY_LIMIT_BYTES} bytes: ask for a part of it`);
}

/** Returns text that is not ASCII as UTF-8: uWebSockets.js may write it as Latin-1. Counting is cheaper than converting. */
export function utf8(text: string | Uint8Array): string | Uint8Array {
  return typeof text === 'string' && Buffer.byteLength(text) !== text.length ? Buffer.from(text) : text;
}

/** Throws unless all is printable ASCII. Called before the first write, so that an error reply can still be sent instead. */
function assertHeaders(type: string, headers: Headers): void {
  if (!heads.has(type) && NOT_ASCII.test(type)) throw new Error('the media type of a reply is not printable ASCII');
  for (const [name, value] of headers)
    if (NOT_ASCII.test(name) || NOT_ASCII.test(value))
      throw new Error(`the reply header ${JSON.stringify(name)} is not printable ASCII`);
}
