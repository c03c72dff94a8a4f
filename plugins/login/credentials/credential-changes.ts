import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { HashLane } from '../../../kernel/identity/gate/password-hasher.ts';
import type { Session } from '../../../kernel/identity/gate/sessions.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Reply } from '../../../kernel/contract/reply.ts';
import { fail, invalidProof } from '../errors.ts';
import { alreadyEnabled, codeRequired, notEnabled, type Twofa } from '../twofa/twofa.ts';
import type { Reauthenticated } from './schema.ts';
import type { Throttle } from '../throttle/throttle.ts';

/** The caller of a route that requires a token. */
export interface Caller {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
}
/** Rejects, in the transaction of a change, if what was verified before it no longer holds. */
type Recheck = (tx: Tx) => Promise<void>;
type Parts = Pick<Host, 'identity' | 'events' | 'store'> & { readonly throttle: Throttle; readonly twofa: Twofa };

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

  /**
   * Errors: 401 `invalid_credentials`; 400 for a new password of a wrong length; 403 `reauthentication_required` for an
   * administrator who has a second factor, because here only the password is asked for.
   */
  async changePassword(caller: Caller, password: string, newPassword: string): Promise<{ changed: true }> {
    const { store } = this.#parts;
    const { credentials, passwords } = this.#parts.identity;
    const { account, ip, session } = caller;
    await this.#assertFactorProved(store, caller);
    return this.#withPassword(caller, password, async (recheck) => {
      const hash = await passwords.hash(newPassword, laneOf(account));
      const check = async (tx: Tx) => {
        await recheck(tx);
        await this.#assertFactorProved(tx, caller);
      };
      await credentials.setPassword(account, hash, { ip, keepSession: session.id, check });
      return { changed: true };
    });
  }

  async #assertFactorProved(reader: Reader, { account, session }: Caller): Promise<void> {
    const { identity, twofa } = this.#parts;
    if (account.role === 'admin' && (await twofa.isEnabled(account.id, reader)))
      await identity.reauthentication.assertRecent(reader, session);
  }

  /**
   * Notes in the session that password and second factor were proved again, or resolves with the 401 that requires a
   * code. Errors: 401 `invalid_credentials`.
   */
  reauthenticate(caller: Caller, password: string, code: string): Promise<Reauthenticated | Reply> {
    const { events, identity, store } = this.#parts;
    const { account, ip, session } = caller;
    return this.withProof(caller, password, code, (check) =>
      store.write(async (tx) => {
        await check(tx);
        await events.record(tx, { type: 'reauthenticated', account, text: 'proved the password again', ip });
        return { reauthenticated: true, expires_in: await identity.reauthentication.note(tx, session) };
      }),
    );
  }

  /**
   * Runs `work` only with password and second factor, or resolves with the 401 that requires a code. Errors: 401
   * `invalid_credentials`.
   */
  withProof<T>(
    caller: Caller,
    password: string,
    code: string,
    work: (check: Recheck) => Promise<T>,
  ): Promise<T | Reply> {
    const { twofa } = this.#parts;
    return this.#withPassword(caller, password, async (check) => {
      const consume = await twofa.secondFactor(caller.account.id, code);
      if (consume === 'required') return codeRequired(caller.account);
      if (consume === undefined) throw invalidProof();
      return work(async (tx) => {
        await check(tx);
        if (!(await consume(tx))) throw invalidProof();
      });
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
        if (consume === undefined || !(await consume(tx))) throw invalidProof();
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
      if (known === undefined || !(await passwords.verify(password, known.hash, laneOf(account)))) throw invalidProof();
      return work(async (tx) => {
        await sessions.assertAlive(tx, session); // first: a session that a revocation ended is no failed guess
        if (!(await credentials.isCurrent(tx, account.id, known.hash))) throw invalidProof();
      });
    });
  }

  #throttled<T>({ account, ip }: Caller, check: () => Promise<T>): Promise<T> {
    const { throttle, events } = this.#parts;
    return throttle.guard({ username: account.username, account, ip }, check, (tx) =>
      events.record(tx, { type: 'login.failed', account, text: 'gave a wrong password or code', ip }),
    );
  }
}

/**
 * Returns the call of an account's owner, who alone changes its credentials, sees its API tokens and ends other sessions. Errors: 403 `owner_required` in a session that an
 * administrator opened.
 */
export function asOwner<C extends { readonly session: Session }>(call: C): C {
  if (call.session.openedBy !== null)
    throw fail.owner_required('this session was opened by an administrator, who does not act as the owner');
  return call;
}

/** Hashing for a session goes into the reserved lane: a flood of wrong logins must not delay it. */
function laneOf({ id }: Account): HashLane {
  return { client: id, isReserved: true };
}
