import type { FileHandle } from 'node:fs/promises';
import { entryName } from '../../../kernel/kit/files/client-path.ts';
import { openFiles } from '../../../kernel/kit/files/open-files.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { FOUND_FILES, type FoundContent, type FoundFile } from '../schema.ts';
import { findLines, linePattern } from './find-lines.ts';

interface SearchInput {
  readonly components: readonly string[];
  readonly text: string;
  readonly ending: string;
  readonly isCaseIgnored: boolean;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  readonly timeMs: number;
}
interface SearchOutput extends Omit<FoundContent, 'files'> {
  readonly files: readonly (Omit<FoundFile, 'path'> & { readonly names: readonly string[] })[];
}

/** A file is no text if it has a zero byte in its beginning. */
const BEGINNING = 8000;

/** Searches a folder and all below it. Errors: 404 `folder_not_found`. */
export default async function search(input: SearchInput, { root }: JobContext): Promise<SearchOutput> {
  const folder = await Folder.find(root, input.components);
  const searching = new Search(input);
  if (folder === undefined) return searching.found(null);
  try {
    return searching.found(await searching.run(folder));
  } finally {
    await folder.close();
  }
}

class Search {
  readonly #input: SearchInput;
  readonly #endsAt: number;
  readonly #pattern: RegExp;
  readonly #room: Buffer;
  readonly #files: SearchOutput['files'][number][] = [];
  #searched = 0;
  #leftOut = 0;
  #isLate = false;

  constructor(input: SearchInput) {
    this.#input = input;
    this.#endsAt = performance.now() + input.timeMs;
    this.#pattern = linePattern(input.text, input.isCaseIgnored);
    this.#room = Buffer.alloc(input.maxFileBytes);
  }

  found(endedBy: FoundContent['ended_by']): SearchOutput {
    const byPath = (a: SearchOutput['files'][number], b: typeof a) => (a.names.join('/') < b.names.join('/') ? -1 : 1);
    const counted = { searched: this.#searched, left_out: this.#leftOut };
    return { ...counted, ended_by: endedBy, files: this.#files.toSorted(byPath) };
  }

  /** Resolves with what ended it before all was searched. */
  async run(folder: Folder): Promise<FoundContent['ended_by']> {
    const { components, ending, maxFileBytes, maxBytes } = this.#input;
    const wanted = {
      maxBytes: maxFileBytes,
      isWanted: (name: Buffer) => name.toString().endsWith(ending),
      isOver: () => (this.#isLate ||= performance.now() > this.#endsAt),
      leaveOut: () => void (this.#leftOut += 1),
    };
    let bytes = 0;
    const from = components.map((name) => Buffer.from(name));
    for await (const { handle, names } of openFiles(folder, from, wanted)) {
      bytes += await this.#look(handle, names).finally(() => handle.close());
      if (this.#files.length === FOUND_FILES) return 'files';
      if (bytes >= maxBytes) return 'bytes';
    }
    return this.#isLate ? 'time' : null;
  }

  /** Resolves with the bytes that it has read. */
  async #look(handle: FileHandle, bytes: readonly Buffer[]): Promise<number> {
    const names = bytes.map(entryName);
    if (!names.every((name) => name !== undefined)) {
      this.#leftOut += 1;
      return 0;
    }
    const beginning = await readInto(this.#room.subarray(0, BEGINNING), handle, 0);
    if (this.#room.subarray(0, beginning).includes(0)) return beginning;
    const length = await readInto(this.#room, handle, beginning);
    const found = findLines(this.#room.toString('utf8', 0, length), this.#pattern);
    if (found.lines.length > 0) this.#files.push({ names, ...found });
    this.#searched += 1;
    return length;
  }
}

/** Reads from where it was read to so far, and resolves with where it ends: at the end of the file, which may grow, or of the room. */
async function readInto(room: Buffer, handle: FileHandle, from: number): Promise<number> {
  let length = from;
  while (length < room.length) {
    const { bytesRead } = await handle.read(room, length, room.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
