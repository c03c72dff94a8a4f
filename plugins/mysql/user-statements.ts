import { randomInt } from 'node:crypto';
import type { DatabaseClient } from '../../kernel/contract/points/database-servers.ts';
import { isSqlError, literal, quotedUser, userText, type UserName } from '../../kernel/kit/mysql-text.ts';
import { fail } from './errors.ts';
import { endProcesses } from './processes.ts';

/** There is such a user already. */
const TAKEN = 1396;
/** Neither ambiguous when read, nor special in a file of settings or a URL. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_';
const PASSWORD_CHARACTERS = 24;
/** Kinds of characters that a server may ask for. */
const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/];

export interface UserSecret extends UserName {
  readonly password: string;
}

/** Errors: 409 `database_user_exists`. */
export async function createUser(client: DatabaseClient, user: UserSecret): Promise<void> {
  try {
    await client.query(`create user ${quotedUser(user)} identified by ${literal(user.password)}`);
  } catch (error) {
    if (!isSqlError(error) || error.errno !== TAKEN) throw error;
    throw fail.database_user_exists(`there is a database user ${userText(user)} already`);
  }
}

/** Drops a user, unless it is gone already, and ends its processes, which would live on. */
export async function dropUser(client: DatabaseClient, user: UserName): Promise<void> {
  await client.query(`drop user if exists ${quotedUser(user)}`);
  await endProcesses(client, [user]);
}

export function newPassword(): string {
  for (;;) {
    const characters = Array.from({ length: PASSWORD_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
    const password = characters.join('');
    if (KINDS.every((kind) => kind.test(password))) return password;
  }
}
