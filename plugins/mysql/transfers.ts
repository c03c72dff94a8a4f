import type { Account } from '../../kernel/identity/accounts/account.ts';
import { MariaDbFailure } from '../../kernel/kit/programs/mariadb-programs.ts';
import { FairQueue } from '../../kernel/kit/waiting/fair-queue.ts';
import { fail } from './errors.ts';

/** Exports and imports at once: of all, and of one account; each runs a program. */
const QUEUE = { slots: 4, perClient: 1, waiting: 1, waitingOfAll: 32 } as const;

/** Has exports and imports take turns, and ends those that run when the plugin closes. */
export class Transfers {
  readonly #queue = new FairQueue(QUEUE);
  readonly #closing = new AbortController();

  /** `work` gets a signal that is aborted with `signal`, or when the plugin closes. Errors: 503 `overloaded`. */
  async run<T>(account: Account, signal: AbortSignal, work: (alive: AbortSignal) => Promise<T>): Promise<T> {
    const alive = AbortSignal.any([signal, this.#closing.signal]);
    return this.#queue.run(account.id, () => work(alive), { signal: alive });
  }

  close(): void {
    this.#closing.abort(
      fail.databases_unavailable('the service is being reloaded or stopped', { retryAfterSeconds: 5 }),
    );
  }
}

/** Returns 503 `databases_unavailable` for a program that is missing or has failed; other errors as they are. */
export function programFailure(error: unknown): unknown {
  if (!(error instanceof MariaDbFailure)) return error;
  return fail.databases_unavailable('a program of MariaDB is missing, or has failed', { cause: error });
}
