import type { Account } from '../../../kernel/identity/accounts.ts';
import type { Session } from '../../../kernel/identity/sessions.ts';
import type { Tx } from '../../../kernel/storage/store.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import { ready, type Reply } from '../../../kernel/plugin-api/reply.ts';
import { networkOf } from '../../../kernel/system/ip.ts';
import { addLogin } from '../store.ts';
import { alreadyEnabled, notEnabled, type ConsumeCode, type Twofa } from '../twofa/twofa.ts';
import type { Throttle } from './throttle.ts';

/** Longer user agents are cut. */
const USER_AGENT_CHARACTERS = 512;

interface LoginInput {
  readonly username: string;
  readonly password: string;
  readonly twofa_code?: string;
}
interface Client {
  readonly ip: string;
  readonly userAgent: string;
}
/** The caller of a route that requires a token. */
export interface Caller {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
}
interface LoggedIn {
  readonly token: string;
  readonly user_id: number;
  readonly expires_in: number;
}
type Parts = Pick<Host, 'identity' | 'events' | 'store'> & { readonly throttle: Throttle; readonly twofa: Twofa };

/** All operations that check a password or a code. Their failures count against the same budgets. */
export class Login {
  successes = 0;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves with a token, or with the 401 that requires a code. Errors: 401 `invalid_credentials`, the same in content
   * and time for every reason.
   */
  async logIn(input: LoginInput, client: Client): Promise<LoggedIn | Reply> {
    const { accounts, passwords } = this.#parts.identity;
    const [account, known] = await Promise.all([
      accounts.byUsername(input.username),
      accounts.passwordHash(input.username),
    ]);
    const attempt = { username: input.username, accountId: account?.id, ip: client.ip };
    const check = async (): Promise<LoggedIn | Reply> => {
      const isRight = await passwords.verify(input.password, known?.hash);
      if (!isRight || known === undefined || account === undefined || account.suspended) throw invalidCredentials();
      return this.#secondFactor(account, known.hash, input.twofa_code ?? '', client);
    };
    return this.#parts.throttle.guard(attempt, check, async (tx) => {
      if (account !== undefined)
        await this.#parts.events.record(tx, { type: 'login.failed', account, text: 'failed to log in', ip: client.ip });
    });
  }

  async #secondFactor(account: Account, hash: string, code: string, client: Client): Promise<LoggedIn | Reply> {
    const { twofa } = this.#parts;
    if (!(await twofa.isEnabled(account.id))) {
      return this.#session(account, hash, client, async (tx) => !(await twofa.isEnabled(account.id, tx)));
    }
    if (code === '') return ready({ twofa_required: true, user_id: account.id }, { status: 401, headers: CHALLENGE });
    const consume = await twofa.codeConsumer(account.id, code);
    if (consume === undefined) throw invalidCredentials();
    return this.#session(account, hash, client, consume);
  }

  /** Repeats in the transaction all checks made before it, because their results may have changed. */
  async #session(account: Account, hash: string, { ip, userAgent }: Client, consume: ConsumeCode): Promise<LoggedIn> {
    const { identity, events } = this.#parts;
    const { token, expiresIn } = await identity.sessions.open(
      account,
      ip,
      userAgent.slice(0, USER_AGENT_CHARACTERS),
      async (tx) => {
        const now = await identity.accounts.passwordHash(account.username, tx);
        if (now?.hash !== hash || now.isSuspended || !(await consume(tx))) throw invalidCredentials();
        await addLogin(tx, account.id, { at: Date.now(), ip }, networkOf(ip));
        await events.record(tx, { type: 'login', account, text: 'logged in', ip });
      },
    );
    this.successes += 1;
    return { token, user_id: account.id, expires_in: expiresIn };
  }

  /** Errors: 401 `invalid_credentials`, 400 for a new password of a wrong length. */
  changePassword(caller: Caller, password: string, newPassword: string): Promise<{ changed: true }> {
    const { accounts, passwords } = this.#parts.identity;
    return this.#withPassword(caller, password, async () => {
      await accounts.setPassword(
        caller.account.username,
        await passwords.hash(newPassword),
        caller.ip,
        caller.session.id,
      );
      return { changed: true };
    });
  }

  setUpTwofa(caller: Caller, password: string): ReturnType<Twofa['start']> {
    return this.#withPassword(caller, password, async () => {
      if (await this.#parts.twofa.isEnabled(caller.account.id)) throw alreadyEnabled();
      return this.#parts.twofa.start(caller.account);
    });
  }

  confirmTwofa(caller: Caller, code: string): Promise<{ enabled: true; recovery_codes: string[] }> {
    const { twofa } = this.#parts;
    return this.#throttled(caller, async () => {
      const { recoveryCodes, enable } = await twofa.confirm(caller.account, code);
      await this.#changeTwofa(caller, 'on', enable);
      return { enabled: true, recovery_codes: recoveryCodes };
    });
  }

  /** Errors: 409 `twofa_not_enabled`, 401 `invalid_credentials` for a wrong password or code. */
  disableTwofa(caller: Caller, password: string, code: string): Promise<{ enabled: false }> {
    const { twofa } = this.#parts;
    return this.#withPassword(caller, password, async () => {
      if (!(await twofa.isEnabled(caller.account.id))) throw notEnabled();
      const consume = await twofa.codeConsumer(caller.account.id, code);
      await this.#changeTwofa(caller, 'off', async (tx) => {
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
  #withPassword<T>(caller: Caller, password: string, work: () => Promise<T>): Promise<T> {
    const { accounts, passwords } = this.#parts.identity;
    return this.#throttled(caller, async () => {
      const known = await accounts.passwordHash(caller.account.username);
      if (!(await passwords.verify(password, known?.hash))) throw invalidCredentials();
      return work();
    });
  }

  #throttled<T>({ account, ip }: Caller, check: () => Promise<T>): Promise<T> {
    const { throttle, events } = this.#parts;
    return throttle.guard({ username: account.username, accountId: account.id, ip }, check, (tx) =>
      events.record(tx, { type: 'login.failed', account, text: 'gave a wrong password or code', ip }),
    );
  }
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' } as const;

function invalidCredentials(): HttpError {
  return new HttpError('invalid_credentials', 'wrong user name, password or code', {
    headers: CHALLENGE,
  });
}
