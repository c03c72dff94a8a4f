/** Packs the files of an account for another node: at first all, then what has changed since. */
import { open, rm } from 'node:fs/promises';
import { WithBytes, type JobContext } from '../../kit/jobs/job.ts';
import { readSome, type PipedProgram } from '../../kit/programs/piped-program.ts';
import { CREATE, startTar } from './tar.ts';

export type PackInput =
  /** `isFirst`: all files; otherwise what has changed since the archive before. */
  { readonly task: 'begin'; readonly isFirst: boolean } | { readonly task: 'read' };

export interface Packed {
  /** Whether the archive is over. */
  readonly isLast: boolean;
  /** Complaints of `tar` so far. */
  readonly complaint: string;
}

/** In the process's working folder, which is the account's: what `tar` knows of the archive before. */
const SNAPSHOT = 'snapshot';
const CHUNK_BYTES = 1 << 20;
/** How long a reader waits for more: `tar` looks at all folders before it writes. */
const WAIT_MS = 10_000;
/** `tar` goes on after errors, and has some wherever files come and go: what counts is whether all has arrived in the end. */
const ANY_ERROR = 2;
/** `tar` compares its own clock with times of files, which the kernel takes from one that ticks every few milliseconds. */
const EARLIER_SECONDS = 1;

const MORE: Packed = { isLast: false, complaint: '' };

let tar: PipedProgram | undefined;

/** The bytes are part of the archive, and none while `tar` writes nothing. */
export default async function pack(input: PackInput, { root }: JobContext): Promise<WithBytes<Packed>> {
  if (input.task === 'begin') {
    tar?.stop();
    await tar?.ended.catch(() => undefined); // or it would write its snapshot over the next one
    if (input.isFirst) await rm(SNAPSHOT, { force: true });
    else await setBack();
    tar = startTar(root.operatorPath, [...CREATE, `--listed-incremental=${SNAPSHOT}`, '.'], ANY_ERROR);
    tar.stdin?.end();
    return new WithBytes(Buffer.alloc(0), MORE);
  }
  const { stdout, ended } = tar ?? {};
  if (stdout === undefined || stdout === null) throw new Error('nothing is being packed');
  const bytes = await readSome(stdout, CHUNK_BYTES, WAIT_MS);
  if (bytes !== undefined) return new WithBytes(bytes, MORE);
  return new WithBytes(Buffer.alloc(0), { isLast: true, complaint: (await ended) ?? '' });
}

/** Sets the time back from which on `tar` takes files for changed, in the snapshot's first line but one. */
async function setBack(): Promise<void> {
  const file = await open(SNAPSHOT, 'r+');
  try {
    const { buffer } = await file.read(Buffer.alloc(100), 0, 100, 0);
    const [, head = '', seconds = ''] = /^(GNU tar-[\w.]+-2\n)(\d+)\0/.exec(buffer.toString('latin1')) ?? [];
    if (seconds === '') throw new Error('the snapshot of tar has an unknown format');
    await file.write(String(Number(seconds) - EARLIER_SECONDS), head.length);
  } finally {
    await file.close();
  }
}
