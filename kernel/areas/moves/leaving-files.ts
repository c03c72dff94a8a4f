import { createReadStream } from 'node:fs';
import { undefinedIfMissing } from '../../kit/files/if-missing.ts';
import type { MoveLink } from '../../contract/points/move-part.ts';
import { pieceText } from './arriving-files.ts';

/** A file that only grows, or goes. */
export interface LeavingFile {
  /** How both ends call it. */
  readonly name: string;
  readonly path: string;
  /** Those that count. */
  readonly sizeBytes: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Sends files that only grow to the new home of their account: each time what has come since. */
export class LeavingFiles {
  readonly #link: MoveLink;
  readonly #request: string;
  readonly #sent = new Map<string, number>();

  /** `request` is the name of the one that takes a piece there. */
  constructor(link: MoveLink, request: string) {
    this.#link = link;
    this.#request = request;
  }

  async send(files: readonly LeavingFile[]): Promise<void> {
    for (const { name, path, sizeBytes, changedAt } of files) {
      const from = this.#sent.get(name) ?? 0;
      if (sizeBytes <= from) continue;
      const about = pieceText({ name, from, bytes: sizeBytes - from, changedAt });
      const content = createReadStream(path, { start: from, end: sizeBytes - 1 }) as AsyncIterable<Buffer>;
      const sent = this.#link.ask({ name: this.#request, about }, content);
      await sent.then(() => this.#sent.set(name, sizeBytes), undefinedIfMissing); // it may go meanwhile
    }
  }
}
