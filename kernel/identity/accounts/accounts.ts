import { fail } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';
import { forgetAccount } from '../../store/local-store.ts';
import type { Leases } from '../../store/lease.ts';
import type { Store, Tx } from '../../store/store.ts';
import { endLostScopes, endTokens } from '../gate/api-tokens/token-endings.ts';
import { assertPlanExists } from './plans.ts';
import type { Account } from './account.ts';
import { assertChangeable, isAt } from './account-home.ts';
import { AccountReader, unknownAccount, type AccountReaderParts } from './account-reader.ts';
import type { AccountRow } from './account-rows.ts';
import { assertPossible, insertAccount, type NewAccount } from './new-account.ts';
import { RemovedAccounts, reserveName } from './removed-accounts.ts';

/** See `Accounts.relocate`. */
interface Relocation {
  readonly isReadOnly: boolean;
  /** The name of a node; the same as before unless given. */
  readonly home?: string;
}

/** The names by which people are told of changed columns. */
const COLUMN_TITLES = { plan: 'plan', email: 'e-mail address', locale: 'language' } as const;

type ChangedRow = Pick<AccountRow, 'id' | 'role' | 'home' | 'read_only'>;

interface AccountsParts extends AccountReaderParts {
  readonly local: Store;
  readonly leases: Leases;
  readonly events: AuditLog;
  /** Records the id of a new account, before it is committed. */
  readonly ids: { record(id: number): void };
  readonly log: Log;
}

/** Reads and changes accounts. Each change logs its event and ends the sessions that it must in one transaction. */
export class Accounts extends AccountReader {
  readonly removed: RemovedAccounts;
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    super(parts);
    this.removed = new RemovedAccounts(parts);
    this.#parts = parts;
  }

  /**
   * Creates an account. `check` runs first in the transaction, and rejects if the account may not be created after all.
   * Errors: 409 `account_exists`, `name_reserved`, `ambiguous_username`, 404 `plan_not_found`, 400 for a bad name.
   */
  async create(account: NewAccount, ip = '', check?: (tx: Tx) => Promise<void>): Promise<Account> {
    assertPossible(account);
    const { username, plan = null } = account;
    if (plan !== null) await this.#parts.plans.get(plan);
    await this.#parts.store.write(async (tx) => {
      await check?.(tx);
      const id = await insertAccount(tx, account, this.#parts.here); // asks for the plan again: it may have been removed since
      this.#parts.ids.record(id);
      await this.#parts.events.record(tx, {
        type: 'account.created',
        account: { id, username },
        text: 'was created',
        ip,
      });
    });
    return this.get(username);
  }

  /**
   * Changes plan (`null` = none), e-mail address or language. Errors: 404 `account_not_found`, `plan_not_found`, 400 for the
   * plan of an administrator.
   */
  async update(
    username: string,
    change: { plan?: string | null; email?: string; locale?: string },
    ip = '',
  ): Promise<Account> {
    if (typeof change.plan === 'string') await this.#parts.plans.get(change.plan);
    await this.#change(username, async (tx, { id, role }) => {
      if (change.plan !== undefined && role === 'admin') throw fail.invalid_request('an administrator has no plan');
      if (typeof change.plan === 'string') await assertPlanExists(tx, change.plan);
      for (const column of ['plan', 'email', 'locale'] as const) {
        const value = change[column];
        if (value === undefined) continue;
        await tx.run(`update accounts set ${column} = ? where id = ?`, value, id);
        await this.#parts.events.record(tx, {
          type: 'account.changed',
          account: { id, username },
          text: `changed the ${COLUMN_TITLES[column]} to ${value ?? 'none'}`,
          ip,
          data: { [column]: value },
        });
      }
      if (change.plan !== undefined) await endLostScopes(tx, this.#parts.events, { accountId: id }, ip);
    });
    return this.get(username);
  }

  /**
   * Bars the account from logging in, and ends its sessions and API tokens. Errors: 404 `account_not_found`, 409
   * `last_admin`.
   */
  suspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await assertNotLastAdmin(tx, id);
      await tx.run('update accounts set suspended_at = coalesce(suspended_at, ?) where id = ?', Date.now(), id);
      await tx.run('delete from sessions where account_id = ?', id);
      const tokens = { where: 't.account_id = ?', values: [id], reason: 'suspended', ip } as const;
      await endTokens(tx, this.#parts.events, tokens);
      await this.#parts.events.record(tx, {
        type: 'account.suspended',
        account: { id, username },
        text: 'was suspended',
        ip,
      });
    });
  }

  /** Lets the account log in again. Errors: 404 `account_not_found`. */
  unsuspend(username: string, ip = ''): Promise<void> {
    return this.#change(username, async (tx, { id }) => {
      await tx.run('update accounts set suspended_at = null where id = ?', id);
      await this.#parts.events.record(tx, {
        type: 'account.unsuspended',
        account: { id, username },
        text: 'was unsuspended',
        ip,
      });
    });
  }

  /**
   * Grants or denies a feature regardless of the plan; `undefined` lets the plan decide again. Errors: 404
   * `account_not_found`, 400 for an unknown feature.
   */
  async setFeature(username: string, feature: string, on: boolean | undefined, ip = ''): Promise<void> {
    this.#parts.plans.assertFeature(feature);
    return this.#change(username, async (tx, { id }) => {
      if (on === undefined)
        await tx.run('delete from account_features where account_id = ? and feature = ?', id, feature);
      else
        await tx.run(
          'insert into account_features values (?, ?, ?) on conflict (account_id, feature) do update set granted = excluded.granted',
          id,
          feature,
          on ? 1 : 0,
        );
      const text =
        on === undefined
          ? `has the feature ${feature} as the plan says`
          : `was ${on ? 'granted' : 'denied'} the feature ${feature}`;
      await this.#parts.events.record(tx, {
        type: 'feature.toggled',
        account: { id, username },
        text,
        ip,
        data: { feature, on: on ?? null },
      });
      await endLostScopes(tx, this.#parts.events, { accountId: id }, ip);
    });
  }

  /** Changes the home of all that have, or left, something at a node, in a transaction of the caller. */
  async rehome(tx: Tx, from: string, to: string): Promise<void> {
    await tx.run("update accounts set home = ? where role = 'user' and home = ?", to, from);
    await tx.run('update removed_accounts set home = ? where home = ?', to, from);
  }

  /**
   * Sets whether what an account has at its home may change, and its home; `more` runs first in the transaction. Deletes
   * what this machine knows of an account that leaves. Errors: 404 `account_not_found`.
   */
  async relocate(username: string, { isReadOnly, home }: Relocation, more: (tx: Tx) => Promise<void>): Promise<void> {
    let leaverId: number | undefined;
    await this.#change(username, async (tx, { id, home: before }) => {
      await more(tx);
      const row = [isReadOnly ? 1 : 0, home ?? before, id] as const;
      await tx.run('update accounts set read_only = ?, home = ? where id = ?', ...row);
      leaverId = isAt(home ?? before, this.#parts.here) ? undefined : id;
    });
    if (leaverId !== undefined) await this.#forget(leaverId, username);
  }

  /**
   * Removes the account and its data in both stores, and reserves its name; what it left elsewhere stays. Errors: 404
   * `account_not_found`, 409 `last_admin`, `other_node`, 503 `account_moving`.
   */
  async remove(username: string, ip = ''): Promise<void> {
    let removedId = 0;
    await this.#change(username, async (tx, { id, home, read_only }) => {
      removedId = id;
      assertChangeable({ username, home, isReadOnly: read_only === 1 }, this.#parts.here);
      await assertNotLastAdmin(tx, id);
      await reserveName(tx, { id, username });
      await tx.run('delete from accounts where id = ?', id);
      await this.#parts.events.record(tx, {
        type: 'account.removed',
        username,
        text: 'was removed',
        ip,
        data: { account_id: id },
      });
    });
    await this.#forget(removedId, username); // before its name is free this is done again
  }

  async #change(username: string, work: (tx: Tx, account: ChangedRow) => Promise<void>): Promise<void> {
    await this.#parts.revision.mutate(
      async (tx) => {
        const account =
          (await tx.get<ChangedRow>('select id, role, home, read_only from accounts where username = ?', username)) ??
          unknownAccount(username);
        await work(tx, account);
        return account.id;
      },
      (id) => this.cells.forget(id),
    );
  }

  /** The account is gone all the same where this fails. */
  async #forget(id: number, username: string): Promise<void> {
    await forgetAccount(this.#parts.local, id).catch((error: unknown) =>
      this.#parts.log.warn(
        { account: username, err: error },
        'the local data of a removed account could not be deleted',
      ),
    );
  }
}

/** Errors: 409 `last_admin`, because without an administrator nobody could undo the change. */
async function assertNotLastAdmin(tx: Tx, id: number): Promise<void> {
  const admins = await tx.all<{ id: number }>(
    "select id from accounts where role = 'admin' and suspended_at is null limit 2",
  );
  if (admins.length === 1 && admins[0]?.id === id)
    throw fail.last_admin('there is no other administrator who can log in');
}
