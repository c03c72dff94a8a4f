import { HttpError } from '../../kernel/errors.ts';
import type { VhostFolder } from './vhost-folder.ts';
import type { WebServer } from './web-server.ts';

export interface Change {
  readonly file: string;
  /** `undefined` removes the file. */
  readonly content: string | undefined;
  /** The account that waits for it; `undefined` for changes of the server itself. */
  readonly accountId?: number;
}

interface PendingChange extends Change {
  /** The file's content before the change, for a rollback. */
  before: string | undefined;
  readonly settle: (error?: HttpError) => void;
}

/** How many changes of one account a batch takes, so that an account with many delays the others by little. */
const SHARE = 32;
/** How many files are written at a time: writing waits for the disk, which flushes several together. */
const WRITES = 16;
/** Limit of checks to find the changes in a batch that the server refuses. */
const CHECKS = 64;

/**
 * Batches changes: those that arrive during a batch form the next one, with one check and one reload for all. If the
 * server refuses a batch, it is bisected, so that only invalid changes fail. A failed change is rolled back before its
 * caller gets the error, and the server keeps its running configuration.
 */
export class ChangeBatcher {
  readonly #folder: VhostFolder;
  readonly #server: WebServer;
  #queue: PendingChange[] = [];
  readonly #busy = new Set<string>();
  #running: Promise<void> | undefined;
  #reloads = 0;

  constructor(folder: VhostFolder, server: WebServer) {
    this.#folder = folder;
    this.#server = server;
  }

  get reloads(): number {
    return this.#reloads;
  }

  /** Whether a change of the file is queued or running. */
  isBusy(file: string): boolean {
    return this.#busy.has(file) || this.#queue.some((change) => change.file === file);
  }

  /** Resolves when the server serves the change. Errors: 502 `webserver_failed`. */
  change(change: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        ...change,
        before: undefined,
        settle: (error) => (error === undefined ? resolve() : reject(error)),
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when no change is queued or running. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await new Promise((resolve) => setImmediate(resolve)); // changes that arrive together share a batch
        await this.#runBatch(this.#takeBatch());
      }
    } finally {
      this.#running = undefined;
    }
  }

  /** Takes the queued changes, except second changes of one file, and what goes beyond an account's share. */
  #takeBatch(): PendingChange[] {
    const batch = new Map<string, PendingChange>();
    const taken = new Map<number | undefined, number>();
    const rest: PendingChange[] = [];
    for (const change of this.#queue) {
      const before = taken.get(change.accountId) ?? 0;
      const isBeyond = change.accountId !== undefined && before === SHARE;
      if (isBeyond || batch.has(change.file)) rest.push(change);
      else {
        batch.set(change.file, change);
        taken.set(change.accountId, before + 1);
      }
    }
    this.#queue = rest;
    return [...batch.values()];
  }

  async #runBatch(batch: readonly PendingChange[]): Promise<void> {
    for (const { file } of batch) this.#busy.add(file);
    const applied = await this.#applyValid(batch);
    const failure = applied.length === 0 ? undefined : await this.#reload(applied);
    for (const { file } of batch) this.#busy.delete(file);
    for (const change of applied) change.settle(failure);
  }

  /**
   * Applies changes and returns those that the server accepts. The others are rolled back and settled with the error.
   */
  async #applyValid(batch: readonly PendingChange[]): Promise<readonly PendingChange[]> {
    const failure = await this.#apply(batch);
    if (failure === undefined) return batch;
    // if the check fails without any change, no bisection can help
    const isCausedByBatch = batch.length > 1 && (await this.#apply([])) === undefined;
    return isCausedByBatch ? this.#bisect(batch, { checks: CHECKS }) : failAll(batch, failure);
  }

  async #bisect(batch: readonly PendingChange[], budget: { checks: number }): Promise<readonly PendingChange[]> {
    const middle = batch.length >> 1;
    const valid: PendingChange[] = [];
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const failure = await this.#apply(half);
      budget.checks -= 1;
      if (failure === undefined) valid.push(...half);
      else if (half.length > 1 && budget.checks > 0) valid.push(...(await this.#bisect(half, budget)));
      else failAll(half, failure);
    }
    return valid;
  }

  /** Writes changes and has the server check them. Rolls them back and returns the error if that fails. */
  async #apply(batch: readonly PendingChange[]): Promise<HttpError | undefined> {
    const written: PendingChange[] = [];
    try {
      await inSlices(batch, async (change) => {
        change.before = await this.#folder.read(change.file);
        written.push(change);
        await this.#folder.put(change.file, change.content);
      });
      await this.#folder.sync();
      await this.#server.check();
      return undefined;
    } catch (error) {
      return this.#rollBack(written, error);
    }
  }

  async #reload(applied: readonly PendingChange[]): Promise<HttpError | undefined> {
    this.#reloads += 1;
    try {
      await this.#server.reload();
      return undefined;
    } catch (error) {
      const failure = await this.#rollBack(applied, error);
      // the server may have accepted the change after the time limit
      await this.#server.reload().catch(() => undefined);
      return failure;
    }
  }

  async #rollBack(written: readonly PendingChange[], cause: unknown): Promise<HttpError> {
    try {
      await inSlices(written, ({ file, before }) => this.#folder.put(file, before));
      await this.#folder.sync();
      return changeFailed(cause);
    } catch (error) {
      return changeFailed(new AggregateError([cause, error], 'a change of a virtual host could not be rolled back'));
    }
  }
}

/** Rejects with the first failure once nothing of its slice is still being written. */
async function inSlices<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += WRITES) {
    const results = await Promise.allSettled(items.slice(i, i + WRITES).map(write));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

function changeFailed(cause: unknown): HttpError {
  return new HttpError(
    'webserver_failed',
    'the web server did not accept the change, and serves what it served before',
    { cause },
  );
}

function failAll(batch: readonly PendingChange[], failure: HttpError): readonly PendingChange[] {
  for (const change of batch) change.settle(failure);
  return [];
}
