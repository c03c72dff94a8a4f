/** The rights of a user on one database. */
import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import {
  identifier,
  isSqlError,
  quotedInPattern,
  quotedUser,
  type UserName,
} from '../../../kernel/kit/databases/mysql-text.ts';
import { fail } from '../errors.ts';
import { privilegesIn } from '../../../kernel/kit/databases/mariadb/privileges.ts';

/** The user has no such rights. */
const NO_GRANT = 1141;
/** There is no such user. */
const NO_USER = 1133;

const levelOf = (pattern: string): string => `${identifier(pattern)}.*`;

/**
 * Gives a user these rights on a database; those that it has beyond them on this database alone are revoked. Errors: 404
 * `database_user_not_found`.
 */
export async function setAccess(
  client: DatabaseClient,
  user: UserName,
  database: string,
  privileges: readonly string[],
): Promise<void> {
  const before = await readAccess(client, user, database);
  const [added, gone] = [
    privileges.filter((each) => !before.includes(each)),
    before.filter((each) => !privileges.includes(each)),
  ];
  if (added.length > 0 && !(await grant(client, user, quotedInPattern(database), added)))
    throw fail.database_user_not_found('there is no such database user');
  if (gone.length > 0) await revoke(client, user, quotedInPattern(database), gone.map(optionName));
}

/** Gives a user rights where a pattern of `mysql.db` matches. Resolves with `false` if it is gone: in an empty SQL mode the server would make it. */
export async function grant(
  client: DatabaseClient,
  user: UserName,
  pattern: string,
  privileges: readonly string[],
): Promise<boolean> {
  const statement = `grant ${privileges.join(', ')} on ${levelOf(pattern)} to ${quotedUser(user)}`;
  try {
    await client.query(`set statement sql_mode = 'NO_AUTO_CREATE_USER' for ${statement}`);
    return true;
  } catch (error) {
    if (isSqlError(error) && error.errno === NO_USER) return false;
    throw error;
  }
}

/** Resolves with whether the user had rights with this pattern. */
export async function revoke(
  client: DatabaseClient,
  user: UserName,
  pattern: string,
  privileges: readonly string[],
): Promise<boolean> {
  try {
    await client.query(`revoke ${privileges.join(', ')} on ${levelOf(pattern)} from ${quotedUser(user)}`);
    return true;
  } catch (error) {
    if (isSqlError(error) && error.errno === NO_GRANT) return false;
    throw error;
  }
}

/** Resolves with whether the user had rights on this database alone, which it then has no more. */
export async function revokeAccess(client: DatabaseClient, user: UserName, database: string): Promise<boolean> {
  const pattern = quotedInPattern(database);
  const had = await revoke(client, user, pattern, ['all privileges']);
  const mightGrant = await revoke(client, user, pattern, ['grant option']);
  return had || mightGrant;
}

async function readAccess(client: DatabaseClient, { name, host }: UserName, database: string): Promise<string[]> {
  const key = [name, host, quotedInPattern(database)].map((text) => Buffer.from(text));
  const [row] = await client.query<object>('select * from mysql.db where user = ? and host = ? and db = ?', key);
  return row === undefined ? [] : privilegesIn({ ...row });
}

const optionName = (privilege: string): string => (privilege === 'GRANT' ? 'grant option' : privilege);
