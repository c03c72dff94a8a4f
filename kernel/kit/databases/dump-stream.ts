/** Dumps on their way to customers, and from them. */
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { Log } from '../../log.ts';
import { savedAs } from '../net/attachment.ts';
import { boundedBytes } from '../waiting/byte-streams.ts';
import { databaseFail } from './errors.ts';
import { zstdCompressor, zstdDecompressor } from './zstd.ts';

type Through = Duplex | ((chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>);
interface Format {
  readonly type: string;
  readonly ending: string;
  readonly magic: Buffer;
  compress(): Through;
  decompress(): Through;
}

/** How dumps are compressed: as they are read, and fast enough to keep up with the server. */
const FORMATS: Readonly<Record<string, Format>> = {
  gzip: {
    type: 'application/gzip',
    ending: 'gz',
    magic: Buffer.from([0x1f, 0x8b]),
    compress: () => createGzip({ level: constants.Z_BEST_SPEED }),
    decompress: () => createGunzip(),
  },
  zstd: {
    type: 'application/zstd',
    ending: 'zst',
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    compress: zstdCompressor,
    decompress: zstdDecompressor,
  },
};
export const DUMP_FORMATS = Object.keys(FORMATS);
export const DUMP_TYPES = Object.values(FORMATS).map(({ type }) => type);
const MAGIC_BYTES = Math.max(...Object.values(FORMATS).map(({ magic }) => magic.length));
/** The codes of zlib's errors, and that of a program that failed. */
const UNREADABLE = /^(?:Z_|files_unavailable$)/;

interface Dump {
  readonly file: Readable;
  readonly type: string;
  /** Of the reply. */
  readonly headers: Readonly<Record<string, string>>;
}
interface Dumped {
  readonly database: string;
  /** One of `DUMP_FORMATS`, by the schema of the request. */
  readonly format: string;
  readonly log: Log;
}

/**
 * Resolves with a database as a file of statements. `read` calls its argument with them, and a signal that ends with what is left to read.
 * Rejects with what fails before the first bytes.
 */
export function compressedDump(
  { database, format, log }: Dumped,
  read: (use: (plain: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>) => Promise<void>,
): Promise<Dump> {
  const found = FORMATS[format];
  if (found === undefined) throw new Error(`there is no format ${format}`);
  const { type, ending } = found;
  const headers = {
    'Cache-Control': 'private, no-store',
    'Content-Disposition': savedAs(`${database}.sql.${ending}`),
  };
  return new Promise((resolve, reject) => {
    read(async (plain, signal) => {
      const first = await plain.next(); // what fails at once is refused
      const file = new PassThrough();
      const compress = begun(() => found.compress());
      resolve({ file, type, headers });
      const all = first.done === true ? plain : startingWith(first.value, plain);
      await pipeline(all, compress, file, { signal }).catch((err: unknown) => {
        if (!signal.aborted) log.warn({ err, database }, 'an export was broken off');
      });
    }).catch(reject);
  });
}

/**
 * Returns the statements of a dump, which may be compressed in one of the formats. Errors: 422 `import_failed`, at once for a body that is
 * announced as too large, and later for one that is, or that is not whole.
 */
export function dumpText(
  body: AsyncIterable<Uint8Array> & { readonly sizeBytes: number | undefined },
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const tooMuch = () => databaseFail.import_failed(`a dump has at most ${limitBytes} bytes`);
  if ((body.sizeBytes ?? 0) > limitBytes) throw tooMuch();
  return boundedBytes(decompressed(body), limitBytes, tooMuch);
}

/** Decompresses what begins as one of the formats does, and passes on the rest. */
async function* decompressed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let first: Uint8Array = new Uint8Array();
  while (first.length < MAGIC_BYTES) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    first = Buffer.concat([first, value]);
  }
  const all = startingWith(first, { [Symbol.asyncIterator]: () => chunks });
  const isMagic = ({ magic }: Format) => magic.equals(first.subarray(0, magic.length));
  const [name, format] = Object.entries(FORMATS).find(([, each]) => isMagic(each)) ?? [];
  if (format === undefined) return yield* all;
  const text = new PassThrough();
  const decompress = begun(() => format.decompress());
  pipeline(all, decompress, text).catch(() => undefined); // who reads from it gets the error
  try {
    yield* text as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && UNREADABLE.test(String(error.code)))) throw error;
    throw databaseFail.import_failed(`the file is not whole, or it is not compressed with ${name}`, { cause: error });
  }
}

/** Errors: 503 `databases_unavailable` for a program that is not installed. */
function begun(begin: () => Through): Through {
  try {
    return begin();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw databaseFail.databases_unavailable('zstd is not installed on this server', { cause });
  }
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
