import type { Account } from '../../../kernel/identity/accounts.ts';
import type { Session } from '../../../kernel/identity/sessions.ts';
import type { Tx } from '../../../kernel/storage/store.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import { invalidCredentials } from '../errors.ts';
import { alreadyEnabled, notEnabled, type Twofa } from '../twofa/twofa.ts';
import type { Throttle } from './throttle.ts';

/** The caller of a route that requires a token. */
export interface Caller {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
}
/** Rejects, in the transaction of a change, if what was verified before it no longer holds. */
type Recheck = (tx: Tx) => Promise<void>;
type Parts = Pick<Host, 'identity' | 'events'> & { readonly throttle: Throttle; readonly twofa: Twofa };

/**
 * Changes of an account's own password and second factor. Their failures count against the same budgets as those of
 * logins. Each is compared and set: its transaction repeats all checks that were made before it, so that a password
 * that was replaced in the meantime, or a session that was ended, changes nothing any more.
 */
export class CredentialChanges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Errors: 401 `invalid_credentials`, 400 for a new password of a wrong length. */
  changePassword(caller: Caller, password: string, newPassword: string): Promise<{ changed: true }> {
    const { credentials, passwords } = this.#parts.identity;
    const { account, ip, session } = caller;
    return this.#withPassword(caller, password, async (check) => {
      const hash = await passwords.hash(newPassword);
      await credentials.setPassword(account, hash, { ip, keepSession: session.id, check });
      return { changed: true };
    });
  }

  setUpTwofa(caller: Caller, password: string): ReturnType<Twofa['start']> {
    const { twofa } = this.#parts;
    return this.#withPassword(caller, password, async (check) => {
      if (await twofa.isEnabled(caller.account.id)) throw alreadyEnabled();
      return twofa.start(caller.account, check);
    });
  }

  confirmTwofa(caller: Caller, code: string): Promise<{ enabled: true; recovery_codes: string[] }> {
    const { twofa } = this.#parts;
    return this.#throttled(caller, async () => {
      const { recoveryCodes, enable } = await twofa.confirm(caller.account, code);
      await this.#changeTwofa(caller, 'on', async (tx) => {
        await this.#parts.identity.sessions.assertAlive(tx, caller.session);
        await enable(tx);
      });
      return { enabled: true, recovery_codes: recoveryCodes };
    });
  }

  /** Errors: 409 `twofa_not_enabled`, 401 `invalid_credentials` for a wrong password or code. */
  disableTwofa(caller: Caller, password: string, code: string): Promise<{ enabled: false }> {
    const { twofa } = this.#parts;
    return this.#withPassword(caller, password, async (check) => {
      if (!(await twofa.isEnabled(caller.account.id))) throw notEnabled();
      const consume = await twofa.codeConsumer(caller.account.id, code);
      await this.#changeTwofa(caller, 'off', async (tx) => {
        await check(tx);
        if (consume === undefined || !(await consume(tx))) throw invalidCredentials();
        await twofa.disable(tx, caller.account.id);
      });
      return { enabled: false };
    });
  }

  /** Makes the change and ends the account's other sessions. */
  async #changeTwofa(
    { account, session, ip }: Caller,
    to: 'on' | 'off',
    change: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    await this.#parts.identity.sessions.endOthers(account, session.id, ip, async (tx) => {
      await change(tx);
      await this.#parts.events.record(tx, {
        type: `twofa.${to}`,
        account,
        text: `turned two-factor authentication ${to}`,
        ip,
      });
    });
  }

  /** Runs `work` only with the account's password: a token alone is not enough. */
  #withPassword<T>(caller: Caller, password: string, work: (check: Recheck) => Promise<T>): Promise<T> {
    const { credentials, passwords, sessions } = this.#parts.identity;
    const { account, session } = caller;
    return this.#throttled(caller, async () => {
      const known = await credentials.passwordOf(account.username);
      if (known === undefined || !(await passwords.verify(password, known.hash))) throw invalidCredentials();
      return work(async (tx) => {
        await sessions.assertAlive(tx, session); // first: a session that a revocation ended is no failed guess
        if (!(await credentials.isCurrent(tx, account.id, known.hash))) throw invalidCredentials();
      });
    });
  }

  #throttled<T>({ account, ip }: Caller, check: () => Promise<T>): Promise<T> {
    const { throttle, events } = this.#parts;
    return throttle.guard({ username: account.username, accountId: account.id, ip }, check, (tx) =>
      events.record(tx, { type: 'login.failed', account, text: 'gave a wrong password or code', ip }),
    );
  }
}
