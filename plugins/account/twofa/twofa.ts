import type { Account } from '../../../kernel/identity/accounts.ts';
import { HttpError } from '../../../kernel/errors.ts';
import type { Host } from '../../../kernel/plugin-api/plugin.ts';
import type { Reader, Tx } from '../../../kernel/storage/store.ts';
import type { TwofaSetup } from '../schema.ts';
import { enableTwofa, removeTwofa, startTwofa, twofaOf, useRecoveryCode, useStep } from '../store.ts';

/** How long a set-up waits for its first code. */
const SETUP_MS = 15 * 60_000;

/** Spends a code, as part of the transaction of what it allows; `false` when it is spent already. */
export type ConsumeCode = (tx: Tx) => Promise<boolean>;

/** The second factor of accounts. Whatever decides is decided by one statement in the transaction that it is for. */
export class Twofa {
  readonly #host: Pick<Host, 'store' | 'identity'>;
  readonly #issuer: string;

  constructor(host: Pick<Host, 'store' | 'identity'>, issuer: string) {
    this.#host = host;
    this.#issuer = issuer;
  }

  async isEnabled(accountId: number, reader: Reader = this.#host.store): Promise<boolean> {
    return typeof (await twofaOf(reader, accountId))?.enabled_at === 'number';
  }

  /** A new secret, which counts once `enable` has seen a code of it. Errors: 409 `twofa_already_enabled`. */
  async start({ id, username }: Account): Promise<TwofaSetup> {
    const { newSecret, otpauthUrl, qrCode } = await codes();
    const secret = newSecret();
    const sealed = this.#host.identity.keys.seal(secret, context(id));
    if (!(await this.#host.store.write((tx) => startTwofa(tx, id, sealed, Date.now())))) throw alreadyOn();
    const url = otpauthUrl(this.#issuer, username, secret);
    return { secret, otpauth_url: url, qr: qrCode(url) };
  }

  /**
   * What turns it on, given the first code, and the recovery codes that then hold.
   * Errors: 409 `twofa_already_enabled`, `twofa_not_started`; 400 `invalid_code`.
   */
  async enabling(
    { id }: Account,
    code: string,
  ): Promise<{ recoveryCodes: string[]; enable: (tx: Tx) => Promise<void> }> {
    const { newRecoveryCodes, recoveryHash, stepOf } = await codes();
    const row = await twofaOf(this.#host.store, id);
    if (typeof row?.enabled_at === 'number') throw alreadyOn();
    if (row === undefined || row.started_at < Date.now() - SETUP_MS) throw notStarted();
    const step = stepOf(code, this.#host.identity.keys.unseal(row.secret, context(id)), Date.now());
    if (step === undefined) throw new HttpError('invalid_code', 'the code is not one that the app shows now');
    const recoveryCodes = newRecoveryCodes();
    const hashes = recoveryCodes.map((each) => recoveryHash(each) ?? '');
    const enable = async (tx: Tx) => {
      if (!(await enableTwofa(tx, id, row.secret, step, Date.now(), hashes))) throw notStarted();
    };
    return { recoveryCodes, enable };
  }

  /** What spends a code of an account; `undefined` when it is none. */
  async codeConsumer(accountId: number, code: string): Promise<ConsumeCode | undefined> {
    const { recoveryHash, stepOf } = await codes();
    const row = await twofaOf(this.#host.store, accountId);
    if (typeof row?.enabled_at !== 'number') return undefined;
    const step = stepOf(code, this.#host.identity.keys.unseal(row.secret, context(accountId)), Date.now());
    if (step !== undefined) return (tx) => useStep(tx, accountId, row.secret, step);
    const hash = recoveryHash(code);
    return hash === undefined ? undefined : (tx) => useRecoveryCode(tx, accountId, hash);
  }

  disable(tx: Tx, accountId: number): Promise<void> {
    return removeTwofa(tx, accountId);
  }
}

/** Loaded when first needed, because start-up time is counted. */
function codes(): Promise<typeof import('./authenticator.ts')> {
  return import('./authenticator.ts');
}

/** Binds a sealed secret to its account. */
function context(accountId: number): string {
  return `twofa ${accountId}`;
}

export function alreadyOn(): HttpError {
  return new HttpError('twofa_already_enabled', 'two-factor authentication is on already');
}

export function notOn(): HttpError {
  return new HttpError('twofa_not_enabled', 'two-factor authentication is not on');
}

function notStarted(): HttpError {
  return new HttpError(
    'twofa_not_started',
    'the set-up of two-factor authentication was not started, or waited too long for its first code',
  );
}
