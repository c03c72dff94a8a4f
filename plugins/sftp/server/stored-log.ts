import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';

/** A file that has its place through a login. */
export interface StoredFile {
  readonly login: string;
  /** Absolute, as the login sees it. */
  readonly path: string;
}

/** How much one look reads. */
const READ_BYTES = 1 << 18;
/** Beyond that, the log is emptied once it is read, and beyond the other, read or not. */
const MOST_READ_BYTES = 1 << 20;
const MOST_BYTES = 1 << 23;
/** As `STORED_FORMAT` writes of what ended well. A client that uploads under another name renames the file then. */
const LINE = /^(?:STOR 226|APPE 226|RNTO 250) (\S{1,64}) (\/.+)$/;

/** Reads what ProFTPD writes of files that clients store, each line once while this process runs. */
export class StoredLog {
  readonly #path: string;
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves with what lines with the mark say since the last call, in their order; the rest of many is for the next call. */
  async next(mark: string): Promise<StoredFile[]> {
    const file = await open(this.#path, 'r+').catch(undefinedIfMissing);
    if (file === undefined) return [];
    try {
      if ((await file.stat()).size < this.#position) this.#position = 0; // an operator has emptied it
      const buffer = Buffer.alloc(READ_BYTES);
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, this.#position);
      const text = buffer.toString('latin1', 0, bytesRead);
      const end = text.lastIndexOf('\n') + 1;
      this.#position += end;
      const { size } = await file.stat();
      // Sessions append to the file that they opened, so it keeps its place. A line that is written in this moment is lost.
      if (size > MOST_BYTES || (size > MOST_READ_BYTES && size <= this.#position)) {
        await file.truncate();
        this.#position = 0;
      }
      return text
        .slice(0, end)
        .split('\n')
        .flatMap((line) => storedFile(line, mark));
    } finally {
      await file.close();
    }
  }
}

function storedFile(line: string, mark: string): StoredFile[] {
  if (!line.startsWith(`${mark} `)) return [];
  const [, login, path] = LINE.exec(line.slice(mark.length + 1)) ?? [];
  const bytes = Buffer.from(path ?? '', 'latin1');
  return login === undefined || !isUtf8(bytes) ? [] : [{ login, path: bytes.toString() }];
}
