import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'hk_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Characters of 5.95 random bits each: 178 bits. */
const RANDOM = 30;
/** As many digits as 32 bits need in base 62. */
const CHECKSUM = 6;
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM}})([0-9A-Za-z]{${CHECKSUM}})$`);
/** The largest multiple of 62 in a byte: from the bytes above it, some digits would come more often. */
const FAIR = 248;

/**
 * Returns a new token: `hk_`, 30 random digits of base 62, and the CRC-32 of these as six more. A scanner can tell one from
 * other text without asking anybody, and so can the server from a typing error.
 */
export function newTokenText(): string {
  let random = '';
  while (random.length < RANDOM)
    for (const byte of randomBytes(RANDOM))
      if (byte < FAIR && random.length < RANDOM) random += DIGITS.charAt(byte % DIGITS.length);
  return `${PREFIX}${random}${checksumOf(random)}`;
}

/** Whether a text claims to be an API token. */
export function hasTokenPrefix(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Returns the hash under which the store has a token; `undefined` if its form or its checksum is wrong. */
export function tokenHash(text: string): string | undefined {
  const [, random = '', checksum] = FORM.exec(text) ?? [];
  return checksum !== undefined && checksum === checksumOf(random)
    ? createHash('sha256').update(text).digest('hex')
    : undefined;
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM; i += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
