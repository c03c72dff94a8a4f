import type { DatabaseClient, OwnNames } from '../../../kernel/areas/database-servers.ts';
import { isSqlError, quotedUser, userText } from '../../../kernel/kit/databases/mysql-text.ts';

/**
 * Drops the database users of an account: those with its prefix or with rights on what is, or by the rule would be, its
 * databases, and on nothing else. Resolves with why others that have such rights stay, and with the number of those that are gone.
 */
export async function dropUsers(
  client: DatabaseClient,
  own: OwnNames,
): Promise<{ readonly removed: number; readonly problems: readonly string[] }> {
  let removed = 0;
  const problems: string[] = [];
  try {
    const globals = await client.query<{ grantee: string }>(
      "select distinct grantee from information_schema.user_privileges where privilege_type <> 'USAGE'",
    );
    const powerful = new Set(globals.map(({ grantee }) => grantee));
    for (const { name, host, isOwn } of await own.usersIn(client)) {
      if (isOwn && name !== '' && !powerful.has(`'${name}'@'${host}'`)) {
        await client.query(`drop user ${quotedUser({ name, host })}`);
        removed += 1;
      } else
        problems.push(
          `the user ${userText({ name, host })} has other rights, too: drop it, or take those on the account's databases from it`,
        );
    }
  } catch (error) {
    if (!isSqlError(error)) throw error; // the connection is lost
    problems.push(`its database users: ${error.message}`);
  }
  return { removed, problems };
}
