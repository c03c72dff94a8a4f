import { fail } from '../../errors.ts';

const RETRY_SECONDS = 2;

/** Bounds how many uploads and downloads an account has at once. */
export class AccountTransfers {
  readonly #limit: number;
  readonly #running = new Map<number, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns what ends the transfer, which may be called again. Errors: 503 `overloaded`. */
  begin(account: number): () => void {
    const running = this.#running.get(account) ?? 0;
    if (running >= this.#limit)
      throw fail.overloaded(`${running} transfers of this account are running`, { retryAfterSeconds: RETRY_SECONDS });
    this.#running.set(account, running + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#running.get(account) ?? 1) - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
    };
  }
}
