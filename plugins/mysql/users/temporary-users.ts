/** Database users that are made for one import, query or maintenance, with rights on one database only. */
import type { DatabaseClient } from '../../../kernel/contract/points/database-servers.ts';
import { literal, quotedUser, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import { newPassword } from '../../../kernel/kit/new-password.ts';
import { MAINTENANCE } from '../../../kernel/kit/databases/table-maintenance.ts';
import { setAccess } from './grants.ts';
import { PRIVILEGES } from './privileges.ts';
import { endProcesses } from '../processes.ts';
import { dropUser } from './user-statements.ts';

/** Rights, and for how long a statement may run. */
const USES = {
  import: { privileges: PRIVILEGES, seconds: 3600 },
  query: { privileges: ['SELECT', 'SHOW VIEW'], seconds: 10 },
  maintenance: { privileges: ['INSERT', 'SELECT'], seconds: MAINTENANCE.tableMs / 1000 },
} as const;
export type TemporaryUse = keyof typeof USES;
/** No name that an account can choose ends so. */
const NAME = new RegExp(`-(?:${Object.keys(USES).join('|')})$`);

export const isTemporary = ({ name }: { readonly name: string }): boolean => NAME.test(name);

export const temporaryUser = (use: TemporaryUse, database: string, host: string): UserName => ({
  name: `${database}-${use}`,
  host,
});

/** Resolves with the host from which this process is connected. */
export async function readOwnHost(client: DatabaseClient): Promise<string> {
  const [row] = await client.query<{ host: string }>("select substring_index(user(), '@', -1) as host");
  return row?.host ?? '';
}

/**
 * Makes the user, who can neither give rights nor read files of the server nor see what others do. Resolves with the password.
 */
export async function makeTemporary(
  client: DatabaseClient,
  use: TemporaryUse,
  database: string,
  host: string,
): Promise<{ readonly user: string; readonly password: string }> {
  const [user, password] = [temporaryUser(use, database, host), newPassword()];
  const { privileges, seconds } = USES[use];
  await client.query(
    `create or replace user ${quotedUser(user)} identified by ${literal(password)}
      with max_user_connections 1 max_statement_time ${seconds}`,
  );
  await setAccess(client, user, database, privileges);
  return { user: user.name, password };
}

/** Ends what the user does, and drops it. One as whom views, triggers, routines or events run stays, and cannot log in. */
export async function retireTemporary(
  client: DatabaseClient,
  use: TemporaryUse,
  database: string,
  host: string,
): Promise<void> {
  const user = temporaryUser(use, database, host);
  const known = await client.query('select 1 from mysql.global_priv where user = ? and host = ?', [
    Buffer.from(user.name),
    Buffer.from(user.host),
  ]);
  if (known.length === 0) return;
  await client.query(`alter user ${quotedUser(user)} account lock`);
  await endProcesses(client, [user]);
  if (use !== 'import' || !(await defines(client, database, user))) await dropUser(client, user);
}

async function defines(client: DatabaseClient, database: string, user: UserName): Promise<boolean> {
  const from = (table: string, schema: string) =>
    `exists (select 1 from information_schema.${table} where ${schema} = ? and definer = ?)`;
  const tables = [
    from('views', 'table_schema'),
    from('triggers', 'trigger_schema'),
    from('routines', 'routine_schema'),
    from('events', 'event_schema'),
  ];
  const parameters = tables.flatMap(() => [database, userText(user)]);
  const [row] = await client.query<{ found: number }>(`select ${tables.join(' or ')} as found`, parameters);
  return row?.found === 1;
}
