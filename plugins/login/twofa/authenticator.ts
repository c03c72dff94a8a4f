/** Codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s), and the recovery codes that replace them. */
import { createHash, randomBytes } from 'node:crypto';
import { lazyPackage } from '../../../kernel/kit/programs/lazy-package.ts';

const otpauth = lazyPackage<typeof import('otpauth')>('otpauth', import.meta.url);
const qr = lazyPackage<typeof import('qr')>('qr', import.meta.url);

const PERIOD_S = 30;
const OPTIONS = { algorithm: 'SHA1', digits: 6, period: PERIOD_S } as const;
const RECOVERY_CODES = 10;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns 160 random bits in base32. */
export function newSecret(): string {
  return new (otpauth().Secret)({ size: 20 }).base32;
}

export function otpauthUrl(issuer: string, username: string, secret: string): string {
  return new (otpauth().TOTP)({ ...OPTIONS, issuer, label: username, secret }).toString();
}

/** Returns a data URL of an SVG. */
export function qrCode(text: string): string {
  // A white background, for dark pages.
  const svg = qr().encodeQR(text, 'svg').replace('<path', '<rect width="100%" height="100%" fill="#fff"/><path');
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** Returns the number of the code's 30-second step, at most one early or late; `undefined` for a wrong code. */
export function matchingStep(code: string, secret: string, now: number): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const delta = new (otpauth().TOTP)({ ...OPTIONS, secret }).validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_S) + delta;
}

/**
 * Returns ten codes of 120 random bits, as six groups of four base32 letters: enough entropy for a hash without salt
 * (ASVS 6.5.2).
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(24), (byte) => BASE32.charAt(byte & 31)).join('');
    return letters.replace(/(.{4})(?=.)/g, '$1-');
  });
}

/** Returns the stored hash of a recovery code as typed by a person; `undefined` when it does not have the form. */
export function recoveryHash(code: string): string | undefined {
  const letters = code.replace(/[\s-]/g, '').toUpperCase();
  return /^[A-Z2-7]{24}$/.test(letters) ? createHash('sha256').update(letters).digest('hex') : undefined;
}
