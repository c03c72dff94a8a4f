import type { Account } from './account.ts';

/**
 * The newest snapshot of one account. Sessions keep the cell, which saves them a look-up. `version` increases whenever
 * the account or its sessions change in this process.
 */
export interface AccountCell {
  readonly id: number;
  account: Account | undefined;
  generation: number;
  version: number;
}

/** The maximum number of cached snapshots; each takes about 1 KiB. */
const REMEMBERED = 20_000;

/** Caches the newest snapshots of accounts. Evicts the oldest first. */
export class AccountCells {
  readonly #cells = new Map<number, AccountCell>();

  /** Returns the cell of an account; it has no snapshot until one is read. */
  of(id: number): AccountCell {
    let cell = this.#cells.get(id);
    if (cell === undefined) {
      cell = { id, account: undefined, generation: -1, version: 0 };
      this.#cells.set(id, cell);
      if (this.#cells.size > REMEMBERED) this.#evict();
    }
    return cell;
  }

  /** Invalidates the cached snapshot of an account and its cached sessions, if there are any. */
  forget(id: number): void {
    const cell = this.#cells.get(id);
    if (cell !== undefined) empty(cell);
  }

  /** Removes the oldest cell, and empties it because sessions may still hold it. */
  #evict(): void {
    for (const [id, cell] of this.#cells) {
      empty(cell);
      this.#cells.delete(id);
      return;
    }
  }
}

function empty(cell: AccountCell): void {
  cell.account = undefined;
  cell.version += 1;
}
