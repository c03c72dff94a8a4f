/** Bytes on their way from one end to another. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

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
