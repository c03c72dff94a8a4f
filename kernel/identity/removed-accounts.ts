import { randomUUID } from 'node:crypto';
import { HttpError } from '../errors.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Reader, Store, Tx } from '../storage/store.ts';
import { isRunning, PROCESS_ID } from '../system/process-id.ts';

/** An account that is gone, but whose name is reserved until what it left outside the store is purged. */
export interface RemovedAccount {
  readonly id: number;
  readonly username: string;
  /** Where its files root was. */
  readonly filesRoot: string;
  /** Milliseconds since 1970. */
  readonly removedAt: number;
}

/** A removed account that is being purged. */
export interface ClaimedAccount extends RemovedAccount {
  /** The process and the attempt. */
  readonly claim: string;
}

interface Row {
  username: string;
  account_id: number;
  removed_at: number;
  claimed_by: string;
}

const SELECT = 'select username, account_id, removed_at, claimed_by from removed_accounts';

/** The removed accounts whose names are reserved. */
export class RemovedAccounts {
  readonly #store: Store;
  readonly #events: AuditLog;
  readonly #filesRoot: (username: string) => string;

  constructor(store: Store, events: AuditLog, filesRoot: (username: string) => string) {
    this.#store = store;
    this.#events = events;
    this.#filesRoot = filesRoot;
  }

  /** Resolves with all of them by name. */
  async list(): Promise<RemovedAccount[]> {
    return (await this.#store.all<Row>(`${SELECT} order by username`)).map((row) => this.#of(row));
  }

  /** Errors: 404 `account_not_found`. */
  async get(username: string): Promise<RemovedAccount> {
    return this.#of((await this.#store.get<Row>(`${SELECT} where username = ?`, username)) ?? unknown(username));
  }

  /**
   * Claims one for a purge, until `release` or `giveUp`: two at once could remove what belongs to a new account of that
   * name a moment later. Errors: 404 `account_not_found`, 409 `purge_in_progress`.
   */
  claim(username: string): Promise<ClaimedAccount> {
    return this.#store.write(async (tx) => {
      const row = (await tx.get<Row>(`${SELECT} where username = ?`, username)) ?? unknown(username);
      const [holder = ''] = row.claimed_by.split(' ');
      if (isRunning(holder)) throw new HttpError('purge_in_progress', `${username} is being purged`);
      const claim = `${PROCESS_ID} ${randomUUID()}`;
      await tx.run('update removed_accounts set claimed_by = ? where username = ?', claim, username);
      return { ...this.#of(row), claim };
    });
  }

  /** Frees the name of an account that is purged. */
  release(
    { id, username, claim }: ClaimedAccount,
    by: { readonly username: string; readonly ip: string },
  ): Promise<void> {
    return this.#store.write(async (tx) => {
      await tx.run('delete from removed_accounts where username = ? and claimed_by = ?', username, claim);
      await this.#events.record(tx, {
        type: 'account.purged',
        ...by,
        text: `purged the removed account ${username}`,
        data: { account_id: id },
      });
    });
  }

  /** Ends the claim; the name stays reserved. */
  async giveUp({ username, claim }: ClaimedAccount): Promise<void> {
    await this.#store.write((tx) =>
      tx.run("update removed_accounts set claimed_by = '' where username = ? and claimed_by = ?", username, claim),
    );
  }

  #of({ username, account_id: id, removed_at: removedAt }: Row): RemovedAccount {
    return { id, username, filesRoot: this.#filesRoot(username), removedAt };
  }
}

/** Reserves the name of an account that is being removed. */
export async function reserveName(tx: Tx, { id, username }: { id: number; username: string }): Promise<void> {
  await tx.run(
    'insert into removed_accounts (username, account_id, removed_at) values (?, ?, ?)',
    username,
    id,
    Date.now(),
  );
}

/**
 * Throws if a new account must not get the name. Errors: 409 `account_exists`; `name_reserved` while what a removed
 * account left may be found under it; `ambiguous_username` where it extends another by `_` or is extended, because
 * databases `ann_…` are those of `ann`.
 */
export async function assertNameFree(tx: Tx, username: string): Promise<void> {
  if (await tx.get('select 1 from accounts where username = ?', username))
    throw new HttpError('account_exists', `the account ${username} already exists`);
  if (await tx.get('select 1 from removed_accounts where username = ?', username))
    throw new HttpError('name_reserved', `${username} is the name of a removed account that is not purged`);
  const shorter = [...username.matchAll(/_/g)].map(({ index }) => username.slice(0, index));
  const clash = await tx.get<{ username: string }>(
    `select username from (select username from accounts union all select username from removed_accounts)
      where username in (select value from json_each(?)) limit 1`,
    JSON.stringify(shorter),
  );
  const other = clash?.username ?? (await namesExtending(tx, username))[0];
  if (other !== undefined)
    throw new HttpError('ambiguous_username', `${username} and ${other} differ only by what follows an underscore`);
}

/** Returns the names, those of removed accounts too, that begin with `<username>_`; no new one does. */
export async function namesExtending(reader: Reader, username: string): Promise<string[]> {
  const rows = await reader.all<{ username: string }>(
    `select username from accounts where username >= ?1 and username < ?2
      union select username from removed_accounts where username >= ?1 and username < ?2`,
    `${username}_`,
    `${username}\``, // the character after the underscore
  );
  return rows.map((row) => row.username);
}

function unknown(username: string): never {
  throw new HttpError('account_not_found', `there is no removed account ${username}`);
}
