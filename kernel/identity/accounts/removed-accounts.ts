import { fail } from '../../errors.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';
import { forgetAccount } from '../../store/local-store.ts';
import type { Lease, Leases } from '../../store/lease.ts';
import type { Store, Tx } from '../../store/store.ts';
import { assertHere } from './account-home.ts';

/** An account that is gone, but whose name is reserved until what it left outside the store is purged. */
export interface RemovedAccount {
  readonly id: number;
  readonly username: string;
  /** Where its files root was. */
  readonly filesRoot: string;
  /** Milliseconds since 1970. */
  readonly removedAt: number;
  /** The node of the fleet that had what is to be purged; see `Account.home`. */
  readonly home: string;
}

/** How long a name whose purge has fallen silent is claimed: mostly one of a node that died. */
const SILENCE_MS = 300_000;

/** A removed account that is being purged, until its lease is released. */
export interface ClaimedAccount extends RemovedAccount {
  readonly lease: Lease;
}

interface Row {
  username: string;
  account_id: number;
  removed_at: number;
  home: string;
}

const SELECT = 'select username, account_id, removed_at, home from removed_accounts';

interface RemovedAccountsParts {
  readonly store: Store;
  readonly local: Store;
  readonly leases: Leases;
  readonly events: AuditLog;
  readonly filesRoot: (username: string) => string;
  readonly here: string;
}

/** The removed accounts whose names are reserved. */
export class RemovedAccounts {
  readonly #parts: RemovedAccountsParts;

  constructor(parts: RemovedAccountsParts) {
    this.#parts = parts;
  }

  /** Resolves with all of them by name. */
  async list(): Promise<RemovedAccount[]> {
    return (await this.#parts.store.all<Row>(`${SELECT} order by username`)).map((row) => this.#of(row));
  }

  /** Errors: 404 `account_not_found`. */
  async get(username: string): Promise<RemovedAccount> {
    return this.#of((await this.#parts.store.get<Row>(`${SELECT} where username = ?`, username)) ?? unknown(username));
  }

  /**
   * Claims one for a purge: two at once could remove what belongs to a new account of that name a moment later. Only the
   * node that had it can. Errors: 404 `account_not_found`, 409 `purge_in_progress`, `other_node`.
   */
  claim(username: string): Promise<ClaimedAccount> {
    return this.#parts.store.write(async (tx) => {
      const row = (await tx.get<Row>(`${SELECT} where username = ?`, username)) ?? unknown(username);
      assertHere(row, this.#parts.here);
      const lease = await this.#parts.leases.acquire(`purge ${username}`, SILENCE_MS, tx);
      if (lease === undefined) throw inProgress(username);
      return { ...this.#of(row), lease };
    });
  }

  /** Frees the name of an account that is purged. Errors: 409 `purge_in_progress` if another process purges it now. */
  async release(
    { id, username, lease }: ClaimedAccount,
    by: { readonly username: string; readonly ip: string },
  ): Promise<void> {
    await forgetAccount(this.#parts.local, id);
    await this.#parts.store.write(async (tx) => {
      if (!(await lease.isOurs(tx))) throw inProgress(username);
      await tx.run('delete from removed_accounts where username = ?', username);
      await lease.release(tx);
      await this.#parts.events.record(tx, {
        type: 'account.purged',
        ...by,
        text: `purged the removed account ${username}`,
        data: { account_id: id },
      });
    });
  }

  #of({ username, account_id: id, removed_at: removedAt, home }: Row): RemovedAccount {
    return { id, username, filesRoot: this.#parts.filesRoot(username), removedAt, home };
  }
}

/** Reserves the name of an account that is about to be removed. */
export async function reserveName(tx: Tx, { id, username }: { id: number; username: string }): Promise<void> {
  await tx.run(
    `insert into removed_accounts (username, account_id, removed_at, home)
      values (?, ?, ?, (select home from accounts where id = ?))`,
    username,
    id,
    Date.now(),
    id,
  );
}

const inProgress = (username: string): Error => fail.purge_in_progress(`${username} is being purged`);

function unknown(username: string): never {
  throw fail.account_not_found(`there is no removed account ${username}`);
}
