import { randomBytes } from 'node:crypto';
import { HttpError } from '../../../kernel/errors.ts';
import { vhostFileName } from './vhost-folder.ts';
import type { VhostChange } from './read-change.ts';
import { MOST_KEYS, type VhostVerbs } from './vhost-writer.ts';
import { fail } from '../errors.ts';

export type Change = VhostChange & {
  /** The account that waits for it; `undefined` for changes of the server itself. */
  readonly accountId?: number;
  /** The key and the certificates that the site names. */
  readonly pem?: string;
};

interface PendingChange {
  readonly change: VhostChange;
  readonly pem: string | undefined;
  readonly file: string;
  readonly accountId: number | undefined;
  readonly settle: (error?: HttpError) => void;
}

/** How many changes of one account a batch takes, so that an account with many delays the others by little. */
const SHARE = 32;
/** Limit of checks to find the changes in a batch that the server refuses. */
const CHECKS = 64;

/**
 * Batches changes: those that arrive during a batch form the next one, with one check and one reload for all. If the
 * server refuses a batch, it is bisected, so that only invalid changes fail. A failed change is rolled back before its
 * caller gets the error, and the server keeps its running configuration.
 */
export class ChangeBatcher {
  readonly #writer: VhostVerbs;
  readonly #untilServed: (token: string) => Promise<void>;
  readonly #turn: () => Promise<() => void>;
  readonly #isProof: boolean;
  #queue: PendingChange[] = [];
  readonly #busy = new Set<string>();
  #running: Promise<void> | undefined;
  #reloads = 0;

  /** `untilServed` resolves when the server serves a token, `turn` when no other worker has a batch; see `VhostVerbs.reload`. */
  constructor(
    writer: VhostVerbs,
    untilServed: (token: string) => Promise<void>,
    turn: () => Promise<() => void> = async () => () => undefined,
    isProof = false,
  ) {
    this.#isProof = isProof;
    this.#writer = writer;
    this.#untilServed = untilServed;
    this.#turn = turn;
  }

  get reloads(): number {
    return this.#reloads;
  }

  /** Whether a change of the file is queued or running. */
  isBusy(file: string): boolean {
    return this.#busy.has(file) || this.#queue.some((change) => change.file === file);
  }

  /** Resolves when the server serves the change. Errors: 502 `webserver_failed`. */
  change({ accountId, pem, ...change }: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        change,
        pem,
        file: 'file' in change ? change.file : vhostFileName(change.site.domain),
        accountId,
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
        const release = await this.#turn();
        try {
          await this.#runBatch(this.#takeBatch());
        } finally {
          release();
        }
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
    const id = newToken();
    const token = newToken();
    const first = await this.#apply(id, batch, token);
    const applied = typeof first === 'boolean' ? batch : await this.#applyValid(id, batch);
    const failure = applied.length === 0 ? undefined : await this.#serve(id, token, first === true);
    for (const { file } of batch) this.#busy.delete(file);
    for (const change of applied) change.settle(failure);
  }

  /**
   * Applies changes and returns those that the server accepts. The others are rolled back and settled with the error.
   */
  async #applyValid(id: string, batch: readonly PendingChange[]): Promise<readonly PendingChange[]> {
    const failure = await this.#apply(id, batch);
    if (typeof failure === 'boolean') return batch;
    // if the check fails without any change, no bisection can help
    const isCausedByBatch = batch.length > 1 && typeof (await this.#apply(id, [])) === 'boolean';
    return isCausedByBatch ? this.#bisect(id, batch, { checks: CHECKS }) : failAll(batch, failure);
  }

  async #bisect(
    id: string,
    batch: readonly PendingChange[],
    budget: { checks: number },
  ): Promise<readonly PendingChange[]> {
    const middle = batch.length >> 1;
    const valid: PendingChange[] = [];
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const failure = await this.#apply(id, half);
      budget.checks -= 1;
      if (typeof failure === 'boolean') valid.push(...half);
      else if (half.length > 1 && budget.checks > 0) valid.push(...(await this.#bisect(id, half, budget)));
      else failAll(half, failure);
    }
    return valid;
  }

  /** Returns whether the server has reloaded, or the error if it does not accept the changes, which are not made then. */
  async #apply(id: string, batch: readonly PendingChange[], token?: string): Promise<HttpError | boolean> {
    const reload = token === undefined ? null : { token, isProof: this.#isProof };
    try {
      const pems = [...new Set(batch.flatMap(({ pem = [] }) => pem))];
      for (let i = 0; i < pems.length; i += MOST_KEYS) await this.#writer.keep(pems.slice(i, i + MOST_KEYS));
      return await this.#writer.apply({ id, changes: batch.map(({ change }) => change), reload });
    } catch (error) {
      return changeFailed(error);
    }
  }

  async #serve(id: string, token: string, isReloaded: boolean): Promise<HttpError | undefined> {
    this.#reloads += 1;
    try {
      if (!isReloaded) await this.#writer.reload({ token, isProof: this.#isProof });
      await this.#untilServed(token);
      await this.#writer.settle({ id, isKept: true });
      return undefined;
    } catch (cause) {
      const message = 'a change of a virtual host could not be undone';
      const failed = (error: unknown) => new AggregateError([cause, error], message);
      return changeFailed(await this.#writer.settle({ id, isKept: false }).then(() => cause, failed));
    }
  }
}

export const newToken = (): string => randomBytes(8).toString('hex');

function changeFailed(cause: unknown): HttpError {
  return fail.webserver_failed('the web server did not accept the change, and serves what it served before', { cause });
}

function failAll(batch: readonly PendingChange[], failure: HttpError): readonly PendingChange[] {
  for (const change of batch) change.settle(failure);
  return [];
}
