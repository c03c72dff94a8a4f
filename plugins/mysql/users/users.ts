/** The database users of an account: those with its prefix whose rights do not reach beyond its databases. */
import type { DatabaseClient, OwnNames } from '../../../kernel/areas/database-servers.ts';
import { userText, type UserName } from '../../../kernel/kit/databases/mysql-text.ts';
import { privilegesIn } from '../../../kernel/kit/databases/mariadb/privileges.ts';
import type { DatabaseUser } from '../schema.ts';

type Row = UserName & Readonly<Record<string, string | number | null>>;
interface Right extends UserName {
  /** A pattern of `mysql.db`, or the name of a database. */
  readonly database: string;
  readonly isPattern: boolean;
  readonly privileges: readonly string[];
}

export interface NamedUsers {
  readonly own: DatabaseUser[];
  /** Those that have the prefix, too, and rights that no account's user should have: they are the operator's. */
  readonly others: readonly UserName[];
}

/** Resolves with the account's users, sorted. */
export async function readUsers(client: DatabaseClient, own: OwnNames): Promise<DatabaseUser[]> {
  return (await readNamedUsers(client, own)).own;
}

/** Resolves with all users with the prefix of an account. The login must be allowed to read the tables of `mysql`. */
export async function readNamedUsers(client: DatabaseClient, own: OwnNames): Promise<NamedUsers> {
  const from = (what: string, table: string) =>
    client.query<Row>(`select ${what}, user as name, host as host from mysql.${table} where left(user, ?) = ?`, [
      own.prefix.length,
      own.prefix,
    ]);
  const users = await from(
    `json_value(priv, '$.access') as access, json_value(priv, '$.is_role') as is_role,
      json_value(priv, '$.account_locked') as is_locked`,
    'global_priv',
  );
  const wider = new Set([...(await from('1', 'roles_mapping')), ...(await from('1', 'proxies_priv'))].map(userText));
  const rights = await readRights(from);
  const isWide = rights.some(({ database }) => database.includes('%'));
  const all = isWide ? await readDatabases(client) : own.databases;
  const known = isWide ? own.withDatabases(all.filter((name) => own.allows(name))) : own;
  const [managed, others]: [DatabaseUser[], UserName[]] = [[], []];
  for (const { name, host, access, is_role: role, is_locked: locked } of users) {
    if (!own.allows(name)) continue;
    const its = rights.filter((right) => userText(right) === userText({ name, host }));
    const meanings = its.map((right) => ({ ...right, ...known.readGrant(right.database, right.isPattern, all) }));
    const isWithin = meanings.every(({ patterns }) => patterns !== undefined);
    if (!isWithin || role !== null || Number(access ?? 0) !== 0 || wider.has(userText({ name, host })))
      others.push({ name, host });
    else managed.push({ name, host, is_locked: Number(locked ?? 0) === 1, access: accessIn(meanings) });
  }
  return { own: managed.toSorted((a, b) => (userText(a) < userText(b) ? -1 : 1)), others };
}

/** Whether there is such a user, whosever it is. */
export async function isThere(client: DatabaseClient, { name, host }: UserName): Promise<boolean> {
  const sql = 'select 1 from mysql.global_priv where user = ? and host = ?';
  return (await client.query(sql, [Buffer.from(name), Buffer.from(host)])).length > 0;
}

/** Resolves with what tells a password from another one; empty for a user who is gone. */
export async function readPasswordDigest(client: DatabaseClient, { name, host }: UserName): Promise<string> {
  const [row] = await client.query<{ digest: string | null }>(
    `select sha2(json_value(priv, '$.authentication_string'), 256) as digest from mysql.global_priv
      where user = ? and host = ?`,
    [Buffer.from(name), Buffer.from(host)],
  );
  return row?.digest ?? '';
}

async function readRights(from: (what: string, table: string) => Promise<Row[]>): Promise<Right[]> {
  const onDatabases = (await from('mysql.db.*', 'db')).map((row) => ({
    name: row.name,
    host: row.host,
    database: String(row['Db']),
    isPattern: true,
    privileges: privilegesIn(row),
  }));
  const within = [];
  for (const table of ['tables_priv', 'columns_priv', 'procs_priv']) within.push(...(await from('db', table)));
  return [
    ...onDatabases,
    ...within.map((row) => ({ ...row, database: String(row['db']), isPattern: false, privileges: [] })),
  ];
}

async function readDatabases(client: DatabaseClient): Promise<string[]> {
  const rows = await client.query<{ name: string }>('select schema_name as name from information_schema.schemata');
  return rows.map(({ name }) => name);
}

/** Puts rights on a whole database together, by its name. */
function accessIn(rights: readonly (Right & { readonly databases: readonly string[] })[]): DatabaseUser['access'] {
  const byDatabase = new Map<string, Set<string>>();
  for (const { databases, privileges } of rights.filter(({ isPattern }) => isPattern))
    for (const database of databases)
      byDatabase.set(database, new Set([...(byDatabase.get(database) ?? []), ...privileges]));
  return [...byDatabase]
    .map(([database, privileges]) => ({ database, privileges: [...privileges].toSorted() }))
    .toSorted((a, b) => (a.database < b.database ? -1 : 1));
}
