import { TOTP } from 'otpauth';
import type { TestAccount } from './test-accounts.ts';
import type { ValuePool } from './value-pool.ts';

/** Stands in a request template for a value that is known only when the request is sent. */
export class Placeholder {
  readonly kind: 'known' | 'credential' | 'same-path';
  /** Keys of the value pool, or the name of a credential. */
  readonly names: readonly string[];
  readonly nth: number;
  readonly around: (text: string) => string;

  constructor(
    kind: Placeholder['kind'],
    names: readonly string[],
    nth = 0,
    around: (text: string) => string = (text) => text,
  ) {
    this.kind = kind;
    this.names = names;
    this.nth = nth;
    this.around = around;
  }

  toString(): string {
    return `<${this.kind} ${this.names.join('|')} ${this.nth}>`;
  }
}

/** Returns the value for a request of this account to this path; `unknown` while the pool is empty. */
export function resolvePlaceholder(
  placeholder: Placeholder,
  account: TestAccount,
  pool: ValuePool,
  path: string,
): string {
  const { kind, names, nth } = placeholder;
  const [name = ''] = names;
  const own = names.map((each) => `${account.username} ${each}`);
  if (kind === 'known')
    return placeholder.around((nth % 5 === 0 ? undefined : pool.pick(own, nth)) ?? pool.pick(names, nth) ?? 'unknown');
  if (kind === 'same-path') return pool.pick([`${path} ${name}`, `${account.username} ${name}`], nth) ?? 'unknown';
  switch (name) {
    case 'username':
      return account.username;
    case 'password':
      return account.password;
    case 'totp':
      return account.secret === '' ? '000000' : new TOTP({ secret: account.secret }).generate();
    case 'code':
      return account.recoveryCodes.pop() ?? '000000';
    default:
      return '';
  }
}
