/** The rights of a user on one database. */
import type { DatabaseClient } from '../../../kernel/contract/points/database-servers.ts';
import {
  identifier,
  isSqlError,
  quotedInPattern,
  quotedUser,
  type UserName,
} from '../../../kernel/kit/databases/mysql-text.ts';
import { privilegesIn } from './privileges.ts';

/** The user has no such rights. */
const NO_GRANT = 1141;

const levelOf = (database: string): string => `${identifier(quotedInPattern(database))}.*`;

/** Gives a user these rights on a database; those that it has beyond them on this database alone are revoked. */
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
  if (added.length > 0) await client.query(`grant ${added.join(', ')} on ${levelOf(database)} to ${quotedUser(user)}`);
  if (gone.length > 0)
    await client.query(`revoke ${gone.map(optionName).join(', ')} on ${levelOf(database)} from ${quotedUser(user)}`);
}

/** Resolves with whether the user had rights on this database alone, which it then has no more. */
export async function revokeAccess(client: DatabaseClient, user: UserName, database: string): Promise<boolean> {
  const revoke = async (rights: string): Promise<boolean> => {
    try {
      await client.query(`revoke ${rights} on ${levelOf(database)} from ${quotedUser(user)}`);
      return true;
    } catch (error) {
      if (isSqlError(error) && error.errno === NO_GRANT) return false;
      throw error;
    }
  };
  const [had, mightGrant] = [await revoke('all privileges'), await revoke('grant option')];
  return had || mightGrant;
}

async function readAccess(client: DatabaseClient, { name, host }: UserName, database: string): Promise<string[]> {
  const key = [name, host, quotedInPattern(database)].map((text) => Buffer.from(text));
  const [row] = await client.query<object>('select * from mysql.db where user = ? and host = ? and db = ?', key);
  return row === undefined ? [] : privilegesIn({ ...row });
}

const optionName = (privilege: string): string => (privilege === 'GRANT' ? 'grant option' : privilege);
