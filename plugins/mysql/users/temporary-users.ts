/** Database users that are made for one import, query or maintenance, with rights on one database only; and for a session in a tool. */
import type { DatabaseClient } from '../../../kernel/areas/database-servers.ts';
import { literal, quotedUser, userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import { newPassword } from '../../../kernel/kit/new-password.ts';
import { MAINTENANCE } from '../../../kernel/kit/databases/table-maintenance.ts';
import { setAccess } from './grants.ts';
import { PRIVILEGES } from '../../../kernel/kit/databases/mariadb/privileges.ts';
import { endProcesses } from '../processes.ts';
import { dropUser } from './user-statements.ts';
import { isThere } from './users.ts';

/** Rights, for how long a statement may run, and how many connections there are at a time. */
const USES = {
  import: { privileges: PRIVILEGES, seconds: 3600, connections: 1 },
  query: { privileges: ['SELECT', 'SHOW VIEW'], seconds: 10, connections: 1 },
  maintenance: { privileges: ['INSERT', 'SELECT'], seconds: MAINTENANCE.tableMs / 1000, connections: 1 },
  session: { privileges: PRIVILEGES, seconds: 3600, connections: 20 },
} as const;
type Use = keyof typeof USES;
export type TemporaryUse = Exclude<Use, 'session'>;
/** No name that an account can choose ends so. */
const NAME = new RegExp(`-(?:${Object.keys(USES).join('|')})$`);

export const isTemporary = ({ name }: { readonly name: string }): boolean => NAME.test(name);

/** Whether what a customer writes runs as this user, and may change rows. */
export const mayWrite = ({ name }: { readonly name: string }): boolean => !/-(?:query|maintenance)$/.test(name);

/** `of`: a database, or the prefix of an account. */
export const temporaryUser = (use: Use, of: string, host: string): UserName => ({ name: `${of}-${use}`, host });

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
  const user = temporaryUser(use, database, host);
  return { user: user.name, password: await makeUser(client, use, user, [database]) };
}

/** Makes a user in place of one of this name, with a new password, and resolves with that. */
export async function makeUser(
  client: DatabaseClient,
  use: Use,
  user: UserName,
  databases: readonly string[],
): Promise<string> {
  const password = newPassword();
  const { privileges, seconds, connections } = USES[use];
  await client.query(
    `create or replace user ${quotedUser(user)} identified by ${literal(password)}
      with max_user_connections ${connections} max_statement_time ${seconds}`,
  );
  for (const database of databases) await setAccess(client, user, database, privileges);
  return password;
}

/** Ends what the user does, and drops it: see `retireUser`. */
export function retireTemporary(
  client: DatabaseClient,
  use: TemporaryUse,
  database: string,
  host: string,
): Promise<void> {
  return retireUser(client, temporaryUser(use, database, host), use === 'import' ? [database] : []);
}

/**
 * Ends what a user does, and drops it. One as whom views, triggers, routines or events of `databases` run stays, and cannot log in.
 */
export async function retireUser(client: DatabaseClient, user: UserName, databases: readonly string[]): Promise<void> {
  if (!(await isThere(client, user))) return;
  await client.query(`alter user ${quotedUser(user)} account lock`);
  await endProcesses(client, [user]);
  for (const database of databases) if (await defines(client, database, user)) return;
  await dropUser(client, user);
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
