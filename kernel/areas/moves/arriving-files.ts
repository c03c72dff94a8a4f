/** The new home's side of files that move with an account. */
import { constants } from 'node:fs';
import { mkdir, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { defineErrors, fail as refuse } from '../../errors.ts';
import { formatSize } from '../../kit/format.ts';
import { readText } from '../../kit/verb-arguments.ts';
import { boundedBytes } from '../../kit/waiting/byte-streams.ts';
import type { Extent } from './tree-job.ts';

/** Bytes of a file that only grows, which follow those that came before. */
export interface FilePiece {
  /** How both ends call the file. */
  readonly name: string;
  readonly from: number;
  readonly bytes: number;
  /** When the file was written last, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Each plugin that moves files defines them as its own. */
export const MOVE_ERRORS = { move_refused: [409, 'Account cannot be moved'] } as const;
const fail = defineErrors(MOVE_ERRORS);

/** Stays free on the disk. */
const RESERVE_BYTES = 2 ** 28;
/** Space that stays free beside a tree: this part of its size, and a minimum. */
const SPARE_PART = 0.05;
const SPARE_BYTES = 64 * 2 ** 20;
const NUMBERS = /^\S+ \d{1,15} \d{1,15} \d{1,15}$/;

/** Makes a folder. Errors: 409 `move_refused` if its disk has no room for so many bytes of `what`. */
export async function assertRoom(folder: string, bytes: number, what: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE_BYTES)
    throw fail.move_refused(`there is no room for ${what}, ${formatSize(bytes)}: ${formatSize(free)} are free`);
}

/** Errors: 409 `move_refused` if there is no room for a tree. */
export function assertFits({ bytes, inodes }: Omit<Extent, 'exists'>, room: Omit<Extent, 'exists'>): void {
  if (room.bytes < bytes * (1 + SPARE_PART) + SPARE_BYTES || room.inodes < inodes * (1 + SPARE_PART))
    throw fail.move_refused(
      `there is no room for ${formatSize(bytes)} and ${inodes} inodes: ${formatSize(room.bytes)} and ${room.inodes} are free`,
    );
}

export const pieceText = ({ name, from, bytes, changedAt }: FilePiece): string =>
  [name, from, bytes, Math.floor(changedAt)].join(' ');

/** Reads what `pieceText` has made, from a node that may be in foreign hands. Errors: 400 `invalid_request` for another name. */
export function readPiece(text: string, pattern: RegExp): FilePiece {
  const [name = '', ...numbers] = readText(text, NUMBERS).split(' ');
  const [from = 0, bytes = 0, changedAt = 0] = numbers.map(Number);
  return { name: readText(name, pattern), from, bytes, changedAt };
}

/** Appends a piece to a file, which is made by the first one. Errors: 400 `invalid_request` for another piece than the next. */
export async function appendPiece(path: string, { from, bytes, changedAt }: FilePiece, body: Readable): Promise<void> {
  const wrong = () => refuse.invalid_request('other bytes of a file than announced');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
  try {
    for await (const chunk of boundedBytes(body, bytes, wrong)) await file.writeFile(chunk);
    if ((await file.stat()).size !== from + bytes) throw wrong();
    const at = new Date(Math.min(changedAt, Date.now()));
    await file.utimes(at, at);
    await file.sync();
  } finally {
    await file.close();
  }
}
