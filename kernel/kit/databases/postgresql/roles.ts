import { type PostgresqlClient } from './client.ts';
import { DATABASES, groupFor, LEVELS, USERS } from './names.ts';
import { identifier as id, literal } from './sql-text.ts';

/** Opens connections to databases of one server with the login in the settings. */
export interface ServerConnections {
  /** To the server's own database `postgres`. */
  readonly main: PostgresqlClient;
  /** Runs `work` with a connection to another database, in which nothing may run what a customer has written. */
  inside<T>(database: string, work: (client: PostgresqlClient) => Promise<T>): Promise<T>;
}

/** Limits of every user of a customer. */
export interface UserLimits {
  readonly connections_limit: number;
  readonly statement_seconds: number;
  readonly idle_seconds: number;
}

type Level = (typeof LEVELS)[number];

const NO_RIGHTS = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/** Resolves with the server's version as a number, 150013 for 15.13. */
export async function readVersion(main: PostgresqlClient): Promise<number> {
  const [row] = await main.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
  return row?.version ?? 0;
}

/** Resolves with the roles of customers of which `where` is true, with `r` for `pg_roles` and `$2` for a value. */
export async function customersRoles(main: PostgresqlClient, where: string, value: string): Promise<string[]> {
  const rows = await main.query<{ name: string }>(
    `select r.rolname as name from pg_roles r join pg_auth_members m on m.member = r.oid join pg_roles g on g.oid = m.roleid
      where g.rolname = $1 and ${where} order by r.rolname collate "C"`,
    [USERS, value],
  );
  return rows.map(({ name }) => name);
}

export async function hasRole(main: PostgresqlClient, name: string): Promise<boolean> {
  return (await main.query('select 1 from pg_roles where rolname = $1', [name])).length > 0;
}

/** Makes the roles that tell what is of customers, unless they are there. */
export async function makeMarks(main: PostgresqlClient): Promise<void> {
  for (const name of [DATABASES, USERS])
    if (!(await hasRole(main, name))) await main.query(`create role ${id(name)} nologin ${NO_RIGHTS}`);
}

/** Makes a role that cannot log in, unless it is there. */
export async function makeGroup(main: PostgresqlClient, name: string): Promise<void> {
  if (!(await hasRole(main, name)))
    await main.query(`create role ${id(name)} nologin ${NO_RIGHTS} in role ${id(USERS)}`);
}

/** Makes a user, who may do nothing yet; `verifier`: see `scramVerifier`. */
export async function makeUser(
  main: PostgresqlClient,
  name: string,
  verifier: string,
  { connections_limit: connections, statement_seconds, idle_seconds }: UserLimits,
): Promise<void> {
  const role = id(name);
  await makeMarks(main);
  await main.transaction([
    `create role ${role} login ${NO_RIGHTS} connection limit ${connections} password ${literal(verifier)} in role ${id(USERS)}`,
    `alter role ${role} set statement_timeout = '${statement_seconds}s'`,
    `alter role ${role} set idle_session_timeout = '${idle_seconds}s'`,
    `alter role ${role} set idle_in_transaction_session_timeout = '${Math.ceil(idle_seconds / 10)}s'`,
  ]);
}

/** Without a verifier, nobody can log in by a password. */
export async function setPassword(main: PostgresqlClient, name: string, verifier: string | null): Promise<void> {
  await main.query(`alter role ${id(name)} password ${verifier === null ? 'null' : literal(verifier)}`);
}

/** Ends what a user does, also in one database only. */
export async function endSessions(main: PostgresqlClient, user: string, database?: string): Promise<void> {
  const within = database === undefined ? [user] : [user, database];
  await main.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = $1${database === undefined ? '' : ' and datname = $2'}`,
    within,
  );
}

/** Lets a user log in, or not, which also ends what it does. */
export async function setLocked(main: PostgresqlClient, user: string, isLocked: boolean): Promise<void> {
  await main.query(`alter role ${id(user)} ${isLocked ? 'nologin' : 'login'}`);
  if (isLocked) await endSessions(main, user);
}

/** Drops a role of a customer, unless it is gone, after what it does; what it owns becomes that of the databases. */
export async function dropRole(server: ServerConnections, name: string): Promise<void> {
  const { main } = server;
  if ((await customersRoles(main, 'r.rolname = $2', name)).length === 0) return;
  await main.query(`alter role ${id(name)} nologin`);
  await endSessions(main, name);
  for (const { database } of await databasesOpenTo(main, name))
    await main.query(`revoke all on database ${id(database)} from ${id(name)}`);
  for (const { database, isManaged } of await databasesWith(main, name))
    await server.inside(database, async (client) => {
      if (isManaged && name !== groupFor(database, 'owner')) await handOver(client, name, database);
      else await client.query(`drop owned by ${id(name)}`);
    });
  await main.query(`drop role ${id(name)}`);
}

/** Gives what a role owns in a database to those who own that database, and takes its rights from it. */
async function handOver(client: PostgresqlClient, name: string, database: string): Promise<void> {
  await client.transaction([
    `reassign owned by ${id(name)} to ${id(groupFor(database, 'owner'))}`,
    `drop owned by ${id(name)}`,
  ]);
}

/** Resolves with the databases on which a role itself has rights, other than by its groups. */
function databasesOpenTo(main: PostgresqlClient, name: string): Promise<{ database: string }[]> {
  return main.query(
    `select distinct datname as database from pg_database, aclexplode(datacl) a join pg_roles r on r.oid = a.grantee
      where r.rolname = $1`,
    [name],
  );
}

/** Resolves with the databases in which a role owns something, or has rights. */
function databasesWith(main: PostgresqlClient, name: string): Promise<{ database: string; isManaged: boolean }[]> {
  return main.query(
    `select distinct d.datname as database, o.rolname = $2 as "isManaged" from pg_shdepend s
      join pg_database d on d.oid = s.dbid join pg_roles o on o.oid = d.datdba
      where s.refclassid = 'pg_authid'::regclass and s.refobjid = (select oid from pg_roles where rolname = $1)`,
    [name, DATABASES],
  );
}

/**
 * Gives a user exactly the rights of a level on a database, or none. Ends what it does there, because a session keeps the role that
 * it has set.
 */
export async function setAccess(
  server: ServerConnections,
  user: string,
  database: string,
  level?: Level,
): Promise<void> {
  await setMembership(server, user, database, level);
  await endSessions(server.main, user, database);
  if (level !== 'owner') await server.inside(database, (client) => handOver(client, user, database));
}

/** Makes a user a member of the group of a level, and of no other. As an owner it acts as the group, so that what it makes is all owners'. */
export async function setMembership(
  { main, inside }: ServerConnections,
  user: string,
  database: string,
  level?: Level,
): Promise<void> {
  const inDatabase = `alter role ${id(user)} in database ${id(database)}`;
  await main.transaction([
    ...LEVELS.filter((each) => each !== level).map((each) => `revoke ${id(groupFor(database, each))} from ${id(user)}`),
    ...(level === undefined ? [] : [`grant ${id(groupFor(database, level))} to ${id(user)}`]),
    level === 'owner' ? `${inDatabase} set role = ${literal(groupFor(database, level))}` : `${inDatabase} reset role`,
  ]);
  if (level === 'owner') await inside(database, (client) => client.transaction(defaultPrivileges(user, database)));
}

/** Returns statements by which all members of the groups of a database may use what a role will make there. */
export function defaultPrivileges(role: string, database: string): string[] {
  const [reading, writing] = [id(groupFor(database, 'read_only')), id(groupFor(database, 'read_write'))];
  const grant = (rights: string) => `alter default privileges for role ${id(role)} grant ${rights}`;
  return [
    grant(`usage on schemas to ${reading}, ${writing}`),
    grant(`select on tables to ${reading}`),
    grant(`select, insert, update, delete on tables to ${writing}`),
    grant(`select on sequences to ${reading}`),
    grant(`select, update, usage on sequences to ${writing}`),
  ];
}

/** Returns statements that take all this back, for what is made from then on. */
export const noDefaultPrivileges = (role: string, database: string): string[] =>
  ['schemas', 'tables', 'sequences'].map(
    (kind) =>
      `alter default privileges for role ${id(role)} revoke all on ${kind} from ${id(groupFor(database, 'read_only'))}, ${id(groupFor(database, 'read_write'))}`,
  );
