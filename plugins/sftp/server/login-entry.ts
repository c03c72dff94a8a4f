import { createHash } from 'node:crypto';
import { fail as refuse } from '../../../kernel/errors.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { isHashed } from '../passwords.ts';
import { readPublicKey } from '../public-key.ts';

/** A login, as ProFTPD knows it. */
export interface LoginEntry {
  /** The whole name; see `LOGIN`. */
  readonly name: string;
  /** The password, hashed by crypt(3); `null` for a login with keys only. */
  readonly secret: string | null;
  /** The components of its folder, below the folder of the account's files. */
  readonly folder: readonly string[];
  /** Public keys; see `PublicKey.blob`. */
  readonly keys: readonly string[];
}

/** The bounds of an account, whatever its plan says. */
export const MOST_LOGINS = 500;
export const MOST_KEYS = 50;
/** The part of a name after that of the account and an underscore. */
export const SUFFIX = /^[a-z0-9][a-z0-9_-]{0,23}$/;
export const LOGIN = /^[a-z][a-z0-9_-]{0,63}$/;
/** No component can hold the sign that ends a field of the file of logins. */
const COMPONENT = /^(?!\.{1,2}$)[^/:\u0000-\u001f\u007f]{1,255}$/;
const DEEPEST = 64;

export const isUsableComponent = (name: string): boolean => COMPONENT.test(name);

/** Checks logins again, whatever the service has checked. Errors: 400 `invalid_request`. */
export function readLogins(value: unknown, { username }: Identified): LoginEntry[] {
  const logins = readList(value, MOST_LOGINS, (item) => readLogin(item, username));
  if (new Set(logins.map(({ name }) => name)).size < logins.length)
    throw refuse.invalid_request('expected each login once');
  return logins;
}

function readLogin(value: unknown, username: string): LoginEntry {
  const given = readMembers(value, ['name', 'secret', 'folder', 'keys']);
  const name = readText(given.name, LOGIN);
  if (!name.startsWith(`${username}_`) || !SUFFIX.test(name.slice(username.length + 1)))
    throw refuse.invalid_request(`expected a name that begins with ${username}_`);
  if (given.secret !== null && !isHashed(given.secret)) throw refuse.invalid_request('expected a hashed password');
  return {
    name,
    secret: given.secret as string | null,
    folder: readList(given.folder, DEEPEST, (item) => readText(item, COMPONENT)),
    keys: readList(given.keys, MOST_KEYS, readKey),
  };
}

function readKey(value: unknown): string {
  const blob = readText(value, /^/);
  try {
    return readPublicKey(blob).blob;
  } catch (cause) {
    throw refuse.invalid_request('expected a public key', { cause });
  }
}

/** Returns what tells a login from one that was changed in any way. */
export function loginDigest({ name, secret, folder, keys }: LoginEntry): string {
  const text = JSON.stringify([name, secret, folder, keys.toSorted()]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
