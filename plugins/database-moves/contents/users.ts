/** The database users of an account: those with its prefix or with rights on its databases, and with rights on nothing else. */
import type { DatabaseClient, OwnNames } from '../../../kernel/areas/database-servers.ts';
import {
  identifier,
  isSqlError,
  quotedUser,
  userText,
  type UserName,
} from '../../../kernel/kit/databases/mysql-text.ts';

/** Rights on the databases of a pattern, or on one table, on columns of it, or on a routine. */
export interface MovedGrant {
  /** The name of a database or, without `object`, a pattern of `mysql.db`. */
  readonly database: string;
  readonly object?: string;
  readonly kind?: 'table' | 'function' | 'procedure';
  readonly column?: string;
  readonly privileges: readonly string[];
  readonly mayGrant: boolean;
}

export interface MovedUser extends UserName {
  /** The text after the name in `show create user`: authentication and limits. It is not locked there. */
  readonly definition: string;
  readonly isLocked: boolean;
  readonly grants: readonly MovedGrant[];
}

export interface FoundUsers {
  readonly users: readonly MovedUser[];
  /** Users with rights on the account's databases that have others, too: they stay. */
  readonly leftOut: readonly UserName[];
  readonly obstacles: readonly string[];
}

type Row = Readonly<Record<string, string | null>>;
const LOCKED = ' ACCOUNT LOCK';

/** Resolves with the users of an account. The login must be allowed to read the tables of `mysql`. */
export async function readUsers(client: DatabaseClient, own: OwnNames): Promise<FoundUsers> {
  const all = (await client.query<{ name: string }>('select schema_name as name from information_schema.schemata')).map(
    ({ name }) => name,
  );
  const users: MovedUser[] = [];
  const leftOut: UserName[] = [];
  const obstacles: string[] = [];
  for (const { isOwn, ...user } of await own.usersIn(client)) {
    const { hasGlobal, isRole, roles } = await privilegesOf(client, user);
    if (!isOwn || isRole || hasGlobal || user.name === '') leftOut.push(user);
    else if (roles > 0) obstacles.push(`the database user ${userText(user)}, which has roles`);
    else users.push(await readUser(client, user, own, all));
  }
  return { users, leftOut, obstacles };
}

async function privilegesOf(client: DatabaseClient, { name, host }: UserName) {
  const names = bytes(name, host);
  const [row] = await client.query<{ access: string | null; isRole: string | null }>(
    `select json_value(priv, '$.access') as access, json_value(priv, '$.is_role') as isRole
      from mysql.global_priv where user = ? and host = ?`,
    names,
  );
  const roles = await client.query('select 1 from mysql.roles_mapping where user = ? and host = ?', names);
  return { hasGlobal: (row?.access ?? '0') !== '0', isRole: row?.isRole !== null, roles: roles.length };
}

async function readUser(
  client: DatabaseClient,
  user: UserName,
  own: OwnNames,
  all: readonly string[],
): Promise<MovedUser> {
  const [row] = await client.query<Record<string, string>>(`show create user ${quotedUser(user)}`);
  const shown = Object.values(row ?? {})[0] ?? '';
  const head = `CREATE USER ${identifier(user.name)}@${identifier(user.host)}`;
  if (!shown.startsWith(head)) throw new Error(`the server shows ${userText(user)} in an unknown way`);
  const definition = shown.slice(head.length);
  const names = bytes(user.name, user.host);
  const of = (table: string) => client.query<Row>(`select * from mysql.${table} where user = ? and host = ?`, names);
  const grants: MovedGrant[] = [];
  for (const each of await of('db'))
    for (const database of own.readGrant(each['Db'] ?? '', true, all).patterns ?? [])
      grants.push({ database, ...rightsIn(flagsOf(each)) });
  for (const each of await of('tables_priv'))
    grants.push({ ...nameIn(each, 'Table_name'), kind: 'table', ...rightsIn(listIn(each['Table_priv'])) });
  for (const each of await of('columns_priv'))
    grants.push({
      ...nameIn(each, 'Table_name'),
      kind: 'table',
      column: each['Column_name'] ?? '',
      ...rightsIn(listIn(each['Column_priv'])),
    });
  for (const each of await of('procs_priv')) {
    const kind = each['Routine_type'] === 'FUNCTION' ? 'function' : 'procedure';
    grants.push({ ...nameIn(each, 'Routine_name'), kind, ...rightsIn(listIn(each['Proc_priv'])) });
  }
  const isLocked = definition.includes(LOCKED);
  const some = grants.map((grant) => (grant.privileges.length > 0 ? grant : { ...grant, privileges: ['USAGE'] }));
  return { ...user, definition: definition.replace(LOCKED, ''), isLocked, grants: some };
}

const bytes = (...texts: readonly string[]): Uint8Array[] => texts.map((text) => Buffer.from(text));
const nameIn = (row: Row, column: string) => ({ database: row['Db'] ?? '', object: row[column] ?? '' });
const listIn = (text: string | null | undefined): string[] =>
  (text ?? '').split(',').flatMap((each) => (each === '' ? [] : [each.toUpperCase()]));

/** Names of `mysql.db` that differ from those in `grant`. */
const COLUMNS: Readonly<Record<string, string>> = {
  CREATE_TMP_TABLE: 'CREATE TEMPORARY TABLES',
  DELETE_HISTORY: 'DELETE HISTORY',
};
const flagsOf = (row: Row): string[] =>
  Object.entries(row).flatMap(([column, value]) => {
    const name = /^(.*)_priv$/.exec(column)?.[1]?.toUpperCase();
    return name === undefined || value !== 'Y' ? [] : [COLUMNS[name] ?? name.replaceAll('_', ' ')];
  });
const rightsIn = (names: readonly string[]) => ({
  privileges: names.filter((name) => name !== 'GRANT'),
  mayGrant: names.includes('GRANT'),
});

/** How a user may log in at its new home: with a password whose hash is known, or as a user of the system. */
const METHOD = String.raw`(?:PASSWORD '\*[0-9A-F]{40}'|(?:mysql_native_password|ed25519|unix_socket|pam)(?: USING '[^'\\]*')?)`;
const DEFINITION = new RegExp(
  String.raw`^(?: IDENTIFIED (?:BY|VIA) ${METHOD}(?: OR ${METHOD})*)?(?: REQUIRE (?:SSL|X509|NONE|(?:(?:ISSUER|SUBJECT|CIPHER) '[^'\\]*' ?(?:AND )?)+))?(?: WITH(?: MAX_[A-Z_]+ [\d.]+)+)?(?: PASSWORD EXPIRE(?: NEVER| DEFAULT| INTERVAL \d+ DAY)?)?$`,
);

/** Returns why a user cannot be made; `undefined` if it can. */
export function findUserFault({ name, host, definition }: MovedUser): string | undefined {
  return DEFINITION.test(definition) ? undefined : `${userText({ name, host })} logs in by an unknown method`;
}

/** The table, its column, or the routine was dropped, and the right to it was left: no such table, column, routine. */
const GONE = [1146, 1054, 1305];

/** Makes a user, in the place of one that an earlier run made. */
export async function makeUser(client: DatabaseClient, user: MovedUser, isOpen: boolean): Promise<void> {
  const locked = user.isLocked || !isOpen ? LOCKED : '';
  const expiry = user.definition.indexOf(' PASSWORD EXPIRE');
  const at = expiry < 0 ? user.definition.length : expiry;
  await client.query(
    `create or replace user ${quotedUser(user)}${user.definition.slice(0, at)}${locked}${user.definition.slice(at)}`,
  );
  for (const grant of user.grants)
    try {
      await client.query(statementOf(grant, user));
    } catch (error) {
      if (!isSqlError(error) || !GONE.includes(error.errno)) throw error;
    }
}

function statementOf({ database, object, kind, column, privileges, mayGrant }: MovedGrant, user: UserName): string {
  const columns = column === undefined ? '' : ` (${identifier(column)})`;
  const level = object === undefined ? '*' : identifier(object);
  const list = privileges.map((each) => each + columns).join(', ');
  const option = mayGrant ? ' with grant option' : '';
  return `grant ${list} on ${kind ?? ''} ${identifier(database)}.${level} to ${quotedUser(user)}${option}`;
}
