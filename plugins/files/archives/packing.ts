import { pipeline } from 'node:stream/promises';
import { fail, HttpError } from '../../../kernel/errors.ts';
import { startPiped, type PipedProgram } from '../../../kernel/kit/programs/piped-program.ts';
import { ENV, PROGRAMS, type Format } from './formats.ts';

/** In a folder that the process inherits, because its user need not reach it by its path. */
const INHERITED = 3;
/** Names are read as they are, and owners, which say nothing elsewhere, are left out. A second name of a file is a file. */
const CREATE = [
  ...['--create', '--format=gnu', '--file=-', '--owner=0', '--group=0', '--numeric-owner', '--hard-dereference'],
  ...[`--directory=/proc/self/fd/${INHERITED}`, '--null', '--verbatim-files-from', '--files-from=-'],
];
/** A file that changes or goes while it is read is no failure. */
const CHANGED = 1;

interface Packing {
  readonly output: PipedProgram;
  /** Resolves when all is packed. Rejects with 403 `permission_denied` for what the account may not read, or 503 `files_unavailable`. */
  readonly ended: Promise<unknown>;
  stop(): void;
}

/**
 * Packs entries of an open folder, by `tar`, which follows no link. `count` sees each part before it is packed, and may stop it
 * by rejecting. `stdout` is a descriptor instead of a pipe.
 */
export function startPacking(
  folder: number,
  names: readonly string[],
  format: Format,
  { count, stdout }: { readonly count?: (bytes: number) => Promise<void>; readonly stdout?: number } = {},
): Packing {
  const tar = startPiped('tar', CREATE, { inherited: [folder], worst: CHANGED });
  const { program, pack } = PROGRAMS[format];
  const output = startPiped(program, pack, { env: ENV, ...(stdout !== undefined && { stdout }) });
  if (tar.stdin === null || tar.stdout === null || output.stdin === null) throw new Error('the programs have no pipes');
  tar.stdin.end(names.map((name) => `${name}\0`).join(''));
  const counted = async function* (parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      await count?.(part.length);
      yield part;
    }
  };
  const stop = () => {
    tar.stop();
    output.stop();
  };
  // the program that failed says why, and not the pipe that broke
  const flow = pipeline(tar.stdout, counted, output.stdin).catch(async (error: NodeJS.ErrnoException) => {
    stop();
    if (error.syscall === undefined) throw error;
    await output.ended;
  });
  const ended = Promise.all([tar.ended, flow, output.ended]).catch((error: unknown) => {
    stop();
    throw isRefused(error) ? fail.permission_denied(error.message, { cause: error }) : error;
  });
  ended.catch(() => undefined); // for whoever asks
  return { output, ended, stop };
}

/** Programs speak English: see `startProgram`. */
const isRefused = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.message.includes(': Permission denied');
