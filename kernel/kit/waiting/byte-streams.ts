/** Bytes on their way from one end to another. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Whether bytes that `gunzipped` read were not what they began as. */
export const isGzipFailure = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

/** Decompresses what begins as gzip does, and passes on the rest. */
export async function* gunzipped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let first: Uint8Array = new Uint8Array();
  while (first.length < GZIP.length) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    first = Buffer.concat([first, value]);
  }
  const all = startingWith(first, { [Symbol.asyncIterator]: () => chunks });
  if (!GZIP.equals(first.subarray(0, GZIP.length))) return yield* all;
  const gunzip = createGunzip();
  pipeline(all, gunzip).catch(() => undefined); // who reads from it gets the error
  yield* gunzip;
}

/** Passes on at most so many bytes; then rejects with `tooMuch()`. */
export async function* boundedBytes(
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
  tooMuch: () => Error,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw tooMuch();
    yield chunk;
  }
}

/**
 * Writes as fast as a program reads from its input, and ends that. Resolves with whether all was written: a program that ends
 * says itself why. Rejects with errors of `chunks`.
 */
export async function writeAll(
  input: Writable,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const over = new AbortController();
  input.on('error', () => undefined).on('close', () => over.abort()); // the end of the program says why
  for await (const chunk of chunks) {
    if (input.destroyed) return false;
    if (!input.write(chunk)) await once(input, 'drain', { signal: over.signal }).catch(() => undefined); // it is closed
  }
  input.end();
  return true;
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
