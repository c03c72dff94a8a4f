import { writeAll } from '../waiting/byte-streams.ts';
import { startPiped } from '../programs/piped-program.ts';
import { findProgram } from '../programs/start-program.ts';

const PROGRAM = 'zstd';
type Transform = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>;

/**
 * Returns what passes bytes through Debian's `zstd`. It rejects with what fails in them, and 503 `files_unavailable`. Throws `ENOENT` if
 * the program is not installed.
 */
export const zstdCompressor = (): Transform => passing(['-qc', '-1']); // the fastest level

/** As `zstdCompressor`. The program takes 128 MiB of memory at most, and refuses what would need more. */
export const zstdDecompressor = (): Transform => passing(['-qdc']);

function passing(options: readonly string[]): Transform {
  const program = findProgram(PROGRAM);
  return async function* (chunks) {
    const { stdin, stdout, ended, stop } = startPiped(program, options);
    if (stdin === null || stdout === null) throw new Error('the program has no pipes');
    const written = writeAll(stdin, chunks);
    written.catch(stop);
    try {
      yield* stdout as AsyncIterable<Buffer>;
      await written;
      await ended;
    } finally {
      stop();
    }
  };
}
