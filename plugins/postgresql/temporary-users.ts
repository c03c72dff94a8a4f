/** Database users that are made for one use of one database, with rights on it only. */
import { newPassword } from '../../kernel/kit/new-password.ts';
import { MAINTENANCE } from '../../kernel/kit/databases/table-maintenance.ts';
import type { PostgresqlLogin } from '../../kernel/kit/databases/postgresql/client.ts';
import { groupFor } from './server/names.ts';
import { dropRole, makeUser, type Connections } from './server/roles.ts';
import { scramVerifier } from './server/scram.ts';
import { identifier as id, literal } from '../../kernel/kit/databases/postgresql/sql-text.ts';

/** Rights, and for how long a statement may run. */
const USES = {
  import: { level: 'owner', seconds: 3600 },
  export: { level: 'owner', seconds: 3600 },
  vacuum: { level: 'owner', seconds: MAINTENANCE.tableMs / 1000 },
  query: { level: 'read_only', seconds: 15 },
} as const;
export type TemporaryUse = keyof typeof USES;

/** No name that an account can choose ends so. */
const nameOf = (use: TemporaryUse, database: string): string => `${database}-${use}`;

/** Makes the user. Resolves with its login. */
export async function makeTemporary(
  { main }: Connections,
  use: TemporaryUse,
  database: string,
): Promise<Pick<PostgresqlLogin, 'user' | 'password'>> {
  const [user, password] = [nameOf(use, database), newPassword()];
  const { level, seconds } = USES[use];
  const limits = { connections_limit: 1, statement_seconds: seconds, idle_seconds: 3600 };
  await makeUser(main, user, scramVerifier(password), limits);
  const group = groupFor(database, level);
  await main.transaction([
    `grant ${id(group)} to ${id(user)}`,
    `alter role ${id(user)} in database ${id(database)} set role = ${literal(group)}`,
  ]);
  return { user, password };
}

/** Ends what the user does, and drops it, unless it is gone; what it owns becomes that of the database's owners. */
export const retireTemporary = (server: Connections, use: TemporaryUse, database: string): Promise<void> =>
  dropRole(server, nameOf(use, database));
