/** An index on disk: what it is in JSON, then the arrays as they are in memory, then a checksum of all before it. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { NameData } from './name-table.ts';
import { FileTree, type TreeData } from './file-tree.ts';

const MAGIC = 'hostkeep-search-index';
const VERSION = 1;
type Arrays = readonly (Uint8Array | Uint32Array | Float64Array)[];

interface Head {
  readonly magic: string;
  readonly version: number;
  readonly endianness: string;
  readonly filesRoot: string;
  readonly lengths: readonly number[];
  readonly originals: readonly [NameData['originals'], NameData['originals']];
  readonly ordered: readonly [files: number, folders: number];
}

/** Writes beside and renames, so that there is a whole index or none. */
export function saveTree(file: string, filesRoot: string, tree: FileTree): void {
  const { files, folders, states, runs, orderedFiles, orderedFolders } = tree.data;
  const arrays: Arrays = [
    states,
    runs,
    files.starts,
    files.parents,
    folders.starts,
    folders.parents,
    files.bytes,
    files.capitals,
    folders.bytes,
    folders.capitals,
  ];
  const head: Head = {
    magic: MAGIC,
    version: VERSION,
    endianness: endianness(),
    filesRoot,
    lengths: arrays.map((array) => array.byteLength),
    originals: [files.originals, folders.originals],
    ordered: [orderedFiles, orderedFolders],
  };
  const parts = [
    lengthPrefixed(JSON.stringify(head)),
    ...arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)),
  ];
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(parts.reduce((value, part) => crc32(part, value), 0));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    write(beside, [...parts, sum]);
    renameSync(beside, file);
  } finally {
    if (existsSync(beside)) unlinkSync(beside);
  }
}

/** The tree of a file; `undefined` when there is none, or not one of this version, this root, and whole. */
export function loadTree(file: string, filesRoot: string): FileTree | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  if (bytes.length < 16 || crc32(bytes.subarray(0, -4)) !== bytes.readUInt32LE(bytes.length - 4)) return undefined;
  const start = 8 + bytes.readUInt32LE(0);
  const head = JSON.parse(bytes.toString('utf8', 8, start).trimEnd()) as Head;
  if (
    head.magic !== MAGIC ||
    head.version !== VERSION ||
    head.endianness !== endianness() ||
    head.filesRoot !== filesRoot
  )
    return undefined;
  return new FileTree(dataOf(head, bytes, start));
}

function dataOf({ lengths, originals, ordered }: Head, bytes: Buffer, start: number): TreeData {
  let at = start;
  const parts = lengths.map((length) => {
    at += length;
    return new Uint8Array(bytes.subarray(at - length, at)).buffer; // a copy, so that numbers lie where numbers may
  });
  const part = (i: number) => parts[i] ?? new ArrayBuffer(0);
  const names = (starts: number, blob: number, i: 0 | 1): NameData => ({
    starts: new Uint32Array(part(starts)),
    parents: new Uint32Array(part(starts + 1)),
    bytes: new Uint8Array(part(blob)),
    capitals: new Uint8Array(part(blob + 1)),
    originals: originals[i],
  });
  return {
    states: new Float64Array(part(0)),
    runs: new Uint32Array(part(1)),
    files: names(2, 6, 0),
    folders: names(4, 8, 1),
    orderedFiles: ordered[0],
    orderedFolders: ordered[1],
  };
}

/** Its length in four bytes, four more that are free, and the text, padded to a multiple of eight. */
function lengthPrefixed(text: string): Buffer {
  const body = Buffer.from(text);
  const padded = Buffer.alloc(8 + Math.ceil(body.length / 8) * 8, ' ');
  padded.writeUInt32LE(padded.length - 8);
  body.copy(padded, 8);
  return padded;
}

function write(file: string, parts: readonly Uint8Array[]): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    for (const part of parts) for (let at = 0; at < part.length;) at += writeSync(handle, part, at);
  } finally {
    closeSync(handle);
  }
}
