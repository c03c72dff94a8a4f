/** The index of one account on disk: a header in JSON, the arrays as they are in memory, and a checksum of both. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { endianness } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFileSync } from '../../../kernel/kit/files/atomic-file.ts';
import { FileTree, type TreeData } from './file-tree.ts';
import type { NameData } from './name-table.ts';

/** Another version, or a machine of another byte order, writes what this one cannot read. */
const FORMAT = `hostkeep-search-index 2 ${endianness()}`;

interface Header {
  readonly format: string;
  readonly filesRoot: string;
  readonly lengths: readonly number[];
  readonly originals: readonly [NameData['originals'], NameData['originals']];
  readonly ordered: readonly [files: number, folders: number];
}

/** Replaces the file atomically, so that a reader finds a whole index or none. */
export function saveTree(file: string, filesRoot: string, tree: FileTree): void {
  const { files, folders, states, runs, orderedFiles, orderedFolders } = tree.data;
  const arrays: readonly (Uint8Array | Uint32Array | Float64Array)[] = [
    ...[states, runs],
    ...[files, folders].flatMap(({ starts, parents, bytes: names }) => [starts, parents.runs, parents.removed, names]),
  ];
  const header: Header = {
    format: FORMAT,
    filesRoot,
    lengths: arrays.map((array) => array.byteLength),
    originals: [files.originals, folders.originals],
    ordered: [orderedFiles, orderedFolders],
  };
  const chunks = [
    lengthPrefixed(JSON.stringify(header)),
    ...arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)),
  ];
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(chunks.reduce((value, chunk) => crc32(chunk, value), 0));
  replaceFileSync(file, [...chunks, checksum], { mode: 0o600 });
}

/** Returns `undefined` when there is no file, or it is damaged, of another version or of another files root. */
export function loadTree(file: string, filesRoot: string): FileTree | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  if (bytes.length < 16 || crc32(bytes.subarray(0, -4)) !== bytes.readUInt32LE(bytes.length - 4)) return undefined;
  const start = 8 + bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', 8, start).trimEnd()) as Header;
  const isUsable = header.format === FORMAT && header.filesRoot === filesRoot;
  return isUsable ? new FileTree(dataOf(header, bytes, start)) : undefined;
}

/** Removes what a killed process left beside the index. */
export function removeLeftovers(file: string): void {
  for (const name of readdirSync(dirname(file)))
    if (name !== basename(file)) rmSync(join(dirname(file), name), { recursive: true });
}

function dataOf({ lengths, originals, ordered }: Header, bytes: Buffer, start: number): TreeData {
  let at = start;
  const parts = lengths.map((length) => {
    at += length;
    return new Uint8Array(bytes.subarray(at - length, at)).buffer; // a copy, because typed arrays have to be aligned
  });
  const part = (i: number) => parts[i] ?? new ArrayBuffer(0);
  const names = (first: number, i: 0 | 1): NameData => ({
    starts: new Uint32Array(part(first)),
    parents: { runs: new Uint32Array(part(first + 1)), removed: new Uint8Array(part(first + 2)) },
    bytes: new Uint8Array(part(first + 3)),
    originals: originals[i],
  });
  return {
    states: new Float64Array(part(0)),
    runs: new Uint32Array(part(1)),
    files: names(2, 0),
    folders: names(6, 1),
    orderedFiles: ordered[0],
    orderedFolders: ordered[1],
  };
}

/** The length in four bytes, four reserved bytes, and the text, padded to a multiple of eight. */
function lengthPrefixed(text: string): Buffer {
  const body = Buffer.from(text);
  const padded = Buffer.alloc(8 + Math.ceil(body.length / 8) * 8, ' ');
  padded.writeUInt32LE(padded.length - 8);
  body.copy(padded, 8);
  return padded;
}
