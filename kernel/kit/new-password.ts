import { randomInt } from 'node:crypto';

/** Neither ambiguous when read, nor special in a file of settings or a URL. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_';
const PASSWORD_CHARACTERS = 24;
/** Kinds of characters that a server may ask for. */
const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/];

/** Returns a password of 24 characters of ASCII. */
export function newPassword(): string {
  for (;;) {
    const characters = Array.from({ length: PASSWORD_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
    const password = characters.join('');
    if (KINDS.every((kind) => kind.test(password))) return password;
  }
}
