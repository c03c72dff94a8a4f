import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import { ready, type Reply } from '../../../kernel/contract/reply.ts';
import type { Reader, Tx } from '../../../kernel/store/store.ts';
import { fail, CHALLENGE } from '../errors.ts';
import type { TwofaSetup } from './schema.ts';
import { enableTwofa, removeTwofa, startTwofa, readTwofa, useRecoveryCode, useStep } from '../store.ts';
import { newRecoveryCodes, newSecret, otpauthUrl, qrCode, recoveryHash, matchingStep } from './authenticator.ts';

/** How long a set-up can be confirmed. */
const SETUP_MS = 15 * 60_000;

/** Consumes a code in the transaction of the change that it allows; resolves with `false` when it is already used. */
export type ConsumeCode = (tx: Tx) => Promise<boolean>;

/** The second factor of accounts. Each decision is a single statement in the transaction of the change. */
export class Twofa {
  readonly #host: Pick<Host, 'store' | 'identity'>;
  readonly #issuer: string;

  constructor(host: Pick<Host, 'store' | 'identity'>, issuer: string) {
    this.#host = host;
    this.#issuer = issuer;
  }

  async isEnabled(accountId: number, reader: Reader = this.#host.store): Promise<boolean> {
    return typeof (await readTwofa(reader, accountId))?.enabled_at === 'number';
  }

  /**
   * Returns a new secret, which takes effect once a code confirms it. `check` runs first in the transaction. Errors:
   * 409 `twofa_already_enabled`.
   */
  async start({ id, username }: Account, check: (tx: Tx) => Promise<void>): Promise<TwofaSetup> {
    const secret = newSecret();
    const sealed = this.#host.identity.keys.seal(secret, context(id));
    await this.#host.store.write(async (tx) => {
      await check(tx);
      if (!(await startTwofa(tx, id, sealed, Date.now()))) throw alreadyEnabled();
    });
    const url = otpauthUrl(this.#issuer, username, secret);
    return { secret, otpauth_url: url, qr: qrCode(url) };
  }

  /**
   * Checks the first code; resolves with the recovery codes and a function that turns two-factor authentication on.
   * Errors: 409 `twofa_already_enabled`, `twofa_not_started`; 400 `invalid_code`.
   */
  async confirm(
    { id }: Account,
    code: string,
  ): Promise<{ recoveryCodes: string[]; enable: (tx: Tx) => Promise<void> }> {
    const row = await readTwofa(this.#host.store, id);
    if (typeof row?.enabled_at === 'number') throw alreadyEnabled();
    if (row === undefined || row.started_at < Date.now() - SETUP_MS) throw notStarted();
    const step = matchingStep(code, this.#host.identity.keys.unseal(row.secret, context(id)), Date.now());
    if (step === undefined) throw fail.invalid_code('the code does not match the one in the app');
    const recoveryCodes = newRecoveryCodes();
    const hashes = recoveryCodes.map((each) => recoveryHash(each) ?? '');
    const enable = async (tx: Tx) => {
      if (!(await enableTwofa(tx, id, row.secret, step, Date.now(), hashes))) throw notStarted();
    };
    return { recoveryCodes, enable };
  }

  /**
   * Resolves with a function that consumes the second factor of a login: the code, or, where two-factor authentication is
   * off, nothing, as long as it stays off. `'required'` if a code is missing, `undefined` if it is wrong.
   */
  async secondFactor(accountId: number, code: string): Promise<ConsumeCode | 'required' | undefined> {
    if (!(await this.isEnabled(accountId))) return async (tx) => !(await this.isEnabled(accountId, tx));
    return code === '' ? 'required' : this.codeConsumer(accountId, code);
  }

  /** Resolves with a function that consumes this code of the account; `undefined` when the code is wrong. */
  async codeConsumer(accountId: number, code: string): Promise<ConsumeCode | undefined> {
    const row = await readTwofa(this.#host.store, accountId);
    if (typeof row?.enabled_at !== 'number') return undefined;
    const step = matchingStep(code, this.#host.identity.keys.unseal(row.secret, context(accountId)), Date.now());
    if (step !== undefined) return (tx) => useStep(tx, accountId, row.secret, step);
    const hash = recoveryHash(code);
    return hash === undefined ? undefined : (tx) => useRecoveryCode(tx, accountId, hash);
  }

  disable(tx: Tx, accountId: number): Promise<void> {
    return removeTwofa(tx, accountId);
  }
}

/** The 401 that asks for a code, because the password is right. */
export function codeRequired(account: Account): Reply {
  return ready({ twofa_required: true, user_id: account.id }, { status: 401, headers: CHALLENGE });
}

/** Binds a sealed secret to its account. */
function context(accountId: number): string {
  return `twofa ${accountId}`;
}

export function alreadyEnabled(): HttpError {
  return fail.twofa_already_enabled('two-factor authentication is already on');
}

export function notEnabled(): HttpError {
  return fail.twofa_not_enabled('two-factor authentication is not on');
}

function notStarted(): HttpError {
  return fail.twofa_not_started('the set-up of two-factor authentication was not started, or has expired');
}
