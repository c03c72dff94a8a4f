import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { isSqlError, literal, quotedUser, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import { fail } from '../errors.ts';
import { endProcesses } from '../processes.ts';

/** There is such a user already. */
const TAKEN = 1396;
export interface UserSecret extends UserName {
  readonly password: string;
}

/** Errors: 409 `database_user_exists`. */
export async function createUser(client: DatabaseClient, user: UserSecret): Promise<void> {
  try {
    await client.query(`create user ${quotedUser(user)} identified by ${literal(user.password)}`);
  } catch (error) {
    if (!isSqlError(error) || error.errno !== TAKEN) throw error;
    throw userIsTaken(user);
  }
}

export const userIsTaken = (user: UserName) =>
  fail.database_user_exists(`there is a database user ${userText(user)} already`);

/** Drops a user, unless it is gone already, and ends its processes, which would live on. */
export async function dropUser(client: DatabaseClient, user: UserName): Promise<void> {
  await client.query(`drop user if exists ${quotedUser(user)}`);
  await endProcesses(client, [user]);
}
