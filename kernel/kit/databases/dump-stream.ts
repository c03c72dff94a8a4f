import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Log } from '../../log.ts';

interface Dump {
  readonly database: string;
  /** Its statements. */
  readonly plain: AsyncGenerator<Buffer>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Calls `begun` with a database as a file of statements, which are compressed as they are read, and the headers of the reply, and resolves when it was sent or
 * broken off. Rejects with what fails before the first bytes.
 */
export async function sendDump(
  { database, plain, signal, log }: Dump,
  begun: (file: Readable, headers: Readonly<Record<string, string>>) => void,
): Promise<void> {
  const first = await plain.next(); // what fails at once is refused
  const gzip = createGzip({ level: constants.Z_BEST_SPEED }); // to keep up with the server
  begun(gzip, headersFor(database));
  await pipeline(startingWith(first, plain), gzip, { signal }).catch((err: unknown) => {
    if (!signal.aborted) log.warn({ err, database }, 'an export was broken off');
  });
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
