import type { Connection, Submittable } from 'pg';

/** A statement that reads the driver's messages itself, as far as it has a use for them. */
export abstract class Submitted<T> implements Submittable {
  readonly ended: Promise<T>;
  protected resolve!: (result: T) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.ended = new Promise((resolve, reject) => ([this.resolve, this.#reject] = [resolve, reject]));
  }

  abstract submit(connection: Connection): void;
  abstract handleRowDescription(message: unknown): void;
  abstract handleDataRow(message: unknown): void;
  abstract handleCopyInResponse(connection: Connection): void;
  abstract handleReadyForQuery(): void;

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handlePortalSuspended(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleCopyData(): void {}
}
