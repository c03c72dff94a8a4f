/** Dumps on their way to customers, and from them. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Log } from '../../log.ts';
import { boundedBytes, gunzipped, isGzipFailure } from '../waiting/byte-streams.ts';
import { databaseFail } from './errors.ts';

interface Dump {
  readonly file: Readable;
  /** Of the reply. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Resolves with a database as a file of statements, which are compressed as they are read. `read` calls its argument with them, and a signal that
 * ends with what is left to read. Rejects with what fails before the first bytes.
 */
export function compressedDump(
  { database, log }: { readonly database: string; readonly log: Log },
  read: (use: (plain: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>) => Promise<void>,
): Promise<Dump> {
  return new Promise((resolve, reject) => {
    read(async (plain, signal) => {
      const first = await plain.next(); // what fails at once is refused
      const file = createGzip({ level: constants.Z_BEST_SPEED }); // to keep up with the server
      resolve({ file, headers: headersFor(database) });
      await pipeline(startingWith(first, plain), file, { signal }).catch((err: unknown) => {
        if (!signal.aborted) log.warn({ err, database }, 'an export was broken off');
      });
    }).catch(reject);
  });
}

/**
 * Returns the statements of a dump, which may be compressed with gzip. Errors: 422 `import_failed`, at once for a body that is announced as
 * too large, and later for one that is, or that is not whole.
 */
export function dumpText(
  body: AsyncIterable<Uint8Array> & { readonly sizeBytes: number | undefined },
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const tooMuch = () => databaseFail.import_failed(`a dump has at most ${limitBytes} bytes`);
  if ((body.sizeBytes ?? 0) > limitBytes) throw tooMuch();
  return readText(boundedBytes(gunzipped(body), limitBytes, tooMuch));
}

async function* readText(text: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* text;
  } catch (error) {
    if (!isGzipFailure(error)) throw error;
    throw databaseFail.import_failed('the file is not whole, or it is not compressed with gzip', { cause: error });
  }
}

const headersFor = (database: string) => ({
  'Cache-Control': 'private, no-store',
  'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(database).replaceAll("'", '%27')}.sql.gz`,
});

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
