/**
 * Tar files (POSIX ustar) of a few regular files. A package for this would bring links, owners and compression, all of which
 * a backup, or an account's archive, must refuse.
 */
import { readSync, writeSync } from 'node:fs';
import { writeAll } from '../atomic-file.ts';

const BLOCK = 512;
const CHUNK = 1024 * 1024;
const MODE = '0000600';
/** Larger sizes do not fit 11 octal digits; they are written as big-endian numbers after a byte 0x80, as GNU tar does. */
const OCTAL_LIMIT = 8 ** 11;
const CHECKSUM = { start: 148, end: 156 } as const;
const SIZE = { start: 124, end: 136 } as const;

export interface TarMember {
  readonly name: string;
  readonly sizeBytes: number;
  /** Where its content begins in the file. */
  readonly offset: number;
}

/** Writes a member at the end of an open file. `content` must yield as many bytes as the member has. */
export function writeTarMember(
  file: number,
  { name, sizeBytes }: Omit<TarMember, 'offset'>,
  content: Iterable<Buffer>,
): void {
  writeAll(file, headerOf(name, sizeBytes));
  for (const chunk of content) writeAll(file, chunk);
  writeAll(file, Buffer.alloc(paddingOf(sizeBytes)));
}

/** Begins a member at the end of an open file, of which `endTarMember` tells the size; its content is written in between. */
export function beginTarMember(file: number): void {
  writeAll(file, Buffer.alloc(BLOCK));
}

/** Ends a member that `beginTarMember` began at `offset` of an open file. */
export function endTarMember(file: number, { name, sizeBytes, offset }: TarMember): void {
  writeAll(file, Buffer.alloc(paddingOf(sizeBytes)));
  writeSync(file, headerOf(name, sizeBytes), 0, BLOCK, offset - BLOCK);
}

/** Writes the two empty blocks that end a tar file. */
export function endTar(file: number): void {
  writeAll(file, Buffer.alloc(2 * BLOCK));
}

/** Yields the members of an open file without reading their content. Throws unless it is a whole tar file of regular files. */
export function* tarMembers(file: number): Generator<TarMember> {
  for (let offset = 0; ;) {
    const header = Buffer.concat([...bytesOf(file, offset, BLOCK)]);
    if (header.every((byte) => byte === 0)) return;
    const member = { ...memberOf(header), offset: offset + BLOCK };
    yield member;
    offset = member.offset + member.sizeBytes + paddingOf(member.sizeBytes);
  }
}

/** Yields a part of an open file in chunks. Throws if the file ends before. */
export function* bytesOf(file: number, offset: number, sizeBytes: number): Generator<Buffer> {
  for (let done = 0; done < sizeBytes;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, sizeBytes - done));
    const count = readSync(file, chunk, 0, chunk.length, offset + done);
    if (count === 0) throw new Error('the file is cut off');
    done += count;
    yield chunk.subarray(0, count);
  }
}

function headerOf(name: string, sizeBytes: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long for a tar file`);
  header.write(name, 0);
  for (const [field, offset] of [
    [MODE, 100],
    ['0000000', 108],
    ['0000000', 116],
    [octal(Math.floor(Date.now() / 1000)), 136],
    ['0', 156],
    ['ustar\u000000', 257],
  ] as const)
    header.write(field, offset);
  if (sizeBytes < OCTAL_LIMIT) header.write(octal(sizeBytes), SIZE.start);
  else {
    header.writeUInt8(0x80, SIZE.start);
    header.writeBigUInt64BE(BigInt(sizeBytes), SIZE.end - 8);
  }
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM.start);
  return header;
}

function memberOf(header: Buffer): Omit<TarMember, 'offset'> {
  const text = (start: number, end: number) => header.toString('latin1', start, end).replace(/\0.*$/s, '');
  const isRegular = header[156] === 0x30 || header[156] === 0;
  const isWhole = Number.parseInt(text(CHECKSUM.start, CHECKSUM.end), 8) === checksumOf(header);
  if (text(257, 262) !== 'ustar' || !isWhole) throw new Error('it is not a tar file, or is damaged');
  const name = text(0, 100);
  if (!isRegular) throw new Error(`${name} in it is not a regular file`);
  const isLarge = header[SIZE.start] === 0x80;
  const sizeBytes = isLarge
    ? Number(header.readBigUInt64BE(SIZE.end - 8))
    : Number.parseInt(text(SIZE.start, SIZE.end), 8);
  if (!Number.isSafeInteger(sizeBytes)) throw new Error(`the size of ${name} in it is damaged`);
  return { name, sizeBytes };
}

/** The sum of a header's bytes, its own field counted as spaces. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= CHECKSUM.start && at < CHECKSUM.end ? 0x20 : byte), 0);
}

const octal = (value: number): string => value.toString(8).padStart(11, '0');
const paddingOf = (sizeBytes: number): number => (BLOCK - (sizeBytes % BLOCK)) % BLOCK;
