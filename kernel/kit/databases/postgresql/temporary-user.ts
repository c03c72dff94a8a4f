import { newPassword } from '../../new-password.ts';
import type { PostgresqlLogin } from './client.ts';
import { groupFor, type LEVELS } from './names.ts';
import { makeUser, type ServerConnections } from './roles.ts';
import { scramVerifier } from './scram.ts';
import { identifier as id, literal } from './sql-text.ts';

export type UserLogin = Pick<PostgresqlLogin, 'user' | 'password'>;

interface Use {
  readonly database: string;
  readonly level: (typeof LEVELS)[number];
  /** For how long a statement may run; 0 for ever. */
  readonly seconds: number;
}

/**
 * Makes a database user for one use of one database, with rights on it only, for which it acts as the group that has them. It may connect
 * by a right of its own, also where the customer's users may not. Resolves with its login.
 */
export async function makeTemporaryUser(
  { main }: ServerConnections,
  user: string,
  { database, level, seconds }: Use,
): Promise<UserLogin> {
  const password = newPassword();
  const limits = { connections_limit: 1, statement_seconds: seconds, idle_seconds: 3600 };
  await makeUser(main, user, scramVerifier(password), limits);
  const group = groupFor(database, level);
  await main.transaction([
    `grant ${id(group)} to ${id(user)}`,
    `grant connect on database ${id(database)} to ${id(user)}`,
    `alter role ${id(user)} in database ${id(database)} set role = ${literal(group)}`,
  ]);
  return { user, password };
}
