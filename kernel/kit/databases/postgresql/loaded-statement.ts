import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Connection } from 'pg';
import { errorMessage } from '../../../errors.ts';
import { Submitted } from './submitted.ts';

/** The driver's connection, as far as its types do not say. */
interface Wire {
  readonly stream: Writable;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(why: string): void;
}

/** Runs a statement without its result; if the server takes rows for it, they are those of `rows`, as fast as it takes them. */
export class LoadedStatement extends Submitted<void> {
  readonly #text: string;
  readonly #rows: () => AsyncIterable<Buffer>;
  readonly #over = new AbortController();
  /** The error of the rows, if there was one. */
  fault: unknown;

  constructor(text: string, rows: () => AsyncIterable<Buffer>) {
    super();
    this.#text = text;
    this.#rows = rows;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: Connection): void {
    const wire = connection as unknown as Wire;
    this.#feed(wire).then(
      () => wire.endCopyFrom(),
      (error: unknown) => {
        this.fault = error;
        wire.sendCopyFail(errorMessage(error).slice(0, 1000));
      },
    );
  }

  override handleError(error: unknown): void {
    this.#over.abort();
    super.handleError(error);
  }

  handleReadyForQuery(): void {
    this.#over.abort();
    this.resolve();
  }

  async #feed(wire: Wire): Promise<void> {
    const { signal } = this.#over;
    for await (const chunk of this.#rows()) {
      if (signal.aborted) return;
      wire.sendCopyFromChunk(chunk);
      if (wire.stream.writableNeedDrain) await once(wire.stream, 'drain', { signal });
    }
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
}
