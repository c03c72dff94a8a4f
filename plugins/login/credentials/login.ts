import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { HashLane } from '../../../kernel/identity/gate/password-hasher.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { USER_AGENT_CHARACTERS, type LoggedIn } from '../../../kernel/areas/login.ts';
import type { Reply } from '../../../kernel/contract/reply.ts';
import { addressNetwork } from '../../../kernel/kit/net/ip.ts';
import { invalidCredentials } from '../errors.ts';
import { addLogin } from '../store.ts';
import { codeRequired, type ConsumeCode, type Twofa } from '../twofa/twofa.ts';
import type { Throttle } from '../throttle/throttle.ts';

interface LoginInput {
  readonly username: string;
  readonly password: string;
  readonly twofa_code?: string | null;
}
interface Client {
  readonly ip: string;
  readonly userAgent: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}
type Parts = Pick<Host, 'identity' | 'events'> & { readonly throttle: Throttle; readonly twofa: Twofa };

/** Logs accounts in. */
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
    const { accounts, credentials, passwords } = this.#parts.identity;
    const { username, password, twofa_code: code } = input;
    const known = await credentials.passwordOf(username);
    const check = async (lane: HashLane): Promise<LoggedIn | Reply> => {
      const isRight = await passwords.verify(password, known?.hash, { ...lane, signal: client.signal });
      if (!isRight || known === undefined || known.isSuspended) throw invalidCredentials();
      const account = await accounts.byId(known.id);
      if (account === undefined) throw invalidCredentials();
      return this.#secondFactor(account, known.hash, code ?? '', client);
    };
    return this.#parts.throttle.guard({ username, account: known, ip: client.ip }, check, async (tx) => {
      if (known === undefined) return;
      const account = { id: known.id, username };
      await this.#parts.events.record(tx, { type: 'login.failed', account, text: 'failed to log in', ip: client.ip });
    });
  }

  async #secondFactor(account: Account, hash: string, code: string, client: Client): Promise<LoggedIn | Reply> {
    const consume = await this.#parts.twofa.secondFactor(account.id, code);
    if (consume === 'required') return codeRequired(account);
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
        const isCurrent = await identity.credentials.isCurrent(tx, account.id, hash);
        if (!isCurrent || !(await consume(tx))) throw invalidCredentials();
        await addLogin(tx, account.id, { at: Date.now(), ip }, addressNetwork(ip));
        await events.record(tx, { type: 'login', account, text: 'logged in', ip });
      },
    );
    this.successes += 1;
    return { token, user_id: account.id, expires_in: expiresIn };
  }
}
