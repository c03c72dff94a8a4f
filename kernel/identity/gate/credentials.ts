import type { Account, Role } from '../accounts/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { fail } from '../../errors.ts';
import { endOtherSessions } from './session-rows.ts';
import type { AuditLog } from '../../store/events/audit-log.ts';
import type { Revision } from '../../store/revision.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';

interface StoredPassword {
  /** The account's id and role. */
  readonly id: number;
  readonly role: Role;
  readonly hash: string;
  readonly isSuspended: boolean;
}

interface PasswordChange {
  /** The client's IP address; empty for the command line. */
  readonly ip: string;
  /** The session that stays; the others end. */
  readonly keepSession?: string;
  /**
   * Runs first in the transaction, and rejects if what the change was allowed for no longer holds. Only the command
   * line needs none, because nobody can revoke an operator's right in between.
   */
  readonly check?: (tx: Tx) => Promise<void>;
}

interface CredentialsParts {
  readonly store: Store;
  readonly revision: Revision;
  readonly accounts: Accounts;
  readonly events: AuditLog;
}

/**
 * Reads and changes passwords. Verifying one takes so long that it may be changed in the meantime, so each change of a
 * credential repeats in its own transaction, with `isCurrent` and `Sessions.assertAlive`, what was verified before it.
 */
export class Credentials {
  readonly #parts: CredentialsParts;

  constructor(parts: CredentialsParts) {
    this.#parts = parts;
  }

  /** Resolves with what a login is checked against; `undefined` if there is no such account. */
  async passwordOf(username: string): Promise<StoredPassword | undefined> {
    const row = await this.#parts.store.get<{ id: number; role: Role; hash: string; suspended_at: number | null }>(
      'select id, role, password_hash as hash, suspended_at from accounts where username = ?',
      username,
    );
    return row && { id: row.id, role: row.role, hash: row.hash, isSuspended: row.suspended_at !== null };
  }

  /** Resolves with whether the account still has this password hash and may log in. */
  async isCurrent(tx: Reader, accountId: number, hash: string): Promise<boolean> {
    const row = await tx.get(
      'select 1 from accounts where id = ? and password_hash = ? and suspended_at is null',
      accountId,
      hash,
    );
    return row !== undefined;
  }

  /** Sets a new password and ends the account's other sessions. Errors: 404 `account_not_found`. */
  async setPassword(
    { id, username }: Pick<Account, 'id' | 'username'>,
    hash: string,
    { ip, keepSession = '', check }: PasswordChange = { ip: '' },
  ): Promise<void> {
    await this.#parts.revision.mutate(
      async (tx) => {
        await check?.(tx);
        const { changes } = await tx.run('update accounts set password_hash = ? where id = ?', hash, id);
        if (changes === 0) throw fail.account_not_found(`there is no account ${username}`);
        await endOtherSessions(tx, id, keepSession);
        await this.#parts.events.record(tx, {
          type: 'password.changed',
          account: { id, username },
          text: 'changed the password',
          ip,
        });
      },
      () => this.#parts.accounts.cells.forget(id),
    );
  }
}
